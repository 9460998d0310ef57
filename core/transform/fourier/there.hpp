/// A Fourier transform of rows (fourier.hpp) from tables that lie anywhere: a thread of a device
/// transforms a row.
#pragma once
#include <complex>
#include <cstddef>
#include "transform/fourier/steps.hpp"

namespace fathom {

/// Positions in lists of several transforms. The passes of a complex transform of n numbers:
struct PassesThere {
    int n, count;
    std::size_t first, twiddles, roots;
};
/// Those of an odd row, of half of an even one, or of a complex transform of so many numbers; or,
/// if it is a convolution, those of a longer transform.
struct PlanThere {
    int points, numbers;  ///< points: of a row
    PassesThere passes;
    std::size_t places, turns, chirp, filter;
    constexpr bool odd() const { return points % 2; }
    constexpr bool convolves() const { return passes.n > numbers; }
};
struct PassThere {
    int radix, stride;
    std::size_t twiddle, roots;
};

template <class Number> struct FourierThere {
    const PassThere* passes;
    const Number* twiddles;
    const int* places;
    const std::complex<Number>* turns;
    PlanThere plan;

    /// As those of Fourier; `a` are numbers of the row, which may lie apart.
    template <class Get, class At> constexpr void inverse(int waves, Get get, At a) const {
        using namespace fourier_steps;
        if (plan.odd())
            numbers_of_odd_waves(plan.points, waves, get, a, place());
        else
            numbers_of_waves(plan.numbers, waves, get, a, place(), turns + plan.turns);
        complex<+1>(a);
        if (plan.odd()) points_of_odd_numbers(plan.points, a);
    }
    template <class Put, class At> constexpr void direct(int waves, Put put, At a) const {
        using namespace fourier_steps;
        if (plan.odd()) numbers_of_odd_points(plan.points, a);
        complex<-1>(a);
        if (plan.odd())
            waves_of_odd_numbers(plan.points, waves, put, a, place());
        else
            waves_of_numbers(plan.numbers, waves, put, a, place(), turns + plan.turns);
    }
    /// As those of ComplexFourier: forward < 0, backward > 0.
    template <int sign, class At> constexpr void complex(At a) const {
        if (!plan.convolves()) return all_passes<sign>(a);
        fourier_steps::convolution<sign>(
            plan.numbers, plan.passes.n, a, turns + plan.chirp, turns + plan.filter,
            [&] { all_passes<-1>(a); }, [&] { all_passes<+1>(a); });
    }
    constexpr const int* place() const { return places + plan.places; }

private:
    struct NothingAhead {
        constexpr void some() {}
    };
    template <int sign, class At> constexpr void all_passes(At a) const {
        const PassesThere& all = plan.passes;
        NothingAhead ahead;
        for (int p = 0; p < all.count; ++p) {
            const PassThere& of = passes[all.first + (sign < 0 ? p : all.count - 1 - p)];
            fourier_steps::pass_of<sign>(of.radix, all.n, of.stride, a,
                                         twiddles + all.twiddles + of.twiddle,
                                         turns + all.roots + of.roots, ahead);
        }
    }
};

/// Numbers that lie apart.
template <class V> struct Apart {
    V* at;
    std::ptrdiff_t apart;
    constexpr V& operator[](std::ptrdiff_t n) const { return at[n * apart]; }
    constexpr Apart operator+(std::ptrdiff_t n) const { return {at + n * apart, apart}; }
};

}  // namespace fathom
