/// The ranks of a node, found once for each communicator; and memory that they map together
/// without MPI.
#pragma once
#include <sched.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>
#include "parallel/mpi.hpp"

namespace fathom {

/// Calls `arrived` until it is true. A waiting rank yields its processor after a while: there may
/// be more ranks than cores.
template <class F, class G> void spin(F arrived, G meanwhile) {
    for (int n = 0; !arrived(); ++n) {
        meanwhile();
        if (n > 200) sched_yield();
    }
}

struct NodeRanks {
    MPI_Comm all, node, leaders = MPI_COMM_NULL;  ///< leaders: the first rank of each node
    int rank, ranks, nodes = 0;                   ///< within the node; nodes: on the leaders
    bool alone;                                   ///< all ranks are on this node

    /// Of a communicator; collective for the first time, then known until it is freed.
    static std::shared_ptr<const NodeRanks> of(MPI_Comm);
    ~NodeRanks();
    NodeRanks(const NodeRanks&) = delete;
    int within(int rank) const;  ///< of the communicator: its number in the node; -1: elsewhere

    static void signal(std::uint64_t* at, std::uint64_t value) {
        std::atomic_ref(*at).store(value, std::memory_order_release);
    }
    /// Waits until the word has at least this value. Meanwhile MPI continues its messages.
    void await(std::uint64_t* at, std::uint64_t value) const {
        int n = 0, any;
        spin([&] { return std::atomic_ref(*at).load(std::memory_order_acquire) >= value; },
             [&] {
                 if (++n % 512 == 0)
                     MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all, &any, MPI_STATUS_IGNORE);
             });
    }

private:
    explicit NodeRanks(MPI_Comm);
    std::vector<int> numbers;
};

/// A part of words for each rank of a node, in a file that lies in memory and has no name: nothing
/// is left of it when the last rank ends, however it ends. All ranks construct together; Error
/// where those of a node cannot map the same file.
class MappedMemory {
public:
    MappedMemory(MPI_Comm, std::size_t words);
    ~MappedMemory();
    MappedMemory(const MappedMemory&) = delete;

    const std::shared_ptr<const NodeRanks> node;
    std::uint64_t* of(int rank) const { return at + first[rank]; }

private:
    std::uint64_t* at = nullptr;
    std::vector<std::size_t> first;  ///< word of each rank, and the end
    bool map(std::size_t words);
};

}  // namespace fathom
