/// Tangent and adjoint of a global process about one state, with the values that both need.
#pragma once
#include "field/global_process.hpp"

namespace fathom {

class Linearisation {
public:
    virtual ~Linearisation() = default;
    /// perturbation becomes M' perturbation; gradient its transpose.
    virtual void tangent(GlobalProcess::Given perturbation) = 0;
    virtual void adjoint(GlobalProcess::Given gradient) = 0;
    virtual std::size_t bytes() const = 0;
};

/// A global process that chooses which values of a state it keeps. It is used instead of `tangent`
/// and `adjoint` of GlobalProcess, for which the values of all its fields are kept.
class Linearisable {
public:
    virtual ~Linearisable() = default;
    /// About this state, as it is before the process is applied. single: keeps it in fp32.
    /// `earlier` is not needed any more: its memory may be used again.
    virtual std::unique_ptr<Linearisation> linearise(
        GlobalProcess::Given state, bool single, std::unique_ptr<Linearisation> earlier) const = 0;
};

/// A linear process: its tangent and adjoint do not depend on a state.
class LinearProcess : public Linearisable {
public:
    virtual void tangent_of(GlobalProcess::Given perturbation) const = 0;
    virtual void adjoint_of(GlobalProcess::Given gradient) const = 0;
    std::unique_ptr<Linearisation> linearise(GlobalProcess::Given, bool,
                                             std::unique_ptr<Linearisation>) const final {
        return std::make_unique<Same>(*this);
    }

private:
    struct Same final : Linearisation {
        const LinearProcess& process;
        explicit Same(const LinearProcess& process) : process(process) {}
        void tangent(GlobalProcess::Given change) override { process.tangent_of(change); }
        void adjoint(GlobalProcess::Given change) override { process.adjoint_of(change); }
        std::size_t bytes() const override { return 0; }
    };
};

}  // namespace fathom
