/// Tangent and adjoint of a sequence along a trajectory, from the declarations of its processes:
///   tangent   the same processes in the same order, of the state and of a perturbation together
///   adjoint   the processes in reversed order, each the transpose of its tangent: what it reads
///             is added to, what it writes is used up and 0 afterwards
/// Processes of columns run on dual numbers and leave their tape (base/dual.hpp, base/taped.hpp);
/// global ones have both by hand. The trajectory is kept as the fields of the state at each step;
/// within a step, what the processes overwrite is kept while it is computed again.
#pragma once
#include "sequence/sequence.hpp"

namespace fathom {

class LinearSequence {
public:
    /// Throws Error: a process without tangent, one that looks at neighbours, or that does not run
    /// in every step; fields that live only within a step (Sequence::Options::keep).
    explicit LinearSequence(std::shared_ptr<Sequence>);

    /// Takes `steps` steps with a set; its trajectory, profiles included, is kept after what was
    /// kept before.
    void follow(FieldSet&, int steps);
    void forget() { states.clear(); }
    int steps() const { return int(states.size()); }
    std::size_t bytes() const;  ///< of the trajectory

    /// What happens to a perturbation at the start, and in the steps from `first` on.
    void start(FieldSet& perturbation) const;
    void tangent(FieldSet& perturbation, int first, int steps);
    /// The transposes: of the steps up to first + steps, and of the start.
    void adjoint(FieldSet& gradient, int first, int steps);
    void start_adjoint(FieldSet& gradient) const;

private:
    using Memory = std::vector<std::byte>;
    std::shared_ptr<Sequence> sequence;
    std::vector<Sequence::Part> parts;
    std::vector<int> state;                   ///< fields of a state, and profiles
    std::vector<std::vector<Memory>> states;  ///< at each step, of each of these fields
    long first_count = 0;
    std::unique_ptr<FieldSet> now;  ///< the state that is followed again
    struct Cells;

    Memory keep(const FieldSet&, int field) const;
    void put_back(const FieldSet&, int field, const Memory&) const;
    void recall(int step);
    void run(const Sequence::Part&, FieldSet* perturbation);
    void run_in_place(const Sequence::Part&, std::ptrdiff_t tangents);
    void run_adjoint(const Sequence::Part&, FieldSet& gradient);
    void step_tangent(FieldSet& perturbation);
    void step_adjoint(FieldSet& gradient);
    void forward(const Sequence::Part&, FieldSet* perturbation);
};

}  // namespace fathom
