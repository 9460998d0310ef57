/// Sums with the same bits on any number of ranks, blocks and threads, in any order: integer
/// arithmetic.
///
///   x   = n1 u + n2 u 2^-40 + (less than u 2^-41),     n1, n2 integers,
///   sum = u sum(n1) + u 2^-40 sum(n2), rounded once.
/// n1 costs one addition: with M = 1.5 2^52 u the low bits of the floating-point number x + M are
/// n1, so the bit patterns are summed. u = 2^e is chosen from a number that all ranks know, so that
/// |x| < 2^51 u; a larger x, or one that is not a number, changes the exponent of x + M, which is
/// detected. The error of a sum is at most (number of terms) u 2^-41 before its one rounding.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include "base/pack.hpp"
#include "parallel/mpi.hpp"
#include "parallel/sums/limbs.hpp"
#include "parallel/sums/unit.hpp"

namespace fathom {

/// Number of values that one register holds: the compiler would keep more in memory, which is eight
/// times slower.
#if defined(__AVX512F__)
inline constexpr int register_lanes = 8;
#elif defined(__AVX__)
inline constexpr int register_lanes = 4;
#else
inline constexpr int register_lanes = 2;
#endif

/// A sum of packs, in registers. At most `most` additions, then ExactSum::add. Without n2 (`fine`)
/// a sum has the same bits in any order too, but an error of up to (number of terms) u / 2: enough
/// where the terms themselves are products of rounded numbers.
template <bool fine_> struct SumLanes {
    using Real = Pack<double, register_lanes>;
    typedef std::uint64_t Bits __attribute__((vector_size(sizeof(double) * register_lanes)));
    static constexpr int most = 2048;
    double coarse, fine;
    /// Sums of the bit patterns of all x + M and x - n1 u + M'; bits in which any x + M differed
    /// from M.
    Bits high{}, low{}, strange{};
    std::uint64_t count = 0;
    explicit SumLanes(SumUnit u) : coarse(u.coarse()), fine(u.fine()) {}
    void add(Real x) {
        const Real M(coarse), y = x + M;
        take(y);
        if constexpr (fine_) low += std::bit_cast<Bits>((x + (M - y) + Real(fine)).lanes);
    }
    /// y = coarse + x: for multiply-adds, each rounded to whole units: one instruction adds instead
    /// of two. Without n2 only.
    void take(Real y) {
        const Bits bits = std::bit_cast<Bits>(y.lanes);
        strange |= bits ^ std::bit_cast<Bits>(Real(coarse).lanes);
        high += bits;
        ++count;
    }
    void add(Real::Mask yes, Real x) { add(select(yes, x, Real(0.0))); }
};
using ExactLanes = SumLanes<true>;
using RoundedLanes = SumLanes<false>;

class ExactSum {
public:
    ExactSum() = default;
    explicit ExactSum(SumUnit u) : unit(u) {}
    template <bool fine> void add(const SumLanes<fine>& lanes, int times = 1) {
        const std::uint64_t M = lanes.count * std::bit_cast<std::uint64_t>(lanes.coarse),
                            m = fine ? lanes.count * std::bit_cast<std::uint64_t>(lanes.fine) : 0;
        for (int n = 0; n < register_lanes; ++n)
            total += times * (((__int128)std::int64_t(lanes.high[n] - M) << 40) +
                              std::int64_t(lanes.low[n] - m)),
                bad |= (lanes.strange[n] >> 52) != 0;
    }
    void add(const Limbs& l) {
        const auto* w = l.word;
        total += (((__int128)w[0] << 30) + w[1]) * (__int128(1) << 40) +
                 ((__int128)w[2] * (1 << 20) + w[3]);
        bad |= l.word[4] > 0;
    }
    void add(const ExactSum& other) {
        total += other.total;
        bad |= other.bad;
    }
    /// False if a term was too large for the unit, or not a number: choose a larger unit, or report
    /// it.
    bool valid() const { return !bad; }
    double value() const {
        return bad ? std::numeric_limits<double>::quiet_NaN()
                   : std::ldexp(double(total), unit.exponent - 40);
    }
    SumUnit unit;

private:
    __int128 total = 0;  // in u 2^-40
    bool bad = false;
    friend void pack(std::span<const ExactSum>, std::int64_t*);
    friend void unpack(const std::int64_t*, std::span<ExactSum>);
};

/// As integers that any algorithm can add up over up to 2^20 ranks: three limbs of 43 bits, and a
/// flag for bad terms.
inline constexpr int sum_words = 4;
void pack(std::span<const ExactSum>, std::int64_t* words);
void unpack(const std::int64_t* words, std::span<ExactSum>);

/// Adds up over ranks: one message of 64-bit integers, MPI_SUM.
void allreduce(MPI_Comm, std::span<ExactSum>);

/// Sum over all ranks of their terms; the largest is found first. NaN if any term is not finite.
double exact_sum(MPI_Comm, std::span<const double> terms);
/// The same for terms stored elsewhere. largest: of this rank; NaN or infinite if any term is not
/// finite. limbs(coarse, fine): for the unit chosen from it.
double exact_sum(MPI_Comm, double largest, const std::function<Limbs(double, double)>& limbs);

}  // namespace fathom
