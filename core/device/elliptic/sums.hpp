/// Sums that are the same in any order, from many points of a device: terms in a unit that all of
/// them share.
#pragma once
#include <limits>
#include "device/elliptic/water.hpp"
#include "machine/largest.hpp"

namespace fathom::tilewise {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of four sums: low and high halves, and whether a term was too large.
enum Sum { rr, rt, tt, cross, sums };
constexpr int words = 2 * sums + 1;

constexpr void add(std::int64_t* to, std::int64_t x) {
    to[0] += x & 0xffffffff;
    to[1] += x >> 32;
}
/// y = coarse + x, in units; strange: x was too large for the unit.
constexpr std::int64_t units(double y, double coarse, std::int64_t& strange) {
    const auto bits = std::bit_cast<std::uint64_t>(y), M = std::bit_cast<std::uint64_t>(coarse);
    if ((bits ^ M) >> 52) strange = 1;
    return std::int64_t(bits - M);
}
/// low + 2^32 high units, rounded once.
constexpr double rounded(std::int64_t low, std::int64_t high, SumUnit unit) {
    high += low >> 32, low &= 0xffffffff;
    return fma(Real<double>(double(high)), Real<double>(0x1p32), Real<double>(double(low))).lanes *
           power_of_two(unit.exponent);
}
/// |x|, or infinity, as bits: in the order of numbers.
constexpr void raise(std::int64_t& most, double x) {
    constexpr auto infinite = std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity());
    const auto size = std::int64_t(std::bit_cast<std::uint64_t>(x) << 1 >> 1);
    const auto known = size < infinite ? size : infinite;
    if (known > most) most = known;
}

/// coarse + a b, and coarse + a b + c d: in fp32 the products are rounded.
constexpr double coarse_and(double coarse, Real<double> a, Real<double> b) {
    return fma(a, b, Real<double>(coarse)).lanes;
}
constexpr double coarse_and(double coarse, Real<float> a, Real<float> b) {
    return double((a * b).lanes) + coarse;
}
constexpr double coarse_and(double coarse, Real<double> a, Real<double> b, Real<double> c,
                            Real<double> d) {
    return fma(c, d, fma(a, b, Real<double>(coarse))).lanes;
}
constexpr double coarse_and(double coarse, Real<float> a, Real<float> b, Real<float> c,
                            Real<float> d) {
    return double(fma(a, b, c * d).lanes) + coarse;
}

/// For a point r D^-2 r, r D^-2 t, t D^-2 t and, for the corner north-east of it, t.F t / 2;
/// halves: 1 where the other half lies across the fold.
template <class Number>
constexpr void add_products(std::int64_t* mine, double coarse, Real<Number> r, Real<Number> square,
                            const Corner<Number>& t, int halves) {
    using R = Real<Number>;
    const R SW = t.SW, SE = t.SE, NW = t.NW, NE = t.NE;
    const R weight = R(1.0) / square, wr = weight * r;
    std::int64_t& strange = mine[2 * sums];
    auto integer = [&](double y) { return units(y, coarse, strange); };
    add(mine + 2 * rr, integer(coarse_and(coarse, wr, r)));
    add(mine + 2 * rt, integer(coarse_and(coarse, wr, SW)));
    const auto squares = integer(coarse_and(coarse, weight * SW, SW));
    add(mine + 2 * tt, squares);
    const R pairs = fma(t.k * (SW + NE), SE + NW, fma(SE, NW, SW * NE));
    const auto pair = integer(coarse_and(coarse, t.P, pairs, t.M * (SW - NE), SE - NW));
    add(mine + 2 * cross, squares - halves * pair);
}

}  // namespace fathom::tilewise
