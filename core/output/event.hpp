/// Messages between the two sides of output, and the order in which times become visible.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <span>
#include <vector>
#include "output/roles.hpp"
#include "parallel/halo/packing.hpp"

namespace fathom {

/// One time of a stream.
struct OutputEvent {
    std::int64_t number = -1;           ///< of all events, counted from 0
    std::int64_t stream = 0, time = 0;  ///< position of the stream; of the time in its store
    /// The writer. set -1: the computing ranks themselves; slot -1: no slot is free.
    std::int64_t slot = -1, set = -1;
    std::int64_t steps = 1;  ///< sums are divided by it
    /// This many times of all streams must be visible before this one. To be granted with -1: all
    /// that were handed over earlier.
    std::int64_t after = 0;
    double seconds = 0, begin = 0, end = 0;  ///< model time; bounds of a mean
};

/// What a stream sends each time: fields, and the rectangles made of each; `owner` is a server's
/// position in its set.
struct OutputStream {
    int bytes;  ///< of a number
    std::vector<Packing::Item> items;
    std::vector<std::vector<Rectangle>> rectangles;  ///< of each item
    int set = -1;                                    ///< the only one that may write it; -1: any
    /// How many times its store holds already; -1: its events need not become visible in order.
    std::int64_t times = 0;
};

namespace message {
enum Tag { ready = 1, staged, written, noted, end, goodbye };
}

/// Message of a computing rank to a server: the event, and where in its window the server's part
/// lies [words], how many bytes.
struct Ready {
    OutputEvent event;
    std::uint64_t at = 0, bytes = 0;
};

/// Events sent to one rank, the first server, which may have stopped answering: only a few are sent
/// before it answers `noted`, because unread messages fill the buffers in which a rank sends to all
/// others.
class Outbox {
public:
    Outbox(MPI_Comm comm, int to) : comm(comm), to(to) {}
    void written(const OutputEvent&);
    void noted();  ///< one was read
    bool empty() const { return waiting.empty() && unread == 0; }

private:
    struct Letter {
        OutputEvent event;
        MPI_Request request;
    };
    MPI_Comm comm;
    int to, unread = 0;
    std::deque<OutputEvent> waiting;
    std::list<Letter> under_way;
    void send();
};

/// Words of a computing rank's window before its slots; those of the first rank hold a counter of
/// each server as a sign of life, then how many times are visible.
inline std::size_t header_words(const Roles& r) { return (r.servers.size() + 1 + 7) / 8 * 8; }

/// What a rank sends and receives of a stream: computing ranks by their own numbers, servers by
/// theirs in the set, after those.
Packing packing(const OutputStream&, const Decomposition&, int halo, int rank);

/// Which times of each store may be made visible: those that all their writers have written, in
/// order, and after all times that they depend on.
class Ledger {
public:
    Ledger(std::span<const OutputStream> streams, int per_set) : per_set(per_set) {
        for (auto& s : streams) next.push_back(s.times);
    }
    void note(const OutputEvent&);  ///< one writer has written its part
    std::optional<OutputEvent> due() const;
    void visible(const OutputEvent&);
    bool empty() const { return open.empty(); }
    std::set<std::int64_t> numbers() const {
        std::set<std::int64_t> all;
        for (auto& x : open) all.insert(x.event.number);
        return all;
    }
    std::int64_t shown = 0;  ///< times that have become visible

private:
    struct Entry {
        OutputEvent event;
        int writers;
    };
    int per_set;
    std::vector<Entry> open;
    std::vector<std::int64_t> next;  ///< time of each stream
};

}  // namespace fathom
