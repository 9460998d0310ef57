/// Four neighbouring points of a row with so many numbers each, and their cubic weights
///   w_m = product over l != m of (x - l) / (m - l),    l, m = -1, 0, 1, 2
/// in registers of a processor, or in a thread of a device, point by point.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include "base/several.hpp"
#include "base/short_pack.hpp"
#include "base/table.hpp"

namespace fathom {

/// The factor 1 / product of (m - l), m from -1 on.
using FactorsOfFour = Table<std::array{-1. / 6, 1. / 2, -1. / 2, 1. / 6}>;

/// From a to b by x.
template <class Real> constexpr Real part_way(Real a, Real b, Real x) { return fused(x, b - a, a); }

template <class T, int beside> struct FourInRegisters {
    static constexpr int numbers = 4 * beside,
                         width = numbers < pack_width<T> ? numbers : pack_width<T>,
                         registers = numbers / width;
    using Real = Pack<T, width>;
    using Point = Pack<T, beside>;
    static Real weights(T x, int part) {
        const auto less = [&](int l) {
            return Real(x) - Real::load(others.node[l] + part * width);
        };
        return (less(0) * less(1)) * (less(2) * Real::load(others.scale + part * width));
    }
    /// The sums over the four points.
    static void add(const Real* sum, T* out) {
        struct Points {
            typename Lanes<T, beside>::type point[4];
        };
        struct All {
            typename Real::Storage part[registers];
        } all;
        for (int p = 0; p < registers; ++p) all.part[p] = sum[p].lanes;
        const auto four = std::bit_cast<Points>(all);
        const auto total = (four.point[0] + four.point[1]) + (four.point[2] + four.point[3]);
        std::memcpy(out, &total, sizeof total);
    }
    /// Between two points of two levels and rows, from the first of them on: linear.
    static void between(const T* from, std::ptrdiff_t level, std::ptrdiff_t row, T x, T y, T z,
                        T* out) {
        using Two = Pack<T, 2 * beside>;
        struct Points {
            Point west, east;
        };
        const T* const beyond = from + row;
        const Two up = z, south = part_way(Two::load(from), Two::load(from + level), up),
                  north = part_way(Two::load(beyond), Two::load(beyond + level), up);
        const auto two = std::bit_cast<Points>(part_way(south, north, Two(y)));
        part_way(two.west, two.east, Point(x)).store(out);
    }

private:
    /// For each point the nodes of the other three, and the factor that makes its weight 1.
    struct Others {
        alignas(64) T node[3][numbers], scale[numbers];
        constexpr Others() : node(), scale() {
            for (int n = 0; n < numbers; ++n) {
                const int point = n / beside;
                for (int m = 0, l = 0; m < 4; ++m)
                    if (m != point) node[l++][n] = T(m - 1);
                scale[n] = T(FactorsOfFour::at(point));
            }
        }
    };
    static constexpr Others others{};
};

template <class T, int beside> struct FourInThread {
    static constexpr int width = beside, registers = 4;
    using Real = Several<T, beside>;
    using Point = Real;
    static constexpr T weights(T x, int point) {
        const auto less = [&](int l) { return x - T((l < point ? l : l + 1) - 1); };
        return (less(0) * less(1)) * (less(2) * T(FactorsOfFour::at(point)));
    }
    static constexpr void add(const Real* sum, T* out) {
        ((sum[0] + sum[1]) + (sum[2] + sum[3])).store(out);
    }
    static constexpr void between(const T* from, std::ptrdiff_t level, std::ptrdiff_t row, T x, T y,
                                  T z, T* out) {
        const auto of_column = [=](const T* point) {
            const auto of_row = [=](const T* at) {
                return part_way(Real::load(at), Real::load(at + level), Real(z));
            };
            return part_way(of_row(point), of_row(point + row), Real(y));
        };
        part_way(of_column(from), of_column(from + beside), Real(x)).store(out);
    }
};

}  // namespace fathom
