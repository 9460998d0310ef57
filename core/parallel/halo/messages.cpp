#include "parallel/halo/messages.hpp"
#include <map>
#include <string>
#include "base/error.hpp"
#include "parallel/halo/places.hpp"

namespace fathom {

namespace {

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

constexpr TransportKind kinds[] = {
    {"packed", "one non-blocking message to each neighbour, receives posted first",
     make_transport<Packed>},
    {"datatypes", "the same messages, gathered by the library from derived datatypes",
     make_transport<Datatypes>},
    {"persistent", "packed messages, set up once", make_transport<Persistent>},
#if MPI_VERSION >= 4
    {"partitioned", "persistent messages, in parts that are given away one by one",
     make_transport<Partitioned>},
#endif
    {"blocking", "the same messages, received one after another", make_transport<Blocking>},
    {"buffered", "copied by the library when they are sent, received one after another",
     make_transport<Buffered>},
    {"neighbourhood", "MPI_Ineighbor_alltoallv on a graph of the neighbours",
     make_transport<Neighbourhood>},
    {"overlapped",
     "packed messages, each sent once it is packed; what needs no halo is computed while they "
     "travel",
     make_transport<Overlapped>, true},
};

}  // namespace

std::span<const TransportKind> transports() {
    static const auto all = [] {
        std::vector<TransportKind> list;
        for (auto some :
             {std::span<const TransportKind>(kinds), one_sided_transports(), node_transports()})
            list.insert(list.end(), some.begin(), some.end());
        return list;
    }();
    return all;
}
const TransportKind& transport(std::string_view name) {
    std::vector<std::string> names;
    for (auto& k : transports())
        if (k.name == name)
            return k;
        else
            names.emplace_back(k.name);
    throw Error("unknown exchange '", name, "'", near(std::string(name), names));
}

}  // namespace fathom
