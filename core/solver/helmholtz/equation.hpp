/// The arithmetic of the Helmholtz solver (columns.hpp) at a point, on the processor as on a device
/// (device/helmholtz.cpp). All arrays have the same layout: n is the place of a point in each.
#pragma once
#include <cstddef>

namespace fathom {

/// A block in an array: [row][level][column], with a halo of one point.
struct HelmholtzBlock {
    std::ptrdiff_t at, row, level;  ///< of its first own point; between rows, between levels
    int nx, ny, i0, j0;
    constexpr std::ptrdiff_t place(int in_row, int k, int column = 0) const {
        return at + in_row * row + k * level + column;
    }
};

/// Coefficients, and the factors of the tridiagonal matrices of columns.
template <class T> struct HelmholtzMatrix {
    T *up, *centre, *down, *east, *north, *per_area, *factor, *above;
    int levels;

    /// (A x)_k
    template <class Real>
    constexpr Real times(const T* x, const HelmholtzBlock& b, std::ptrdiff_t n, int k) const {
        const auto of = [](const T* a, std::ptrdiff_t m) { return Real::load(a + m); };
        const std::ptrdiff_t u = k ? n - b.level : n, d = k + 1 < levels ? n + b.level : n;
        const Real own = of(x, n);
        const Real faces =
            fma(of(east, n), own - of(x, n + 1), of(east, n - 1) * (own - of(x, n - 1))) +
            fma(of(north, n), own - of(x, n + b.row),
                of(north, n - b.row) * (own - of(x, n - b.row)));
        const Real column =
            fma(of(up, n), of(x, u), fma(of(centre, n), own, of(down, n) * of(x, d)));
        return fma(of(per_area, n - k * b.level), faces, column);
    }

    /// Layers of a column from the top down; faces to the diagonal.
    constexpr void factorise(const HelmholtzBlock& b, std::ptrdiff_t n, int k) const {
        const T own = centre[n] + per_area[n - k * b.level] *
                                      (east[n] + east[n - 1] + north[n] + north[n - b.row]);
        factor[n] = 1 / (own - (k ? up[n] * above[n - b.level] : T(0)));
        above[n] = down[n] * factor[n];
    }
    /// The solve of a column (Thomas), from the top down, and back: to = Z r; `to` may be r.
    constexpr void forward(const T* r, T* to, const HelmholtzBlock& b, std::ptrdiff_t n,
                           int k) const {
        to[n] = k ? factor[n] * (r[n] - up[n] * to[n - b.level]) : factor[n] * r[n];
    }
    constexpr void backward(T* to, const HelmholtzBlock& b, std::ptrdiff_t n) const {
        to[n] -= above[n] * to[n + b.level];
    }
};

/// A term of a product of two vectors: of a layer of a column.
template <class T> constexpr double product_term(const T* a, const T* b, std::ptrdiff_t n) {
    return double(a[n]) * double(b[n]);
}

}  // namespace fathom
