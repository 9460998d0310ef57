/// GlobalProcess: a process that needs communication (a solver, a transform, a global sum,
/// particles). It declares the fields that it uses as members, so that a name stands once, next to
/// the code that uses it; it gets the fields of a set when it is applied.
///
///   class SurfaceBalance final : public GlobalProcess {
///       const Item flux = updates("salinity_surface_flux", place::center_column, "1e-3 m s-1");
///       void apply(Given at) override { take_away(at[flux], mean(at, flux)); }
///   };
#pragma once
#include "field/field_set.hpp"

namespace fathom {

class GlobalProcess {
public:
    struct Item {
        int number;  ///< among the fields of the process
    };
    /// The fields of the process in one set.
    class Given {
    public:
        Given(FieldSet& set, std::span<const int> fields) : set(set), fields(fields) {}
        const Field& operator[](Item item) const { return set[fields[item.number]]; }
        Field on_device(Item item) const { return set.on_device(fields[item.number]); }
        FieldSet& set;

    private:
        std::span<const int> fields;
    };

    explicit GlobalProcess(std::string name) : name(std::move(name)) {}
    GlobalProcess(const GlobalProcess&) = delete;
    virtual ~GlobalProcess() = default;

    const std::string name;
    const std::vector<Process::Field>& fields() const { return used; }

    /// Once, when the fields that never change are set: on the ranks that compute.
    virtual void prepare(Given) {}
    /// Once before the first step of a run that is not a restart: sets the initial state.
    virtual void start(Given) {}
    /// Between two steps, after the user has set fields: computes again what depends on them.
    virtual void changed(Given) {}
    /// One step: by all ranks together.
    virtual void apply(Given) = 0;
    /// The same with fields that live on a device, got by at.on_device(item). False: it cannot, and
    /// nothing was done; `apply` then runs here, and its fields are copied.
    virtual bool apply_on(Device&, Given) { return false; }
    /// Whether it can; known once it is prepared.
    virtual bool lives_on(Device&) { return false; }
    /// perturbation becomes M' perturbation, about the state before `apply`; adjoint: the transpose
    /// of that.
    virtual void tangent(Given state, Given perturbation) const;
    virtual void adjoint(Given state, Given perturbation) const;
    /// The same of `start`, which is linear.
    virtual void start_tangent(Given) const {}
    virtual void start_adjoint(Given) const {}

protected:
    Item reads(std::string name, Place place, std::string units, int reach = 0) {
        return add({std::move(name), std::move(units), place, Access::reads, reach});
    }
    Item writes(std::string name, Place place, std::string units) {
        return add({std::move(name), std::move(units), place, Access::writes, 0});
    }
    Item updates(std::string name, Place place, std::string units) {
        return add({std::move(name), std::move(units), place, Access::updates, 0});
    }

    std::vector<Process::Field> used;

private:
    Item add(Process::Field field) {
        used.push_back(std::move(field));
        return {int(used.size()) - 1};
    }
};

/// As a process that a sequence can hold.
Process process(std::shared_ptr<GlobalProcess>);

}  // namespace fathom
