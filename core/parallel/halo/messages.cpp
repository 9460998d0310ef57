#include "parallel/halo/messages.hpp"
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include "base/error.hpp"
#include "parallel/window.hpp"

namespace fathom {

namespace {

using Word = std::uint64_t;

/// Its own buffers, and a list of requests.
struct Messages : Transport {
    MPI_Comm comm;
    Parts parts;
    std::vector<std::byte> sent, received;
    std::vector<MPI_Request> requests;
    Messages(MPI_Comm comm, const Parts& p)
        : comm(comm),
          parts(p),
          sent(p.outgoing),
          received(p.incoming),
          requests(p.sends.size() + p.receives.size(), MPI_REQUEST_NULL) {
        out = sent.data(), in = received.data();
    }
    void wait() override {
        if (!requests.empty())
            MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
};

struct Packed : Messages {
    using Messages::Messages;
    void post() override {
        for (std::size_t n = 0; n < parts.receives.size(); ++n) {
            auto& r = parts.receives[n];
            MPI_Irecv(in + r.offset, int(r.bytes), MPI_BYTE, r.rank, 0, comm, &requests[n]);
        }
    }
    void send_message(std::size_t n) override {
        auto& s = parts.sends[n];
        MPI_Isend(out + s.offset, int(s.bytes), MPI_BYTE, s.rank, 0, comm,
                  &requests[parts.receives.size() + n]);
    }
    void send() override {
        std::size_t first = 0, under_way = 0;
        for (std::size_t n = 0; n < parts.sends.size(); ++n) {
            under_way += parts.sends[n].bytes;
            if (in_flight && under_way > in_flight && n > first) {
                MPI_Waitall(int(n - first), &requests[parts.receives.size() + first],
                            MPI_STATUSES_IGNORE);
                first = n, under_way = parts.sends[n].bytes;
            }
            send_message(n);
        }
    }
};

/// Receives one message after another, in the order of the neighbours, after all are sent.
struct Blocking : Packed {
    using Packed::Packed;
    void post() override {}
    void wait() override {
        for (auto& r : parts.receives)
            MPI_Recv(in + r.offset, int(r.bytes), MPI_BYTE, r.rank, 0, comm, MPI_STATUS_IGNORE);
        Packed::wait();
    }
};

/// MPI copies messages into a buffer that all exchanges share. Each exchange has room for its
/// messages and for the previous ones, which a slow neighbour may not have received yet.
struct Buffered final : Blocking {
    static inline std::vector<std::byte> pool;
    static inline std::size_t wanted = 0;
    std::size_t own = 0;
    Buffered(MPI_Comm c, const Parts& p) : Blocking(c, p) {
        for (auto& s : p.sends) own += 3 * (s.bytes + MPI_BSEND_OVERHEAD + 64);
        attach(wanted + own);
    }
    ~Buffered() {
        int over;
        MPI_Finalized(&over);
        if (!over) attach(wanted - own);
    }
    static void attach(std::size_t bytes) {
        void* old;
        int size;
        if (wanted) MPI_Buffer_detach(&old, &size);  // waits until all are sent
        wanted = bytes, pool.resize(bytes);
        if (wanted) MPI_Buffer_attach(pool.data(), int(wanted));
    }
    void send_message(std::size_t n) override {
        auto& s = parts.sends[n];
        MPI_Bsend(out + s.offset, int(s.bytes), MPI_BYTE, s.rank, 0, comm);
    }
};

struct Overlapped final : Packed {
    using Packed::Packed;
    bool overlaps() const override { return true; }
    int arrived() override {
        int which = MPI_UNDEFINED;
        if (!parts.receives.empty())
            MPI_Waitany(int(parts.receives.size()), requests.data(), &which, MPI_STATUS_IGNORE);
        if (which != MPI_UNDEFINED) return which;
        wait();  // for the sends
        return -1;
    }
};

/// Nothing is packed here: derived datatypes tell the library where the numbers lie.
struct Datatypes final : Messages {
    using Types = std::vector<MPI_Datatype>;
    std::map<std::vector<const std::byte*>, Types> of;  // fields that change places return
    std::vector<const std::byte*> now;
    using Messages::Messages;
    ~Datatypes() {
        int over;
        MPI_Finalized(&over);
        if (!over)
            for (auto& [at, types] : of)
                for (auto& type : types) MPI_Type_free(&type);
    }
    bool packs() const override { return false; }
    bool knows(std::span<const std::byte* const> at) override {
        now.assign(at.begin(), at.end());
        return of.contains(now);
    }
    void pieces(std::span<const std::vector<Piece>> sends) override {
        Types& types = of[now];
        for (auto& list : sends) {
            std::vector<int> bytes;
            std::vector<MPI_Aint> at;
            for (auto& p : list) {
                bytes.push_back(p.bytes);
                MPI_Get_address(p.at, &at.emplace_back());
            }
            MPI_Type_create_hindexed(int(bytes.size()), bytes.data(), at.data(), MPI_BYTE,
                                     &types.emplace_back());
            MPI_Type_commit(&types.back());
        }
    }
    void post() override {
        for (std::size_t n = 0; n < parts.receives.size(); ++n) {
            auto& r = parts.receives[n];
            MPI_Irecv(in + r.offset, int(r.bytes), MPI_BYTE, r.rank, 0, comm, &requests[n]);
        }
    }
    void send() override {
        for (std::size_t n = 0; n < parts.sends.size(); ++n)
            MPI_Isend(MPI_BOTTOM, 1, of[now][n], parts.sends[n].rank, 0, comm,
                      &requests[parts.receives.size() + n]);
    }
};

struct Persistent final : Messages {
    Persistent(MPI_Comm c, const Parts& p) : Messages(c, p) {
        MPI_Request* request = requests.data();
        for (auto& r : parts.receives)
            MPI_Recv_init(in + r.offset, int(r.bytes), MPI_BYTE, r.rank, 0, comm, request++);
        for (auto& s : parts.sends)
            MPI_Send_init(out + s.offset, int(s.bytes), MPI_BYTE, s.rank, 0, comm, request++);
    }
    ~Persistent() {
        int over;
        MPI_Finalized(&over);
        if (!over)
            for (auto& r : requests) MPI_Request_free(&r);
    }
    void post() override {
        if (!parts.receives.empty()) MPI_Startall(int(parts.receives.size()), requests.data());
    }
    void send() override {
        if (!parts.sends.empty())
            MPI_Startall(int(parts.sends.size()), requests.data() + parts.receives.size());
    }
};

#if MPI_VERSION >= 4
/// Set up once, each message in parts that may be given away one by one (MPI 4, chapter 4). A
/// message is packed as a whole here, so all its parts are ready at once.
struct Partitioned final : Messages {
    static constexpr int most = 4;  ///< parts of a message
    static int number_of_parts(std::size_t bytes) { return bytes % (8 * most) ? 1 : most; }
    Partitioned(MPI_Comm c, const Parts& p) : Messages(c, p) {
        MPI_Request* request = requests.data();
        for (auto& r : parts.receives) {
            const int n = number_of_parts(r.bytes);
            MPI_Precv_init(in + r.offset, n, MPI_Count(r.bytes / n), MPI_BYTE, r.rank, 0, comm,
                           MPI_INFO_NULL, request++);
        }
        for (auto& s : parts.sends) {
            const int n = number_of_parts(s.bytes);
            MPI_Psend_init(out + s.offset, n, MPI_Count(s.bytes / n), MPI_BYTE, s.rank, 0, comm,
                           MPI_INFO_NULL, request++);
        }
    }
    ~Partitioned() {
        int over;
        MPI_Finalized(&over);
        if (!over)
            for (auto& r : requests) MPI_Request_free(&r);
    }
    void post() override {
        if (!requests.empty()) MPI_Startall(int(requests.size()), requests.data());
    }
    void send() override {
        for (std::size_t n = 0; n < parts.sends.size(); ++n)
            MPI_Pready_range(0, number_of_parts(parts.sends[n].bytes) - 1,
                             requests[parts.receives.size() + n]);
    }
};
#endif

struct Neighbourhood final : Messages {
    MPI_Comm graph;
    std::vector<int> from, to, receive_bytes, send_bytes, receive_at, send_at;
    MPI_Request request = MPI_REQUEST_NULL;
    Neighbourhood(MPI_Comm c, const Parts& p) : Messages(c, p) {
        for (auto& r : parts.receives)
            from.push_back(r.rank), receive_bytes.push_back(int(r.bytes)),
                receive_at.push_back(int(r.offset));
        for (auto& s : parts.sends)
            to.push_back(s.rank), send_bytes.push_back(int(s.bytes)),
                send_at.push_back(int(s.offset));
        MPI_Dist_graph_create_adjacent(comm, int(from.size()), from.data(), MPI_UNWEIGHTED,
                                       int(to.size()), to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &graph);
    }
    ~Neighbourhood() {
        int over;
        MPI_Finalized(&over);
        if (!over) MPI_Comm_free(&graph);
    }
    void post() override {}
    void send() override {
        MPI_Ineighbor_alltoallv(out, send_bytes.data(), send_at.data(), MPI_BYTE, in,
                                receive_bytes.data(), receive_at.data(), MPI_BYTE, graph, &request);
    }
    void wait() override { MPI_Wait(&request, MPI_STATUS_IGNORE); }
};

/// Exchanges one number for each message with its other side: sends `values` of the receives (or
/// sends); returns the numbers for the sends (or receives).
std::vector<std::size_t> tell(MPI_Comm comm, const std::vector<Transport::Part>& mine,
                              std::span<const std::size_t> values,
                              const std::vector<Transport::Part>& theirs) {
    std::vector<std::size_t> result(theirs.size());
    std::vector<MPI_Request> requests(mine.size() + theirs.size());
    for (std::size_t n = 0; n < theirs.size(); ++n)
        MPI_Irecv(&result[n], sizeof(std::size_t), MPI_BYTE, theirs[n].rank, 1, comm, &requests[n]);
    for (std::size_t n = 0; n < mine.size(); ++n)
        MPI_Isend(&values[n], sizeof(std::size_t), MPI_BYTE, mine[n].rank, 1, comm,
                  &requests[theirs.size() + n]);
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return result;
}
std::vector<std::size_t> offsets(const std::vector<Transport::Part>& parts) {
    std::vector<std::size_t> list;
    for (auto& p : parts) list.push_back(p.offset / sizeof(Word));
    return list;
}
std::vector<std::size_t> places(const std::vector<Transport::Part>& parts, std::size_t first,
                                std::size_t apart) {
    std::vector<std::size_t> list;
    for (std::size_t n = 0; n < parts.size(); ++n) list.push_back(first + apart * n);
    return list;
}
std::size_t words(std::size_t bytes) { return (bytes + 63) / 64 * 8; }

/// Incoming buffers in a window, which take turns.
struct Puts : Transport {
    MPI_Comm comm;
    Parts parts;
    std::size_t size;  // words of one buffer
    Window window;
    std::vector<std::byte> sent;
    // of each send: the place and the size of a buffer in the receiver's window
    std::vector<std::size_t> there, size_there;
    Word count = 0;
    unsigned buffers;
    Puts(MPI_Comm comm, const Parts& p, std::size_t flags, unsigned buffers = 2)
        : comm(comm),
          parts(p),
          size(words(p.incoming)),
          window(comm, buffers * size + flags),
          sent(p.outgoing),
          buffers(buffers) {
        there = tell(comm, parts.receives, offsets(parts.receives), parts.sends);
        size_there =
            tell(comm, parts.receives, std::vector(parts.receives.size(), size), parts.sends);
        out = sent.data();
    }
    void turn() { in = (std::byte*)(window.own() + ++count % buffers * size); }
    std::span<const Word> message(std::size_t n) const {
        auto& s = parts.sends[n];
        return {(const Word*)(out + s.offset), (s.bytes + 7) / 8};
    }
    std::size_t target(std::size_t n) const { return there[n] + count % buffers * size_there[n]; }
    void put(std::size_t n) { window.put(message(n), parts.sends[n].rank, target(n)); }
};

/// No rank sends before all have posted, and no rank reads before all have sent. Parts begin at
/// multiples of 16 bytes, so that a half word at the end overwrites nothing.
struct PutFence final : Puts {
    PutFence(MPI_Comm c, const Parts& p) : Puts(c, p, 0) {}
    bool meets() const override { return true; }
    void post() override { turn(); }
    void send() override {
        for (std::size_t n = 0; n < parts.sends.size(); ++n) put(n);
        for (auto& s : parts.sends) window.flush(s.rank);
    }
    void wait() override {
        MPI_Barrier(comm);  // all puts have arrived
        window.see();
    }
};

/// Other ranks write the flags; `apart` words lie from one to the next: 8, each in a cache line of
/// its own, or 1, side by side.
template <std::size_t apart> struct PutFlags final : Puts {
    std::vector<std::size_t> flag_there, free_there;
    // own: one for each receive, set when it is there; one for each send, set when its place is
    // free
    std::size_t flags, frees;
    PutFlags(MPI_Comm c, const Parts& p)
        : Puts(c, p, apart * (p.sends.size() + p.receives.size())),
          flags(2 * size),
          frees(flags + apart * p.receives.size()) {
        flag_there = tell(comm, parts.receives, places(parts.receives, flags, apart), parts.sends);
        free_there = tell(comm, parts.sends, places(parts.sends, frees, apart), parts.receives);
    }
    void post() override {
        turn();
        // the buffer of the next exchange is free
        for (std::size_t n = 0; n < parts.receives.size(); ++n)
            window.signal(parts.receives[n].rank, free_there[n], count + 1);
    }
    void send() override {
        for (std::size_t n = 0; n < parts.sends.size(); ++n) {
            if (count > 1)
                spin([&] { return window.load(frees + apart * n) >= count; },
                     [&] { window.progress(); });
            put(n);
            window.signal(parts.sends[n].rank, flag_there[n], count);
        }
    }
    /// The flag may already be that of the next exchange, which uses the other buffer.
    void wait() override {
        for (std::size_t n = 0; n < parts.receives.size(); ++n)
            spin([&] { return window.load(flags + apart * n) >= count; },
                 [&] { window.progress(); });
    }
};

/// No flags: a word has arrived when it is not the sentinel, whatever bits the data have. A message
/// travels XOR a key with which no word is the sentinel, zero as a rule; the key follows the words.
/// Three buffers take turns: the reader restores the sentinels of one when the next message of the
/// same neighbour is there, so the former has been completed and no word of it is written again.
/// The message after that tells the neighbour that the buffer is free; to one that gets no messages
/// a flag tells it.
struct PutSentinel final : Puts {
    static constexpr Word sentinel = 0x7ff4'dead'beef'f00d;
    static constexpr std::size_t apart = 8;
    std::size_t keys, frees;  // own: a key of each receive and buffer; a flag of each send
    std::vector<std::size_t> key_there, free_there, silent_sends, silent_receives;
    std::vector<Word> changed;
    PutSentinel(MPI_Comm c, const Parts& p)
        : Puts(c, p, 3 * apart * p.receives.size() + apart * p.sends.size(), 3),
          keys(3 * size),
          frees(keys + 3 * apart * p.receives.size()) {
        key_there =
            tell(comm, parts.receives, places(parts.receives, keys, 3 * apart), parts.sends);
        free_there = tell(comm, parts.sends, places(parts.sends, frees, apart), parts.receives);
        silent_sends = without_answer(parts.sends, parts.receives);
        silent_receives = without_answer(parts.receives, parts.sends);
        for (std::size_t n = 0; n < frees; ++n) window.store(n, sentinel);
        window.see();
        MPI_Barrier(comm);  // all have their sentinels
    }
    static std::vector<std::size_t> without_answer(const std::vector<Part>& some,
                                                   const std::vector<Part>& others) {
        std::vector<std::size_t> list;
        for (std::size_t n = 0; n < some.size(); ++n)
            if (std::ranges::none_of(others, [&](auto& o) { return o.rank == some[n].rank; }))
                list.push_back(n);
        return list;
    }
    std::size_t key(std::size_t n, Word turn) const { return keys + apart * (3 * n + turn % 3); }
    std::size_t first(std::size_t n, Word turn) const {
        return turn % 3 * size + parts.receives[n].offset / sizeof(Word);
    }
    std::size_t length(std::size_t n) const { return (parts.receives[n].bytes + 7) / 8; }
    void clear(Word turn) {
        for (std::size_t n = 0; n < parts.receives.size(); ++n) {
            for (std::size_t k = 0; k < length(n); ++k) window.store(first(n, turn) + k, sentinel);
            window.store(key(n, turn), sentinel);
        }
    }
    void post() override {
        turn();
        if (count > 2) clear(count - 2);
        for (std::size_t n : silent_receives)  // that buffer is free for the next exchange
            window.signal(parts.receives[n].rank, free_there[n], count + 1);
    }
    /// The words as they travel, and their key.
    Word hide(std::span<const Word> data) {
        const auto is_free = [&](Word key) {
            return key != sentinel && std::ranges::find(data, sentinel ^ key) == data.end();
        };
        Word key = 0;
        while (!is_free(key)) ++key;
        changed.assign(data.begin(), data.end());
        for (Word& word : changed) word ^= key;
        return key;
    }
    void send() override {
        if (count > 3)
            for (std::size_t n : silent_sends)
                spin([&] { return window.load(frees + apart * n) >= count; },
                     [&] { window.progress(); });
        for (std::size_t n = 0; n < parts.sends.size(); ++n) {
            const int rank = parts.sends[n].rank;
            const Word key = hide(message(n));
            window.replace(changed, rank, target(n));
            window.replace({&key, 1}, rank, key_there[n] + apart * (count % 3));
            window.flush(rank);
        }
    }
    Word seen(std::size_t at) {
        Word word;
        spin([&] { return (word = window.load(at)) != sentinel; }, [&] { window.progress(); });
        return word;
    }
    void wait() override {
        for (std::size_t n = 0; n < parts.receives.size(); ++n) {
            const Word hidden = seen(key(n, count));
            for (std::size_t k = 0; k < length(n); ++k) {
                const Word word = seen(first(n, count) + k);
                if (hidden) window.store(first(n, count) + k, word ^ hidden);
            }
        }
    }
};

/// Two outgoing buffers in a window, from which receivers get after a barrier. A rank packs a
/// buffer again only after the barrier that follows its last reading.
struct GetBarrier final : Transport {
    MPI_Comm comm;
    Parts parts;
    std::size_t size;
    Window window;
    std::vector<std::byte> received;
    std::vector<std::size_t> there, size_there;
    Word count = 0;
    GetBarrier(MPI_Comm comm, const Parts& p)
        : comm(comm),
          parts(p),
          size(words(p.outgoing)),
          window(comm, 2 * size),
          received(p.incoming) {
        there = tell(comm, parts.sends, offsets(parts.sends), parts.receives);
        size_there = tell(comm, parts.sends, std::vector(parts.sends.size(), size), parts.receives);
        in = received.data();
    }
    bool meets() const override { return true; }
    void post() override { out = (std::byte*)(window.own() + ++count % 2 * size); }
    void send() override { window.see(); }
    void wait() override {
        MPI_Barrier(comm);  // all have packed
        for (std::size_t n = 0; n < parts.receives.size(); ++n) {
            auto& r = parts.receives[n];
            window.get({(Word*)(in + r.offset), (r.bytes + 7) / 8}, r.rank,
                       there[n] + count % 2 * size_there[n]);
        }
    }
};

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

template <class Kind> std::unique_ptr<Transport> make(MPI_Comm comm, const Parts& parts) {
    return std::make_unique<Kind>(comm, parts);
}
constexpr TransportKind kinds[] = {
    {"packed", "one non-blocking message to each neighbour, receives posted first", make<Packed>},
    {"datatypes", "the same messages, gathered by the library from derived datatypes",
     make<Datatypes>},
    {"persistent", "packed messages, set up once", make<Persistent>},
#if MPI_VERSION >= 4
    {"partitioned", "persistent messages, in parts that are given away one by one",
     make<Partitioned>},
#endif
    {"blocking", "the same messages, received one after another", make<Blocking>},
    {"buffered", "copied by the library when they are sent, received one after another",
     make<Buffered>},
    {"neighbourhood", "MPI_Ineighbor_alltoallv on a graph of the neighbours", make<Neighbourhood>},
    {"put-fence", "put into the neighbours' windows, then everybody meets", make<PutFence>},
    {"put-flags", "put, then a flag that the neighbour waits for", make<PutFlags<8>>},
    {"put-flags-unpadded", "the same, with the flags of all neighbours side by side",
     make<PutFlags<1>>},
    {"put-sentinel",
     "put; a message has arrived when none of its words is a value that words in travel never have",
     make<PutSentinel>},
    {"get-barrier", "everybody meets, then get from the neighbours' windows", make<GetBarrier>},
    {"shared",
     "copies from the neighbours' buffers, shared within the node; messages between nodes",
     make<Shared>},
    {"mapped",
     "unpacks from the neighbours' buffers, in memory that the node maps without MPI; messages "
     "between nodes",
     make<Mapped>},
    {"overlapped",
     "packed messages, each sent once it is packed; what needs no halo is computed while they "
     "travel",
     make<Overlapped>, true},
};

}  // namespace

std::span<const TransportKind> transports() { return kinds; }
const TransportKind& transport(std::string_view name) {
    std::vector<std::string> names;
    for (auto& k : kinds)
        if (k.name == name)
            return k;
        else
            names.emplace_back(k.name);
    throw Error("unknown exchange '", name, "'", near(std::string(name), names));
}

}  // namespace fathom
