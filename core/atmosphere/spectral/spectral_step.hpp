/// The steps of both schemes in spectral space, as global processes of any model that says which
/// fields they have: the linear terms at the new time and diffusion, or the leapfrog.
#pragma once
#include <functional>
#include <list>
#include "atmosphere/spectral/dynamics.hpp"
#include "atmosphere/spectral/leapfrog_engine.hpp"
#include "atmosphere/spectral/semi_lagrangian_engine.hpp"
#include "field/linearisation.hpp"

namespace fathom::atmosphere {

/// Field of an item, on the processor or on a device.
using FieldOf = std::function<const Field&(GlobalProcess::Item)>;

/// Fields of a process on a device.
class FieldsThere {
    const GlobalProcess::Given& at;
    std::list<Field> fields;

public:
    explicit FieldsThere(const GlobalProcess::Given& at) : at(at) {}
    const Field& operator()(GlobalProcess::Item item) {
        return fields.emplace_back(at.on_device(item));
    }
};

/// Implicit terms and diffusion in spectral space; then fields and all gradients at grid points.
template <class T> class SemiLagrangianStep : public SpectralProcess, public LinearProcess {
    SpectralFields here(const Given& at) const {
        return fields([&](Item item) -> const Field& { return at[item]; });
    }

protected:
    Common<T> engine;
    virtual SpectralFields fields(const FieldOf&) const = 0;

public:
    SemiLagrangianStep(std::string name, Common<T> engine)
        : SpectralProcess(std::move(name)), engine(std::move(engine)) {}
    /// Truncates the initial state and computes its gradients.
    void start(Given at) override {
        (*engine)->to_waves(here(at));
        (*engine)->to_points(here(at));
    }
    void changed(Given at) override { start(at); }
    void apply(Given at) override { (*engine)->step(here(at)); }
    bool lives_on(Device&) override { return true; }
    bool apply_on(Device& device, Given at) override {
        FieldsThere there(at);
        (*engine)->step(device, fields(std::ref(there)));
        return true;
    }
    void tangent_of(Given change) const override { (*engine)->tangent(here(change)); }
    void adjoint_of(Given change) const override { (*engine)->adjoint(here(change)); }
    void start_tangent(Given change) const override {
        (*engine)->to_waves(here(change));
        (*engine)->to_points(here(change));
    }
    void start_adjoint(Given change) const override { (*engine)->start_adjoint(here(change)); }
    SpectralSpent spent() const override { return *engine ? (*engine)->spent() : SpectralSpent(); }
    DepartureHalo halo() const override {
        if (!*engine) return {};
        const auto& halo = (*engine)->transport->halo();
        return {halo.points_received(), halo.plans, halo.rows_away()};
    }
};

/// Semi-implicit leapfrog, diffusion and time filter in spectral space; then fields and gradients.
template <class T> class LeapfrogStep : public SpectralProcess {
    LeapfrogFields here(const Given& at) const {
        return fields([&](Item item) -> const Field& { return at[item]; });
    }

protected:
    CommonLeapfrog<T> engine;
    virtual LeapfrogFields fields(const FieldOf&) const = 0;

public:
    LeapfrogStep(std::string name, CommonLeapfrog<T> engine)
        : SpectralProcess(std::move(name)), engine(std::move(engine)) {}
    void start(Given at) override { (*engine)->start(here(at)); }
    void changed(Given at) override {
        at.set.count == 0 ? start(at) : (*engine)->truncate(here(at));
    }
    void apply(Given at) override { (*engine)->leap(here(at), at.set.count == 0); }
    bool lives_on(Device&) override { return true; }
    bool apply_on(Device& device, Given at) override {
        FieldsThere there(at);
        (*engine)->leap(device, fields(std::ref(there)), at.set.count == 0);
        return true;
    }
    SpectralSpent spent() const override { return *engine ? (*engine)->spent() : SpectralSpent(); }
};

}  // namespace fathom::atmosphere
