/// Values between the levels of columns, in a coordinate x that increases downward.
///
///   linear    f_k + t (f_{k+1} - f_k),            t = (x - x_k) / (x_{k+1} - x_k)
///   cubic     Lagrange's, through levels k - 1 ... k + 2; linear next to the ends
///   hermite   the cubic with values and slopes f' at both levels:
///             f_k + t (m_k + t (3 D - 2 m_k - m_{k+1} + t (m_k + m_{k+1} - 2 D))),
///             D = f_{k+1} - f_k,  m = f' (x_{k+1} - x_k)
///
/// x_k <= x <= x_{k+1}. Above the first and below the last level linear and cubic are constant;
/// hermite continues straight with the slope at the end. A kernel takes one column as an object
/// that gives the value of a level: [k]; its Real is a number, or a number with its tangent.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include "base/pack.hpp"

namespace fathom::post {

using Plain = Pack<double, 1>;

template <class Real> constexpr Real linear(Real upper, Real lower, Real t) {
    return upper + smaller(larger(t, Real(0)), Real(1)) * (lower - upper);
}

template <class Real> constexpr Real hermite(Real t, Real left, Real right, Real begin, Real end) {
    const Real D = right - left;
    return left + t * (begin + t * (3 * D - 2 * begin - end + t * (begin + end - 2 * D)));
}

/// Where in [0, 1] that cubic has a value, by Newton's steps: it is almost straight.
template <class Real>
constexpr Real place_of(Real value, Real left, Real right, Real begin, Real end) {
    const double step = 1e-4;
    Real t = (value - left) / (right - left);
    for (int again = 0; again < 5; ++again) {
        const Real here = hermite(t, left, right, begin, end),
                   ahead = hermite(t + step, left, right, begin, end);
        t = smaller(larger(t - (here - value) * step / (ahead - here), Real(0)), Real(1));
    }
    return t;
}

/// Straight outside.
template <class Real>
constexpr Real hermite_and_on(Real t, Real left, Real right, Real begin, Real end) {
    const Real zero(0), one(1), inside = smaller(larger(t, zero), one);
    return hermite(inside, left, right, begin, end) + smaller(t, zero) * begin +
           larger(t - one, zero) * end;
}

/// Weights of the levels first ... first + 3 at x.
template <class Real, class Levels>
constexpr std::array<Real, 4> lagrange(const Levels& x, int first, Real at) {
    std::array<Real, 4> weights{};
    for (int n = 0; n < 4; ++n) {
        weights[n] = Real(1);
        for (int m = 0; m < 4; ++m)
            if (m != n)
                weights[n] = weights[n] * ((at - x[first + m]) / (x[first + n] - x[first + m]));
    }
    return weights;
}

/// Numbers of levels and points, in memory: value (k, p) at first[k * level + p * point]; point =
/// 0: the same at all points.
template <class Number> struct Slab {
    const Number* first;
    std::ptrdiff_t level, point;
    int levels;

    struct Column {
        const Number* first;
        std::ptrdiff_t level;
        constexpr Plain operator[](int k) const { return Plain(double(first[k * level])); }
    };
    constexpr Column operator[](std::size_t p) const {
        return {first + std::ptrdiff_t(p) * point, level};
    }
};

/// Positions of targets (targets, points) among levels (levels, points): found once, for many
/// fields. Levels and targets must stay in place.
class Between {
public:
    Between(Slab<double> x, Slab<double> target, std::size_t points);
    /// The same targets among other levels, with fewer or more at the end: positions above are
    /// copied. Both have four levels or more.
    Between(const Between& other, Slab<double> x);

    const std::size_t points;
    const int targets, levels;
    std::vector<std::int32_t> level;  ///< k above each target
    std::vector<double> t;            ///< its place between k and k + 1; beyond [0, 1]: outside

    /// Results (targets, points), one after another.
    template <class Number> void linear(Slab<Number> values, double* result) const;
    template <class Number> void cubic(Slab<Number> values, double* result) const;
    void hermite(Slab<double> values, Slab<double> slopes, double* result) const;

private:
    void find_levels();
    double place(int n, std::size_t p) const;
    void find_weights() const;
    std::array<double, 4> weights_at(int n, std::size_t p) const;

    Slab<double> x, target;
    mutable std::vector<std::array<double, 4>> weights;  ///< of the cubic
};

}  // namespace fathom::post
