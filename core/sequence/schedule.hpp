/// Schedule: what follows from the declarations of a list of processes before any memory or message
/// exists – where halos are exchanged and how wide, how far into the halo each process computes,
/// and which processes may take turns row by row.
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
    /// Of each field: whether it is written and read within one group, by nobody's neighbour.
    std::vector<bool> local;
    /// Of each field: groups; what is written before it is read holds nothing before and after.
    std::vector<int> first_use, last_use;

    /// fields[p][i]: the number of the i-th field of process p. constant: never written, valid
    /// everywhere. rotations: cycles of fields {before, now, after} that change places after a
    /// step. compute_in_halo and group are switched off by tests and measurements only.
    Schedule(const std::vector<Process>&, const std::vector<std::vector<int>>& fields,
             const std::vector<bool>& constant, const std::vector<std::vector<int>>& rotations,
             int halo, bool compute_in_halo, bool group);
};

}  // namespace fathom
