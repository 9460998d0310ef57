/// Tangent and adjoint of a sequence along a trajectory, from the declarations of its processes:
///   tangent   the processes in the same order, each its derivative about the state
///   adjoint   the processes in reversed order, each the transpose of its tangent: it adds to the
///             adjoints of fields that it reads; adjoints of fields that it writes become 0
/// Processes of columns have both by hand (field/linear.hpp), or from dual numbers and tapes
/// (field/by_cells.hpp); global ones have them by hand. Those that look at neighbours get halos of
/// the change before their tangent; what they add to adjoints of neighbours is added up in a fixed
/// order (neighbour_sums.hpp). Processes that do not run in every step have both only in the steps
/// in which they run; fields that change places at the end of a step are put back first.
///
/// A process may be frozen: it runs with the state, and what it computes does not change with a
/// perturbation of it. The adjoints of what it writes end there: they are the sensitivities to
/// these fields, and are added up for whom they interest.
///
/// Parts that only frozen ones or the output read are left out: no state depends on them.
///
/// A trajectory keeps the values that both need: each field between two processes that write it,
/// once for all readers, and the data of global processes. No value of the state is then computed
/// again. Where only states are kept, all values are.
#pragma once
#include <optional>
#include "field/linear.hpp"
#include "field/linearisation.hpp"
#include "sequence/neighbour_sums.hpp"
#include "sequence/step_program.hpp"

namespace fathom {

class LinearStepProgram {
public:
    enum class Keep {
        all,     ///< what both need, as it is
        single,  ///< the same in fp32: both are then those about a state rounded so
        states   ///< states alone, from which a step is computed again when it is wanted
    };
    struct Options {
        Keep keep = Keep::all;
        int every = 1;        ///< with `states`: of so many steps one; the others follow from it
        bool by_hand = true;  ///< false, for tests: dual numbers and tapes alone
        std::vector<std::string> frozen = {};  ///< processes without derivative
    };
    /// Throws Error: a process without tangent, a global one that looks at neighbours, that are not
    /// frozen; fields that live only within a step (StepProgram::Options::keep).
    LinearStepProgram(std::shared_ptr<StepProgram>, Options);

    /// Takes `steps` steps with a set; its trajectory, profiles included, is kept after what was
    /// kept before.
    void follow(FieldSet&, int steps);
    void forget();
    int steps() const { return int(profiles.size()); }
    std::size_t bytes() const;  ///< of the trajectory

    /// What happens to a perturbation at the start, and in the steps from `first` on. With
    /// processes that look at neighbours: values on land, below the bottom and in halos are
    /// constants, changes and adjoints are 0 there.
    void start(FieldSet& perturbation) const;
    void tangent(FieldSet& perturbation, int first, int steps);
    /// The transposes: of the steps up to first + steps, and of the start.
    /// Adds the adjoints of what frozen processes write to those fields of `ended`.
    void adjoint(FieldSet& gradient, int first, int steps, FieldSet* ended = nullptr);
    void start_adjoint(FieldSet& gradient) const;

private:
    using Memory = std::vector<std::byte>;
    /// Of a field, as it is after this part of a step; -1: at its beginning.
    struct Value {
        int field, after;
        std::size_t begin = 0, numbers = 0;  ///< within what is kept of a step
    };
    static constexpr int constant = -1;       ///< instead of a value: what no process writes
    static constexpr std::size_t spare = 64;  ///< numbers, read next to the first and last cell
    /// Fields whose halos are exchanged together, of any set.
    class Halos {
    public:
        Halos() = default;
        Halos(const Layout&, const std::vector<int>& widths);  ///< of each field; 0: none
        void exchange(FieldSet&) const;
        std::vector<int> fields;

    private:
        mutable std::vector<FieldSlab> slabs;
        std::unique_ptr<Exchange> by;
    };
    /// Of one process: the values that it needs of each of its fields, if any.
    struct Need {
        const LinearKernel* by_hand = nullptr;
        std::vector<std::optional<int>> before, after;
    };
    struct Step {
        Pages memory;
        std::vector<std::unique_ptr<Linearisation>> globals;
    };
    std::shared_ptr<StepProgram> sequence;
    const Options options;
    const int bytes_kept;  ///< of a number
    std::vector<StepProgram::Part> parts;
    std::vector<Value> values;
    std::vector<char> frozen, neighbours;  ///< parts that are, parts that look at them
    std::vector<char> idle;  ///< parts on which no later state depends but through frozen ones
    std::vector<Need> needs;
    std::vector<Region> of_parts;
    Halos at_start;           ///< of the state
    std::vector<Halos> made;  ///< of each part: what it writes and others read at neighbours,
    std::vector<Halos> seen;  ///< what it reads there
    std::shared_ptr<const Active> active;              ///< if any part looks at neighbours
    std::vector<std::unique_ptr<NeighbourSums>> sums;  ///< of those that do
    std::size_t numbers = 0;                           ///< of a step
    std::vector<int> state, of_profile;                ///< fields of each kind
    std::vector<std::vector<Memory>> profiles;         ///< of each step
    std::vector<Step> kept;                            ///< all but `states`: of each step
    std::vector<Step> unused;                          ///< memory of steps that were forgotten
    std::vector<std::vector<Memory>> states;           ///< of each `every`-th step
    std::vector<std::vector<Memory>> between;          ///< of the steps since `segment`
    int segment = -1;
    Step once;  ///< of the step that was computed last
    int once_of = -1;
    long first_count = 0;
    std::unique_ptr<FieldSet> now;  ///< constants; values that were kept in fp32; a state
    std::vector<int> shown;         ///< with fp32: the value that each field of `now` holds

    void find_idle();
    void check() const;
    void find_neighbours();
    bool looks(std::size_t part) const { return neighbours[part]; }
    bool runs(std::size_t part, long count) const { return count % parts[part].process.every == 0; }
    Need need_of(int part);
    int value(int field, int after);
    std::optional<int> needed(const StepProgram::Part&, std::size_t number, int after);

    Memory keep(const FieldSet&, int field) const;
    void put_back(FieldSet&, int field, const Memory&) const;
    std::vector<Memory> keep(const FieldSet&, const std::vector<int>& fields) const;
    void put_back(FieldSet&, const std::vector<int>& fields, const std::vector<Memory>&) const;
    void keep_values(const FieldSet&, int after, Step&) const;
    void linearise(FieldSet&, Step&) const;
    void recall(int step);
    Step& about(int step);

    std::vector<const std::byte*> place(const Step&, std::optional<int> value, int field);
    void show(const Step&, int value);
    struct Places;
    Places places(std::size_t part, Step&, FieldSet& change);
    void clear_inactive(FieldSet&) const;
    void halos_of_change(std::size_t part, FieldSet&) const;
    void run(std::size_t part, const FieldSet&) const;
    void run_part(std::size_t part, Step&, FieldSet& change, bool adjoint);
    void run_frozen(std::size_t part, FieldSet& change, FieldSet* ended) const;
    void run_linear(std::size_t part, Step&, FieldSet& change, bool adjoint);
    void run_adjoint_of_neighbours(std::size_t part, Step&, FieldSet& change);
    void run_global(std::size_t part, Step&, FieldSet& change, bool adjoint);
};

}  // namespace fathom
