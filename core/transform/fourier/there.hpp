/// A Fourier transform of rows of an even number of points (fourier.hpp) from tables that lie
/// anywhere: a thread of a device transforms a row.
#pragma once
#include <complex>
#include <cstddef>
#include "transform/fourier/steps.hpp"

namespace fathom {

/// Positions in lists of several transforms.
struct PlanThere {
    int half, passes;
    std::size_t first_pass, twiddles, places;  ///< places: of half numbers, and turns of one more
    std::size_t turns;
};
struct PassThere {
    int radix, stride;
    std::size_t twiddle;
};

template <class Number> struct FourierThere {
    const PassThere* passes;
    const Number* twiddles;
    const int* places;
    const std::complex<Number>* turns;
    PlanThere plan;

    /// As those of Fourier; `a` are numbers of the row, which may lie apart.
    template <class Get, class At> constexpr void inverse(int waves, Get get, At a) const {
        fourier_steps::numbers_of_waves(plan.half, waves, get, a, places + plan.places,
                                        turns + plan.turns);
        NothingAhead ahead;
        for (int p = plan.passes - 1; p >= 0; --p) pass<+1>(p, a, ahead);
    }
    template <class Put, class At> constexpr void direct(int waves, Put put, At a) const {
        NothingAhead ahead;
        for (int p = 0; p < plan.passes; ++p) pass<-1>(p, a, ahead);
        fourier_steps::waves_of_numbers(plan.half, waves, put, a, places + plan.places,
                                        turns + plan.turns);
    }

private:
    struct NothingAhead {
        constexpr void some() {}
    };
    template <int sign, class At> constexpr void pass(int p, At a, NothingAhead& ahead) const {
        const PassThere& of = passes[plan.first_pass + p];
        fourier_steps::pass_of<sign>(of.radix, plan.half, of.stride, a,
                                     twiddles + plan.twiddles + of.twiddle, ahead);
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
