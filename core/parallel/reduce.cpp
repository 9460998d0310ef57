#include "parallel/reduce.hpp"
#include <array>
#include <vector>

namespace fathom {

/// 128-bit totals travel as four limbs of 32 bits in 64-bit integers, so that 2^31 ranks cannot overflow them; carried once at the end.
void allreduce(MPI_Comm comm, std::span<ExactSum> sums) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    if (ranks == 1) return;
    constexpr std::size_t most = 16;
    using Limbs = std::array<std::int64_t, 5>;
    std::array<Limbs, most> limbs;
    for (; !sums.empty(); sums = sums.subspan(std::min(most, sums.size()))) {
        const std::size_t count = std::min(most, sums.size());
        for (std::size_t n = 0; n < count; ++n) {
            const __int128 t = sums[n].total;
            limbs[n] = {std::int64_t(t & 0xffffffff), std::int64_t(t >> 32 & 0xffffffff), std::int64_t(t >> 64 & 0xffffffff), std::int64_t(t >> 96), sums[n].bad};
        }
        MPI_Allreduce(MPI_IN_PLACE, limbs.data(), int(5 * count), MPI_INT64_T, MPI_SUM, comm);
        for (std::size_t n = 0; n < count; ++n) {
            const Limbs& l = limbs[n];
            sums[n].total = l[0] + ((__int128)l[1] << 32) + ((__int128)l[2] << 64) + ((__int128)l[3] << 96);
            sums[n].bad = l[4] > 0;
        }
    }
}

double exact_sum(MPI_Comm comm, std::span<const double> terms) {
    double largest = 0;
    bool finite = true;
    const std::ptrdiff_t count = std::ptrdiff_t(terms.size());
    #pragma omp parallel for reduction(max : largest) reduction(&& : finite) if (count > 100000)
    for (std::ptrdiff_t n = 0; n < count; ++n) {
        const double x = std::abs(terms[n]);
        finite = finite && x < std::numeric_limits<double>::infinity();
        largest = x > largest ? x : largest;
    }
    if (!finite) largest = std::numeric_limits<double>::infinity();
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (!std::isfinite(largest)) return std::numeric_limits<double>::quiet_NaN();
    ExactSum sum(SumUnit::for_largest(largest));
    constexpr std::ptrdiff_t lanes_of = register_lanes, chunk = lanes_of * ExactLanes::most;
    #pragma omp parallel if (count > 100000)
    {
        ExactSum mine(sum.unit);
        #pragma omp for schedule(static)
        for (std::ptrdiff_t begin = 0; begin < count; begin += chunk) {
            ExactLanes lanes(sum.unit);
            const std::ptrdiff_t end = std::min(begin + chunk, count);
            std::ptrdiff_t n = begin;
            for (; n + lanes_of <= end; n += lanes_of) lanes.add(ExactLanes::Real::load(&terms[n]));
            if (n < end) {
                double rest[lanes_of] = {};
                std::copy(&terms[n], terms.data() + end, rest);
                lanes.add(ExactLanes::Real::load(rest));
            }
            mine.add(lanes);
        }
        #pragma omp critical
        sum.add(mine);
    }
    allreduce(comm, {&sum, 1});
    return sum.value();
}

}  // namespace fathom
