/// Memory that other ranks write into: words of 64 bits. Window: by MPI's passive one-sided calls,
/// from anywhere. SharedWindow: of the ranks of a node, by loads and stores.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
#include "parallel/mpi.hpp"
#include "parallel/node.hpp"

namespace fathom {

class Window {
public:
    /// size: words of this rank's part; reaches: whether it will put or get, not only offer its
    /// own. All ranks construct and destroy together.
    Window(MPI_Comm comm, std::size_t size, bool reaches = true) : comm(comm), reaches(reaches) {
        MPI_Comm_rank(comm, &rank);
        MPI_Win_allocate(MPI_Aint(size * sizeof(std::uint64_t)), sizeof(std::uint64_t),
                         MPI_INFO_NULL, comm, &memory, &window);
#pragma omp parallel for schedule( \
        static) if (size > large)  // pages lie near the threads that fill them
        for (std::size_t n = 0; n < size; ++n) memory[n] = 0;
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
        int *flavour = nullptr, found = 0;
        MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavour, &found);
        allocated = found && *flavour == MPI_WIN_FLAVOR_ALLOCATE;
#endif
        if (reaches)
            MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
        else
            MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, window);
        MPI_Win_sync(window);
        MPI_Barrier(comm);  // no rank reaches into memory that is not yet there
    }
    ~Window() {
        int over;
        MPI_Finalized(&over);
        if (over) return;
        if (reaches)
            MPI_Win_unlock_all(window);
        else
            MPI_Win_unlock(rank, window);
        MPI_Win_free(&window);
    }
    Window(const Window&) = delete;

    std::uint64_t* own() { return memory; }
    void put(std::span<const std::uint64_t> from, int target, std::size_t at) {
        MPI_Put(from.data(), int(from.size()), MPI_UINT64_T, target, MPI_Aint(at), int(from.size()),
                MPI_UINT64_T, window);
    }
    void get(std::span<std::uint64_t> to, int target, std::size_t at) {
        MPI_Get(to.data(), int(to.size()), MPI_UINT64_T, target, MPI_Aint(at), int(to.size()),
                MPI_UINT64_T, window);
        flush(target);
    }
    /// The part of a rank whose memory can be read from here, within a node; nullptr of others.
    const std::uint64_t* near(int target) const {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
        MPI_Aint bytes = 0;
        int unit;
        std::uint64_t* at = nullptr;
        if (allocated && MPI_Win_shared_query(window, target, &bytes, &unit, &at) == MPI_SUCCESS &&
            bytes > 0)
            return at;
#else
        (void)target;
#endif
        return nullptr;
    }
    /// Each word is seen whole.
    void replace(std::span<const std::uint64_t> from, int target, std::size_t at) {
        MPI_Accumulate(from.data(), int(from.size()), MPI_UINT64_T, target, MPI_Aint(at),
                       int(from.size()), MPI_UINT64_T, MPI_REPLACE, window);
    }
    /// Adds to a word, as one act for all ranks; returns what it was. 0 only looks.
    std::uint64_t fetch_add(int target, std::size_t at, std::uint64_t by) {
        std::uint64_t before;
        MPI_Fetch_and_op(&by, &before, MPI_UINT64_T, target, MPI_Aint(at), by ? MPI_SUM : MPI_NO_OP,
                         window);
        flush(target);
        return before;
    }
    void flush(int target) { MPI_Win_flush(target, window); }  ///< all that was put is there
    /// After what was put before: a word that the target waits for.
    void signal(int target, std::size_t at, std::uint64_t value) {
        flush(target);
        replace({&value, 1}, target, at);
        flush(target);
    }
    void see() { MPI_Win_sync(window); }
    void progress() {
        int any;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &any, MPI_STATUS_IGNORE);
        see();
    }
    std::uint64_t load(std::size_t at) const {
        return std::atomic_ref(memory[at]).load(std::memory_order_acquire);
    }
    void store(std::size_t at, std::uint64_t value) {
        std::atomic_ref(memory[at]).store(value, std::memory_order_release);
    }
    void await(std::size_t at, std::uint64_t value) {
        spin([&] { return load(at) == value; }, [&] { progress(); });
    }

private:
    static constexpr std::size_t large = 1 << 20;
    MPI_Comm comm;
    MPI_Win window;
    std::uint64_t* memory;
    int rank;
    bool reaches, allocated = false;  ///< allocated: by MPI as memory that may be shared
};

class SharedWindow {
public:
    const std::shared_ptr<const NodeRanks> node;

    SharedWindow(MPI_Comm comm, std::size_t size) : node(NodeRanks::of(comm)) {
        std::uint64_t* mine;
        MPI_Win_allocate_shared(MPI_Aint(size * sizeof(std::uint64_t)), sizeof(std::uint64_t),
                                MPI_INFO_NULL, node->node, &mine, &window);
        for (std::size_t n = 0; n < size; ++n) mine[n] = 0;
        for (int r = 0; r < node->ranks; ++r) {
            MPI_Aint bytes;
            int unit;
            std::uint64_t* at;
            MPI_Win_shared_query(window, r, &bytes, &unit, &at);
            parts.push_back(at);
        }
        MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
        MPI_Win_sync(window);
        MPI_Barrier(comm);  // no rank reaches into memory that is not yet there
    }
    ~SharedWindow() {
        int over;
        MPI_Finalized(&over);
        if (over) return;
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
    }
    SharedWindow(const SharedWindow&) = delete;

    std::uint64_t* of(int r) const { return parts[r]; }

private:
    MPI_Win window;
    std::vector<std::uint64_t*> parts;
};

}  // namespace fathom
