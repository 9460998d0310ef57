/// The protocol of output servers (core/output) on ranks without a model, on real ones or on
/// thousands that are simulated: ranks that compute hand over numbers which tell what they are,
/// servers count them instead of writing. Whether each number of each event has arrived once, and
/// nothing else; what is kept on a rank. No Python, no threads.
///
///     output_on_ranks  sets  servers of a set  slots  times  microseconds of a step  of a
///         rectangle that is written  wait | synchronous
#include <unistd.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include "output/client.hpp"
#include "output/server.hpp"

using namespace fathom;

namespace {

constexpr int side = 8, halo = 2;  // of a block
struct Size {
    int sets, per_set, slots, times, step, writing;
    bool wait;
};

/// A world of two thirds water in blocks of 8 x 8, as many with water as ranks that compute, or
/// somewhat more.
const Decomposition& world(int ranks) {
    static const Decomposition d = [&] {  // one for all ranks that are simulated
        const int n = side * int(std::ceil(std::sqrt(2.2 * ranks + 4)));
        std::vector<int> wet;
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                wet.push_back(std::sin(12. * i / n) * std::cos(9. * j / n) > -0.25);
        return decompose({n, n, true, false}, wet, ranks, {side, side, "space-filling", halo});
    }();
    return d;
}

/// Two streams for any set, one that has a separate set; chunks distributed to the servers of a
/// set.
std::vector<OutputStream> streams(const Decomposition& d, const Size& size) {
    auto chunks = [&](int length, int owners) {
        std::vector<Rectangle> list;
        const Topology& t = d.topology;
        for (int j = 0; j < t.ny; j += length)
            for (int i = 0; i < t.nx; i += length)
                list.push_back({i, j, std::min(length, t.nx - i), std::min(length, t.ny - j),
                                int(list.size()) % owners});
        return list;
    };
    auto item = [](int levels) { return Packing::Item{Horizontal::center, false, 0, levels}; };
    const auto fine = chunks(60, size.per_set), whole = chunks(d.topology.nx, 1);
    return {{8, {item(3), item(1)}, {fine, fine}},
            {4, {item(2)}, {fine}},
            {4, {item(1)}, {whole}, size.sets - 1}};
}
int every(int stream) { return stream + 1; }

std::uint32_t code(const OutputEvent& e, int item, int level, int j, int i) {
    std::uint64_t x = 0;
    for (std::uint64_t part : {std::uint64_t(e.stream), std::uint64_t(e.time), std::uint64_t(item),
                               std::uint64_t(level), std::uint64_t(j), std::uint64_t(i)})
        x = (x ^ part) * 0x9e3779b97f4a7c15, x ^= x >> 29;
    return 1 + (x & 0x7fffff);  // exact as float
}
void set(std::byte* at, int bytes, std::size_t n, std::uint32_t x) {
    if (bytes == 4)
        ((float*)at)[n] = float(x);
    else
        ((double*)at)[n] = x;
}
double get(const std::byte* at, int bytes, std::size_t n) {
    return bytes == 4 ? ((const float*)at)[n] : ((const double*)at)[n];
}

/// Of each time of each stream: numbers, and the sum of their codes.
struct Tally {
    int times;
    std::vector<std::uint64_t> numbers, sums;
    explicit Tally(int times) : times(times), numbers(3 * times), sums(3 * times) {}
    void count(const OutputEvent& e, std::uint32_t x) {
        ++numbers[e.stream * times + e.time], sums[e.stream * times + e.time] += x;
    }
    Tally& operator+=(const Tally& other) {
        for (std::size_t n = 0; n < sums.size(); ++n)
            numbers[n] += other.numbers[n], sums[n] += other.sums[n];
        return *this;
    }
    void total() {
        for (auto* list : {&numbers, &sums}) {
            std::vector<std::uint64_t> all(list->size());
            MPI_Allreduce(list->data(), all.data(), int(all.size()), MPI_UINT64_T, MPI_SUM,
                          MPI_COMM_WORLD);
            *list = all;
        }
    }
    bool operator==(const Tally&) const = default;
};

struct Found {  ///< by one rank
    Tally sent, arrived;
    long wrong = 0, visible = 0, fallback = 0, posted = 0, depth = 0, queue = 0, plan = 0,
         server_plan = 0, slots = 0;
    explicit Found(int times) : sent(times), arrived(times) {}
};

/// The numbers that a rank hands over for an event, block by block.
struct Numbers {
    std::vector<FieldSlab> fields;
    std::vector<std::vector<std::byte>> memory;
    Tally tally;

    Numbers(const OutputEvent& e, const OutputStream& stream,
            const std::vector<const Block*>& blocks, int times)
        : tally(times) {
        for (int n = 0; n < int(stream.items.size()); ++n) {
            const int levels = stream.items[n].levels;
            FieldSlab f{{}, {}, {}, levels};
            for (auto* b : blocks) {
                const int columns = b->nx + 2 * halo, row = columns * levels;
                auto& block =
                    memory.emplace_back(std::size_t(row) * (b->ny + 2 * halo) * stream.bytes);
                fill(block.data(), e, n, *b, stream);
                f.at.push_back(block.data()), f.row.push_back(row), f.level.push_back(columns);
            }
            fields.push_back(std::move(f));
        }
    }

