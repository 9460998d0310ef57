#include "parallel/measure.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "parallel/halo/exchange.hpp"
#include "parallel/sums/global_sum.hpp"
#include "parallel/window.hpp"

namespace fathom {

namespace {

/// Seconds of one call.
template <class F> double seconds_of(MPI_Comm comm, int repetitions, F once) {
    constexpr int batches = 5;
    once();
    double least = 1e300;
    for (int batch = 0; batch < batches; ++batch) {
        MPI_Barrier(comm);
        const double start = MPI_Wtime();
        for (int n = 0; n < repetitions; ++n) once();
        double seconds = (MPI_Wtime() - start) / repetitions, slowest;
        MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
        least = std::min(least, slowest);
    }
    return least;
}

}  // namespace

double seconds_of_halo(MPI_Comm comm, std::string_view transport, int words, bool strided,
                       int repetitions) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
    constexpr int width = 4;  // of a rank's block, normal to its sides
    const int nx = strided ? width * ranks : words, ny = strided ? words : width * ranks;
    std::vector<int> i_cuts{0}, j_cuts{0}, owners;
    for (int r = 0; r < ranks; ++r)
        (strided ? i_cuts : j_cuts).push_back(width * (r + 1)), owners.push_back(r);
    (strided ? j_cuts : i_cuts).push_back(words);
    const Decomposition d =
        arrange({nx, ny, strided, false}, std::vector<int>(std::size_t(nx) * ny, 1), ranks, i_cuts,
                j_cuts, owners, 1);
    const Block& block = *d.of(rank).front();
    const std::ptrdiff_t row = block.nx + 2;
    std::vector<double> values(row * (block.ny + 2), rank);
    Exchange exchange(comm, d, 1, sizeof(double), {{Horizontal::center, false, 1, 1}}, transport);
    const FieldSlab slab{{(std::byte*)values.data()}, {row}, {std::ptrdiff_t(values.size())}, 1};
    return seconds_of(comm, repetitions, [&] {
        exchange.start({&slab, 1});
        exchange.finish({&slab, 1});
    });
}

double seconds_of_pairs(MPI_Comm comm, Pairs kind, int words, bool word_by_word, int repetitions) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
    const int other = rank ^ 1, messages = other < ranks ? word_by_word ? words : 1 : 0,
              each = word_by_word ? 1 : words;
    std::vector<std::uint64_t> here(words), there(words);
    std::vector<MPI_Request> requests(2 * messages);
    Window window(comm, words);
    std::uint64_t round = 0;
    const auto number = [&](int of) { return round * ranks + of; };
    // new numbers in each round, so that the receiver has none of them in its cache; not timed
    const auto change = [&] {
        ++round;
        std::fill(here.begin(), here.end(), number(rank));
        std::fill_n(window.own(), words, number(rank));
        window.see();
        MPI_Barrier(comm);
        window.see();
    };
    const auto travel = [&] {
        if (kind == Pairs::send) {
            for (int n = 0; n < messages; ++n)
                MPI_Irecv(&there[n * each], each, MPI_UINT64_T, other, 0, comm, &requests[n]);
            for (int n = 0; n < messages; ++n)
                MPI_Isend(&here[n * each], each, MPI_UINT64_T, other, 0, comm,
                          &requests[messages + n]);
            MPI_Waitall(2 * messages, requests.data(), MPI_STATUSES_IGNORE);
        } else
            for (int n = 0; n < messages; ++n)
                window.get({&there[n * each], std::size_t(each)}, other, n * each);
    };
    double least = 1e300;
    for (int batch = 0; batch < 5; ++batch) {
        double seconds = 0, slowest;
        for (int n = 0; n < repetitions; ++n) {
            change();
            const double start = MPI_Wtime();
            travel();
            seconds += MPI_Wtime() - start;
            if (messages && there != std::vector(words, number(other)))
                throw Error("what was sent to rank ", rank, " has not arrived");
            MPI_Barrier(comm);  // data that others read must not change yet
        }
        seconds /= repetitions;
        MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
        least = std::min(least, slowest);
    }
    return least;
}

double seconds_of_stream(MPI_Comm comm, int senders, int of_node, int away, int repetitions) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
    constexpr int burst = 64;  // messages under way at once
    const int to = (rank + away) % ranks, from = (rank + ranks - away % ranks) % ranks;
    const bool sends = rank % of_node < senders, receives = from % of_node < senders;
    std::vector<std::uint64_t> here(burst), there(burst);
    const double seconds = seconds_of(comm, repetitions, [&] {
        std::vector<MPI_Request> requests;
        requests.reserve(2 * burst);
        for (int n = 0; receives && n < burst; ++n)
            MPI_Irecv(&there[n], 1, MPI_UINT64_T, from, n, comm, &requests.emplace_back());
        for (int n = 0; sends && n < burst; ++n)
            MPI_Isend(&here[n], 1, MPI_UINT64_T, to, n, comm, &requests.emplace_back());
        MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    });
    return seconds / burst;
}

double seconds_of_sum(MPI_Comm comm, std::string_view name, int words, int times, int repetitions) {
    const auto sum = global_sum(name, comm);
    std::vector<double> values(words);
    return seconds_of(comm, repetitions, [&] {
        for (int n = 0; n < times; ++n) {
            std::fill(values.begin(), values.end(), 1.);
            sum->sum(std::span(values));
        }
    });
}

}  // namespace fathom
