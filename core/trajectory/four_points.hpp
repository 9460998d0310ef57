/// Four neighbouring points of a row with so many numbers each, and their cubic weights
///   w_m = product over l != m of (x - l) / (m - l),    l, m = -1, 0, 1, 2
/// in registers of a processor, or in a thread of a device, point by point.
#pragma once
#include <array>
#include "base/several.hpp"
#include "base/short_pack.hpp"
#include "base/table.hpp"

namespace fathom {

/// The factor 1 / product of (m - l), m from -1 on.
using FactorsOfFour = Table<std::array{-1. / 6, 1. / 2, -1. / 2, 1. / 6}>;

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
};

}  // namespace fathom
