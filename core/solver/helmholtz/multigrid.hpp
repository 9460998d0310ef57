/// The arithmetic between a grid of columns and the next of multigrid, at a point of the latter, on
/// the processor (multigrid.cpp) as on a device (device/helmholtz.cpp). R: means by area, P: the
/// value of the coarse column; faces count by the distance across them.
#pragma once
#include "solver/helmholtz/equation.hpp"

namespace fathom {

/// Which rows of a grid are a row of the next, and how many are the one north of it.
struct HelmholtzRow {
    int first, rows, rows_north;
};

/// Two grids; each pair of blocks covers the same part of the globe.
template <class T> struct HelmholtzGrids {
    static constexpr double weight = 0.8;  ///< of a sweep of lines
    HelmholtzMatrix<T> fine, coarse;

    /// Coefficients of column i of a row; f, c: the blocks.
    constexpr void coarsen(const HelmholtzBlock& f, const HelmholtzBlock& c, const HelmholtzRow& J,
                           int row, int i, int k) const {
        const int begin = J.first - f.j0, column = 2 * (c.i0 + i) - f.i0;
        T area = 0, up = 0, centre = 0, down = 0, east = 0;
        for (int s = begin; s < begin + J.rows; ++s) {
            const std::ptrdiff_t n = f.place(s, k, column);
            for (int side = 0; side < 2; ++side) {
                const T own = 1 / fine.per_area[n + side - k * f.level];
                area += own, up += own * fine.up[n + side];
                centre += own * fine.centre[n + side], down += own * fine.down[n + side];
            }
            east += fine.east[n + 1];
        }
        const T* north = fine.north + f.place(begin + J.rows - 1, k, column);
        const std::ptrdiff_t n = c.place(row, k, i);
        coarse.up[n] = up / area, coarse.centre[n] = centre / area, coarse.down[n] = down / area;
        coarse.east[n] = east / 2;
        coarse.north[n] = T(2. / (J.rows + J.rows_north)) * (north[0] + north[1]);
        if (k == 0) coarse.per_area[n] = 1 / area;
    }
    /// R x
    constexpr T restricted(const T* x, const HelmholtzBlock& f, const HelmholtzBlock& c,
                           const HelmholtzRow& J, int row, int i, int k) const {
        const int begin = J.first - f.j0;
        T sum = 0;
        for (int s = begin; s < begin + J.rows; ++s) {
            const std::ptrdiff_t n = f.place(s, k, 2 * (c.i0 + i) - f.i0);
            const T *in = x + n, *area = fine.per_area + n - k * f.level;
            sum += in[0] / area[0] + in[1] / area[1];
        }
        return sum * coarse.per_area[c.place(row, 0, i)];
    }
    /// The place of the column of the next grid in which column i lies; row: of the next grid.
    static constexpr std::ptrdiff_t above(const HelmholtzBlock& f, const HelmholtzBlock& c, int row,
                                          int i, int k) {
        return c.place(row - c.j0, k, (f.i0 + i) / 2 - c.i0);
    }
    static constexpr T swept(T x, T by, bool add) {
        return add ? x + T(weight) * by : T(weight) * by;
    }
};

}  // namespace fathom
