#include "parallel/sums/reduce.hpp"
#include <array>
#include <vector>
#include "parallel/meeting.hpp"
#include "parallel/sums/several.hpp"

namespace fathom {

constexpr int limb = 43;

void pack(std::span<const ExactSum> sums, std::int64_t* words) {
    constexpr std::int64_t mask = (std::int64_t(1) << limb) - 1;
    for (auto& s : sums) {
        *words++ = std::int64_t(s.total & mask);
        *words++ = std::int64_t(s.total >> limb & mask);
        *words++ = std::int64_t(s.total >> 2 * limb);
        *words++ = s.bad;
    }
}

void unpack(const std::int64_t* words, std::span<ExactSum> sums) {
    for (auto& s : sums) {
        s.total = words[0] + ((__int128)words[1] << limb) + ((__int128)words[2] << 2 * limb);
        s.bad = words[3] > 0;
        words += sum_words;
    }
}

void allreduce(MPI_Comm comm, std::span<ExactSum> sums) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    if (ranks == 1) return;
    constexpr std::size_t most = 16;
    std::array<std::int64_t, most * sum_words> words;
    for (; !sums.empty(); sums = sums.subspan(std::min(most, sums.size()))) {
        const auto now = sums.first(std::min(most, sums.size()));
        pack(now, words.data());
        Meet meet(comm, double(sum_words * now.size() * sizeof(std::int64_t)));
        MPI_Allreduce(MPI_IN_PLACE, words.data(), int(sum_words * now.size()), MPI_INT64_T, MPI_SUM,
                      comm);
        unpack(words.data(), now);
    }
}

/// Adds terms with several threads.
static void add_terms(ExactSum& sum, std::span<const double> terms) {
    const std::ptrdiff_t count = std::ptrdiff_t(terms.size());
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
}

/// Of own terms; infinite if one is not finite.
static double largest_of(std::span<const double> terms) {
    double largest = 0;
    bool finite = true;
    const std::ptrdiff_t count = std::ptrdiff_t(terms.size());
#pragma omp parallel for reduction(max : largest) reduction(&& : finite) if (count > 100000)
    for (std::ptrdiff_t n = 0; n < count; ++n) {
        const double x = std::abs(terms[n]);
        finite = finite && x < std::numeric_limits<double>::infinity();
        largest = x > largest ? x : largest;
    }
    return finite ? largest : std::numeric_limits<double>::infinity();
}

/// Sums in the unit of the largest term of all ranks: these numbers become the sums. add(sum, n)
/// adds the terms of one. NaN if the largest is not finite.
template <class Add> static void in_their_unit(MPI_Comm comm, std::span<double> sums, Add add) {
    static const Region here("exact sum", "", "sum");
    Within within(here);
    for (double& x : sums)
        if (!std::isfinite(x)) x = std::numeric_limits<double>::infinity();
    {
        Meet meet(comm, double(sums.size_bytes()));
        MPI_Allreduce(MPI_IN_PLACE, sums.data(), int(sums.size()), MPI_DOUBLE, MPI_MAX, comm);
    }
    std::vector<ExactSum> exact;
    for (std::size_t n = 0; n < sums.size(); ++n) {
        exact.emplace_back(SumUnit::for_largest(std::isfinite(sums[n]) ? sums[n] : 1));
        if (std::isfinite(sums[n])) add(exact[n], n);
    }
    allreduce(comm, exact);
    for (std::size_t n = 0; n < sums.size(); ++n)
        sums[n] =
            std::isfinite(sums[n]) ? exact[n].value() : std::numeric_limits<double>::quiet_NaN();
}

double exact_sum(MPI_Comm comm, std::span<const double> terms) {
    double sum;
    exact_sums(comm, {{terms}}, {&sum, 1});
    return sum;
}

void exact_sums(MPI_Comm comm, std::initializer_list<std::span<const double>> terms,
                std::span<double> sums) {
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n] = largest_of(terms.begin()[n]);
    in_their_unit(comm, sums, [&](ExactSum& s, std::size_t n) { add_terms(s, terms.begin()[n]); });
}

double exact_sum(MPI_Comm comm, double largest, const std::function<Limbs(double, double)>& limbs) {
    in_their_unit(comm, {&largest, 1}, [&](ExactSum& sum, std::size_t) {
        sum.add(limbs(sum.unit.coarse(), sum.unit.fine()));
    });
    return largest;
}

}  // namespace fathom