    void fill(std::byte* block, const OutputEvent& e, int item, const Block& b,
              const OutputStream& stream) {
        const int levels = stream.items[item].levels, columns = b.nx + 2 * halo;
        for (int j = 0; j < b.ny; ++j)
            for (int k = 0; k < levels; ++k)
                for (int i = 0; i < b.nx; ++i) {
                    const auto x = code(e, item, k, b.j0 + j, b.i0 + i);
                    set(block, stream.bytes,
                        std::size_t(j + halo) * columns * levels + k * columns + i + halo, x);
                    tally.count(e, x);
                }
    }
};

void compute(const Roles& r, const Decomposition& d, const Size& size, Found& found) {
    int rank;
    MPI_Comm_rank(r.own, &rank);
    auto list = streams(d, size);
    OutputClient client(r, d, halo, list, size.slots);
    const auto blocks = d.of(rank);
    for (int step = 0; step < size.times; ++step) {
        for (int s = 0; s < int(list.size()); ++s) {
            if (step % every(s)) continue;
            OutputEvent e;
            e.stream = s, e.time = step / every(s);
            const Numbers own(e, list[s], blocks, size.times);
            found.sent += own.tally;
            client.grant(e, size.wait ? std::numeric_limits<double>::infinity() : 0);
            if (e.slot >= 0)
                client.post(e, own.fields), ++found.posted;
            else {
                found.arrived += own.tally;
                MPI_Barrier(r.own);
                if (rank == 0) client.wrote(e), ++found.fallback;
            }
        }
        usleep(size.step + rank % 7 * size.step / 20);  // not in step
    }
    while (true) {
        int idle = rank == 0 && client.idle();
        MPI_Bcast(&idle, 1, MPI_INT, 0, r.own);
        if (idle) break;
        usleep(size.step);
    }
    found.depth = long(client.quantities.depth.most), found.plan = long(client.plan_bytes()),
    found.slots = long(size.slots * client.slot_bytes());
    client.finish();
}

void serve(const Roles& r, const Decomposition& d, const Size& size, Found& found) {
    OutputServer server(r, d, halo, streams(d, size));
    std::vector<std::int64_t> next(3);
    while (!server.done()) {
        if (!server.poll()) usleep(20);
        while (auto* job = server.next()) {
            const auto& e = job->event;
            const int bytes = server.bytes(int(e.stream));
            for (int n = 0; n < int(job->slabs.size()); ++n) {
                const auto& rectangles = server.rectangles(int(e.stream), n);
                for (std::size_t m = 0; m < rectangles.size(); ++m) {
                    const auto& [i0, j0, nx, ny, owner] = rectangles[m];
                    for (int j = 0; j < ny; ++j)
                        for (int k = 0; k < job->slabs[n].levels; ++k)
                            for (int i = 0; i < nx; ++i) {
                                if (!d.at(i0 + i, j0 + j)) continue;
                                const auto x =
                                    get(job->slabs[n].at[m], bytes,
                                        std::size_t(j * job->slabs[n].levels + k) * nx + i);
                                found.wrong += x != code(e, n, k, j0 + j, i0 + i);
                                found.arrived.count(e, std::uint32_t(x));
                            }
                    usleep(size.writing);
                }
            }
            server.written(job);
        }
        while (const auto e = server.due()) {
            found.wrong += e->time != next[e->stream]++;
            server.visible(*e), ++found.visible;
        }
    }
    found.queue = long(server.quantities.queue.most), found.server_plan = long(server.plan_bytes());
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc != 8)
        return std::fputs(
                   "give sets, servers of a set, slots, times, microseconds of a step and of a "
                   "rectangle, wait or synchronous\n",
                   stderr),
               2;
    const Size size{std::atoi(argv[1]),
                    std::atoi(argv[2]),
                    std::atoi(argv[3]),
                    std::atoi(argv[4]),
                    std::atoi(argv[5]),
                    std::atoi(argv[6]),
                    std::string(argv[7]) == "wait"};
    const Roles r = roles(MPI_COMM_WORLD, size.sets * size.per_set, size.per_set);
    const Decomposition& d = world(r.computing);
    Found found(size.times);
    if (r.server >= 0)
        serve(r, d, size, found);
    else
        compute(r, d, size, found);

    found.sent.total(), found.arrived.total();
    long events = 0;
    for (int s = 0; s < 3; ++s) events += (size.times + every(s) - 1) / every(s);
    const long sums[] = {found.wrong, found.visible, found.fallback},
               mosts[] = {found.posted, found.depth,       found.queue,
                          found.plan,   found.server_plan, found.slots};
    long sum[3], most[6];
    MPI_Allreduce(sums, sum, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(mosts, most, 6, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    const bool right = found.sent == found.arrived && sum[0] == 0 && sum[1] == events &&
                       most[0] + sum[2] == events;
    std::uint64_t numbers = 0;
    for (auto n : found.arrived.numbers) numbers += n;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        std::printf(
            "{\"right\": %s, \"computing\": %d, \"servers\": %d, \"grid\": %d, \"events\": %ld, "
            "\"numbers\": %llu, \"wrong\": %ld, \"visible\": %ld, \"posted\": %ld, \"fallback\": "
            "%ld, "
            "\"deepest\": %ld, \"queue\": %ld, \"plan_bytes\": %ld, \"slot_bytes\": %ld, "
            "\"server_plan_bytes\": %ld}\n",
            right ? "true" : "false", r.computing, int(r.servers.size()), d.topology.nx, events,
            (unsigned long long)numbers, sum[0], sum[1], most[0], sum[2], most[1], most[2], most[3],
            most[5], most[4]);
    MPI_Finalize();
    return !right;
}
