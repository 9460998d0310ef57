/// Schedule: computed from the declarations of a list of processes before any memory or message
/// exists: where halos are exchanged and how wide, how far into the halo each process computes, and
/// which processes may run together row by row.
#pragma once
#include "field/process.hpp"

namespace fathom {

struct Schedule {
    struct Sent {
        int field, width;
    };
    /// An exchange, then processes [first, last).
    struct Group {
        int first, last, extent;
        std::vector<Sent> exchange;
    };
    std::vector<Group> groups;
    std::vector<int> extent;  ///< rows of the halo that each process computes
    /// For each field: whether it is written and read within one group, and never by a neighbour.
    std::vector<bool> local;
    /// For each field: groups; a field written before it is read holds nothing before and after.
    std::vector<int> first_use, last_use;

    /// fields[p][i]: the number of the i-th field of process p. constant: never written, valid
    /// everywhere. rotations: cycles of fields {before, now, after} that change places after a
    /// step. compute_in_halo and group are switched off only by tests and measurements.
    Schedule(const std::vector<Process>&, const std::vector<std::vector<int>>& fields,
             const std::vector<bool>& constant, const std::vector<std::vector<int>>& rotations,
             int halo, bool compute_in_halo, bool group);
};

}  // namespace fathom
