/// The arithmetic of the separable equation (separable.hpp) at a point, on the processor as on a
/// device (device/helmholtz.cpp).
#pragma once
#include <cstddef>
#include <vector>

namespace fathom {

/// Of columns (levels each), and of rows (ny each).
struct SeparableColumns {
    std::vector<double> up, centre, down, face, east, north, per_area;
};

/// Coefficients of a row, with its area: of its faces to the south and north, 0 on the edge of the
/// globe, and of those between its points.
struct SeparableRow {
    double south, north, east;
};

/// The vertical modes of columns, and what their equations need of rows.
struct SeparableModes {
    std::vector<double> to_modes, from_modes;  ///< [mode][level], [level][mode]
    std::vector<double> eigenvalues;
    std::vector<SeparableRow> rows;
    /// joined: the last row to the first. Error: there are no modes.
    SeparableModes(const SeparableColumns&, bool joined);
};

/// The factors of the tridiagonal matrix of a wave across rows (Thomas), from the first row on. In
/// the first and last of joined rows the centre has the contribution of the matrix's corners.
template <class T> struct SeparableFactors {
    int rows;
    bool joined;

    constexpr double south(const SeparableRow& row, int j) const { return j ? row.south : 0; }
    /// eigenvalue: of the mode; along: of the wave. before, corner: from row to row.
    constexpr void row(const SeparableRow& row, int j, double eigenvalue, double along,
                       double& before, double& corner, T& factor, T& above) const {
        const double inner = south(row, j), outer = j + 1 < rows ? row.north : 0;
        double centre = eigenvalue + row.south + row.north + along * row.east;
        if (joined) {
            if (j == 0) corner = row.south / centre;
            centre += j == 0 ? centre : j + 1 == rows ? row.north * corner : 0;
        }
        const double inverse = 1 / (centre - inner * before);
        before = outer * inverse;
        factor = T(inverse), above = T(before);
    }
};

/// The solve of these matrices, of many waves at once: each(body) calls body(n) for the numbers of
/// a row that are at work.
template <class T> struct SeparableElimination {
    int rows;
    std::ptrdiff_t row;  ///< between rows of the factors
    const T *factor, *above, *below;
    T *ring, *share;  ///< of joined rows, else null; share: of the first row

    template <class Each>
    constexpr void eliminate(T* y, std::ptrdiff_t y_row, const Each& each) const {
        each([=, f = factor](std::ptrdiff_t n) { y[n] *= f[n]; });
        for (int j = 1; j < rows; ++j)
            each([=, own = y + j * y_row, f = factor + j * row, b = below[j]](std::ptrdiff_t n) {
                own[n] = f[n] * (own[n] + b * own[n - y_row]);
            });
        for (int j = rows - 2; j >= 0; --j)
            each([=, own = y + j * y_row, a = above + j * row](std::ptrdiff_t n) {
                own[n] += a[n] * own[n + y_row];
            });
    }
    /// The matrix is T + u v', u = (-b_0, 0 ..., -north_last), v = (1, 0 ..., corner), T
    /// tridiagonal: ring = T^-1 u / (1 + v' T^-1 u), and x = y - ring v' y.
    template <class Each, class Corner>
    constexpr void join(double south, double north, const Corner& corner, const Each& each) const {
        const std::ptrdiff_t last = (rows - 1) * row;
        T* const z = ring;
        for (int j = 0; j < rows; ++j) each([=, own = z + j * row](auto n) { own[n] = T(0); });
        each([&](std::ptrdiff_t n) {
            z[n] = T(-south / corner(n)), z[last + n] = T(-north), share[n] = T(corner(n));
        });
        eliminate(z, row, each);
        each([=, count = rows, apart = row, c = share](std::ptrdiff_t n) {
            const T scale = 1 / (1 + z[n] + c[n] * z[last + n]);
            for (int j = 0; j < count; ++j) z[n + j * apart] *= scale;
        });
    }
    /// across(n): memory for a number of the row.
    template <class Each, class Across>
    constexpr void solve(T* y, std::ptrdiff_t y_row, const Across& across, const Each& each) const {
        eliminate(y, y_row, each);
        if (!ring) return;
        const std::ptrdiff_t last = (rows - 1) * y_row;
        each([&](std::ptrdiff_t n) { across(n) = y[n] + share[n] * y[last + n]; });
        for (int j = 0; j < rows; ++j)
            each([&, own = y + j * y_row, z = ring + j * row](std::ptrdiff_t n) {
                own[n] -= z[n] * across(n);
            });
    }
};

/// to_k = sum over l of matrix_kl from_l, a few sums at a time, from k on; from(l), to(k): the
/// address of a number, or of those of a register.
template <class Real, class T, class From, class To>
constexpr void separable_product(const T* matrix, int levels, int k, From from, To to) {
    constexpr int together = 8;
    Real sum[together];
    for (int n = 0; n < together; ++n) sum[n] = Real(T(0));
    for (int l = 0; l < levels; ++l) {
        const Real x = Real::load(from(l));
        for (int n = 0; n < together; ++n) {
            const int row = k + n < levels ? k + n : levels - 1;
            sum[n] = fma(Real(matrix[std::ptrdiff_t(row) * levels + l]), x, sum[n]);
        }
    }
    for (int n = 0; n < together; ++n)
        if (k + n < levels) sum[n].store(to(k + n));
}
inline constexpr int separable_together = 8;

/// Points of a row <-> waves. The shortest wave of an even row has no imaginary part.
template <class V> struct SeparableAlong {
    using T = typename V::Number;
    int points;
    constexpr bool even() const { return points % 2 == 0; }
    constexpr int waves() const { return (points - 1) / 2; }  ///< the largest but the shortest

    /// get(i): points; put(m, re, im); a: numbers of the transform.
    template <class Get, class Put, class At, class Transform>
    constexpr void direct(Get get, Put put, At a, Transform transform) const {
        V shortest(T(0));
        for (int i = 0; i < points; ++i) {
            const V x = a[i] = get(i);
            shortest = i % 2 ? shortest - x : shortest + x;
        }
        transform(waves(), put, a);
        if (even()) put(points / 2, shortest, V(T(0)));
    }
    /// get(m): real and imaginary part; put(i, x).
    template <class Get, class Put, class At, class Transform>
    constexpr void inverse(Get get, Put put, At a, Transform transform) const {
        V shortest(T(0));
        if (even()) shortest = get(points / 2).re;
        transform(waves(), get, a);
        const V scale(T(1. / points));
        for (int i = 0; i < points; ++i)
            put(i, scale * (i % 2 ? a[i] - shortest : a[i] + shortest));
    }
};

}  // namespace fathom
