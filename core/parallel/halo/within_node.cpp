/// Transports through memory that the ranks of a node share.
#include <cstring>
#include "parallel/halo/places.hpp"
#include "parallel/window.hpp"

namespace fathom {

namespace {

/// Within a node: through memory of the sender that the receiver can read; between nodes: messages.
/// Each rank has two outgoing buffers, and two numbers for each neighbour: the last exchange that
/// it has written for the neighbour, and the last that it has read from it.
template <class Memory> struct WithinNode : Transport {
    struct Link {  // flag: the other side's; there: first word of the message in a buffer of `size`
        std::size_t part;
        int rank;
        Word* flag;
        std::size_t there = 0, size = 0;
    };
    MPI_Comm comm;
    Parts parts;
    std::size_t size;
    Memory memory;
    std::vector<std::byte> received;
    std::vector<Link> readers, writers;
    std::vector<std::size_t> far_sends, far_receives;
    std::vector<MPI_Request> requests;
    Word count = 0;
    WithinNode(MPI_Comm comm, const Parts& p)
        : comm(comm),
          parts(p),
          size(words(p.outgoing)),
          memory(comm, words(8 * (2 * size + p.sends.size() + p.receives.size()))),
          received(p.incoming) {
        in = received.data();
        const std::size_t read = 2 * size, written = read + parts.receives.size();
        const auto at = tell(comm, parts.sends, offsets(parts.sends), parts.receives),
                   sizes = tell(comm, parts.sends, std::vector(parts.sends.size(), size),
                                parts.receives);
        const auto written_there =
                       tell(comm, parts.sends, places(parts.sends, written, 1), parts.receives),
                   read_there =
                       tell(comm, parts.receives, places(parts.receives, read, 1), parts.sends);
        for (std::size_t n = 0; n < parts.sends.size(); ++n) {
            const int r = memory.node->within(parts.sends[n].rank);
            if (r < 0)
                far_sends.push_back(n);
            else
                readers.push_back({n, r, memory.of(r) + read_there[n]});
        }
        for (std::size_t n = 0; n < parts.receives.size(); ++n) {
            const int r = memory.node->within(parts.receives[n].rank);
            if (r < 0)
                far_receives.push_back(n);
            else
                writers.push_back({n, r, memory.of(r) + written_there[n], at[n], sizes[n]});
        }
        requests.resize(far_sends.size() + far_receives.size());
    }
    Word* own(std::size_t at) { return memory.of(memory.node->rank) + at; }
    const std::byte* message(const Link& l) const {
        return (const std::byte*)(memory.of(l.rank) + count % 2 * l.size + l.there);
    }
    void has_read(const Link& l) { NodeRanks::signal(own(2 * size + l.part), count); }
    void post() override {
        ++count;
        out = (std::byte*)own(count % 2 * size);
        for (std::size_t n = 0; n < far_receives.size(); ++n) {
            auto& r = parts.receives[far_receives[n]];
            MPI_Irecv(in + r.offset, int(r.bytes), MPI_BYTE, r.rank, 0, comm, &requests[n]);
        }
        if (count > 2)
            for (auto& l : readers) memory.node->await(l.flag, count - 2);
    }
    void send() override {
        for (auto& l : readers)
            NodeRanks::signal(own(2 * size + parts.receives.size() + l.part), count);
        for (std::size_t n = 0; n < far_sends.size(); ++n) {
            auto& s = parts.sends[far_sends[n]];
            MPI_Isend(out + s.offset, int(s.bytes), MPI_BYTE, s.rank, 0, comm,
                      &requests[far_receives.size() + n]);
        }
    }
    void wait() override {
        for (auto& l : writers) {
            memory.node->await(l.flag, count);
            arrived_near(l);
        }
        if (!requests.empty())
            MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
    virtual void arrived_near(const Link&) = 0;
    void copy(const Link& l) {
        auto& r = parts.receives[l.part];
        std::memcpy(in + r.offset, message(l), r.bytes);
    }
};

/// The receiver copies its part out of the buffer of the sender.
struct Shared final : WithinNode<SharedWindow> {
    using WithinNode::WithinNode;
    void arrived_near(const Link& l) override { copy(l), has_read(l); }
};

/// The receiver unpacks from the sender's buffer, and reports it when the next exchange begins.
struct Mapped final : WithinNode<MappedMemory> {
    std::vector<const std::byte*> lies;  // of each receive
    Mapped(MPI_Comm c, const Parts& p) : WithinNode(c, p) {
        for (auto& r : parts.receives) lies.push_back(in + r.offset);
    }
    void post() override {
        for (auto& l : writers) has_read(l);  // of the exchange before
        WithinNode::post();
    }
    void arrived_near(const Link& l) override { lies[l.part] = message(l); }
    bool in_place() const override { return true; }
    const std::byte* place(std::size_t n) const override { return lies[n]; }
    void collect() override {
        for (auto& l : writers) copy(l);
    }
};

constexpr TransportKind kinds[] = {
    {"shared",
     "copies from the neighbours' buffers, shared within the node; messages between nodes",
     make_transport<Shared>},
    {"mapped",
     "unpacks from the neighbours' buffers, in memory that the node maps without MPI; messages "
     "between nodes",
     make_transport<Mapped>},
};

}  // namespace

std::span<const TransportKind> node_transports() { return kinds; }

}  // namespace fathom
