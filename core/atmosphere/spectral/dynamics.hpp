/// The dynamics of a spectral atmosphere as global processes of a sequence, on a Gaussian grid or
/// on the plane of a limited area (shape.hpp).
/// Semi-Lagrangian (semi_lagrangian_scheme.cpp):
///   transport  ->  tracer_transport  ->  ...  ->  coupling  ->  step  ->  total_energy  ->
///   tracer_mass
/// and with compressible air, for each correction, ... -> coupling_again -> correction after it
/// (nonhydrostatic/equations.hpp);
/// where a step is: direct transforms, semi-implicit solve column by column, horizontal diffusion,
/// inverse transforms with gradients. Eulerian (leapfrog_scheme.cpp): tracer_leapfrog  ->  step.
///
///   diffusion   horizontal_diffusion.hpp
///   mass        pi gets the constant that restores the mean surface pressure from before the step
///               (exact sum); a tracer is multiplied by the number that restores sum q dp over the
///               sphere from before its advection
///   energy      temperature gets the constant that restores the energy over the sphere, that
///               before with the tendencies of the physics
/// On a stretched sphere (grid/stretching.hpp) the spectral side is the computational sphere, wind
/// divided by the map factor; fields belong to the real sphere. Between steps the state is only in
/// grid points.
#pragma once
#include <memory>
#include "atmosphere/spectral/parameters.hpp"
#include "field/global_process.hpp"

namespace fathom::atmosphere {

/// The process of a scheme that goes through spectral space; it reports the cost of all of them.
class SpectralProcess : public GlobalProcess {
public:
    using GlobalProcess::GlobalProcess;
    virtual SpectralSpent spent() const = 0;
    virtual DepartureHalo halo() const { return {}; }
};

/// The process that conserves energy; how much it has given back so far, and how much of the wind's
/// energy truncation and diffusion have turned into heat, mean over the sphere [J m-2].
class EnergyFixer : public GlobalProcess {
public:
    using GlobalProcess::GlobalProcess;
    double returned = 0;
    virtual double heat_of_diffusion() const = 0;
};

/// Processes that a scheme does not have, or that are not requested, are null.
struct SpectralDynamics {
    using Part = std::shared_ptr<GlobalProcess>;
    Part transport, tracer_transport, coupling, tracer_mass, tracer_leapfrog;
    /// Of compressible air: after the first guess, of a coupling without tracers and of the step.
    Part coupling_again, correction;
    std::shared_ptr<EnergyFixer> total_energy;
    std::shared_ptr<SpectralProcess> step;  ///< of either scheme
};

/// bytes: 4 or 8, of a number.
SpectralDynamics semi_lagrangian_scheme(const SpectralSetup&, int bytes);
SpectralDynamics leapfrog_scheme(const SpectralSetup&, int bytes);

/// An engine for the transforms and sums of a model, shared by its processes: made when the first
/// of them is prepared, because then the ranks are known.
template <class Engine, class Setup = SpectralSetup> class Shared {
public:
    explicit Shared(Setup setup) : setup(std::move(setup)) {}
    const Setup setup;
    void open(const Domain& d) {
        if (!engine) engine = std::make_unique<Engine>(setup, d);
    }
    explicit operator bool() const { return bool(engine); }
    Engine& operator*() const { return *engine; }
    Engine* operator->() const { return engine.get(); }

private:
    std::unique_ptr<Engine> engine;
};

}  // namespace fathom::atmosphere
