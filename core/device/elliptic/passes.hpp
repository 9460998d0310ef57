/// Passes over the points of a device: vectors between fields and iterations, residual, halo.
#pragma once
#include "device/elliptic/sums.hpp"

namespace fathom::tilewise {

/// y = x / d, r = b = D rhs, of a block.
template <class Value> struct Take {
    const Value *rhs, *x;
    std::ptrdiff_t rhs_row, x_row;
    int first, nx, up;
    const double* d;
    double *y, *b, *r;
    constexpr void operator()(std::size_t n) const {
        const std::ptrdiff_t j = n / nx, i = n % nx, to = first + j * up + i;
        const double scale = d[to];
        y[to] = scale > 0 ? x[j * x_row + i] / scale : 0;
        b[to] = r[to] = scale > 0 ? rhs[j * rhs_row + i] * scale : 0;
    }
};
template <class Value> struct Give {
    Value* x;
    std::ptrdiff_t row;
    int first, nx, up;
    const double *d, *y;
    bool zero;
    constexpr void operator()(std::size_t n) const {
        const std::ptrdiff_t j = n / nx, i = n % nx, from = first + j * up + i;
        x[j * row + i] = Value(zero ? 0 : y[from] * d[from]);
    }
};
template <class Value> struct Scale {
    Value* x;
    std::ptrdiff_t row;
    int columns;
    double by;
    constexpr void operator()(std::size_t n) const {
        Value& value = x[std::ptrdiff_t(n / columns) * row + std::ptrdiff_t(n % columns)];
        value = Value(value * by);
    }
};

/// The halo of a vector.
template <class Number> struct Halo {
    const EllipticPoints::Copy* copies;
    Number* at;
    constexpr void operator()(std::size_t n) const {
        const auto [from, to] = copies[n];
        at[to] = at[from];
    }
};

/// r = b - A y, as in EllipticOperator::multiply; its size.
struct Subtract {
    Water<double> on;
    const double *b, *y;
    double* r;
    constexpr void operator()(std::size_t point, std::int64_t* mine) const {
        using R = Real<double>;
        const std::ptrdiff_t n = on.wet[point], up = on.up;
        const R k(on.compact);
        auto P = [&](std::ptrdiff_t m) { return at(on.sum, m); };
        auto M = [&](std::ptrdiff_t m) { return at(on.difference, m); };
        auto v = [&](std::ptrdiff_t m) { return at(on.scale, m) * at(y, m); };
        const R E = v(n + 1), W = v(n - 1), N = v(n + up), S = v(n - up), NE = v(n + up + 1),
                NW = v(n + up - 1), SE = v(n - up + 1), SW = v(n - up - 1);
        const R west = fma(
            P(n - 1), fma(k, W + N, NW),
            fma(M(n - 1), W - N, fma(P(n - 1 - up), fma(k, W + S, SW), M(n - 1 - up) * (W - S))));
        const R east =
            fma(P(n), fma(k, E + N, NE),
                fma(M(n), E - N, fma(P(n - up), fma(k, E + S, SE), M(n - up) * (E - S))));
        const R Ay = fma(-at(on.scale, n), west + east, at(y, n)), left = at(b, n) - Ay;
        left.store(r + n);
        raise(*mine, left.lanes);
    }
};
struct Size {
    const int* wet;
    const double* r;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const { raise(*mine, r[wet[n]]); }
};
/// r.r, exact: in the unit of the largest |r| found before.
struct Square {
    const int* wet;
    const double* r;
    const std::int64_t* largest;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const {
        const double most = std::bit_cast<double>(*largest);
        const SumUnit unit = SumUnit::for_largest(most * most * 0x1p26);
        Limbs::add(r[wet[n]] * r[wet[n]], unit.coarse(), unit.fine(), mine);
    }
};

struct Enter {
    const int* wet;
    const double* d;
    double *r, *s, *y;
    constexpr void operator()(std::size_t n) const {
        const int m = wet[n];
        r[m] *= d[m], y[m] *= d[m], s[m] = 0;
    }
};
struct Leave {
    const int* wet;
    const double* d;
    double *r, *y;
    bool residual;
    constexpr void operator()(std::size_t n) const {
        const int m = wet[n];
        y[m] /= d[m];
        if (residual) r[m] /= d[m];
    }
};
struct EnterSingle {
    const int* wet;
    const float* d;
    const double* from;
    double up;
    float *r, *s, *y;
    constexpr void operator()(std::size_t n) const {
        const int m = wet[n];
        r[m] = float(from[m] * up) * d[m], y[m] = s[m] = 0;
    }
};
struct LeaveSingle {
    const int* wet;
    const float *d, *found;
    double down;
    double* y;
    constexpr void operator()(std::size_t n) const {
        const int m = wet[n];
        y[m] += found[m] / d[m] * down;
    }
};

}  // namespace fathom::tilewise
