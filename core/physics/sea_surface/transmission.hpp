/// Sunlight below the surface, two exponentials: the part that is not absorbed above a depth z,
///
///   I(z) = I_1 exp(-b_1 z) + I_2 exp(-b_2 z)       [degC m s-1], divided by rho0 c_p
///
/// Shares and extinctions are those of the water (water.hpp); the rest beyond I_1 + I_2 is absorbed
/// at the surface. From 20 e-folding depths on it is exactly 0, so that a loop down the column can
/// end.
#pragma once
#include "base/brief.hpp"
#include "field/field.hpp"

namespace fathom::physics {

template <class Real> struct SunlightInWater {
    Reads<Real, "shortwave_flux_1", place::center_column, "degC m s-1"> flux_1;
    Reads<Real, "shortwave_flux_2", place::center_column, "degC m s-1"> flux_2;
    Reads<Real, "shortwave_extinction_1", place::center_column, "m-1"> extinction_1;
    Reads<Real, "shortwave_extinction_2", place::center_column, "m-1"> extinction_2;
};

template <class Real> struct Transmission {
    static constexpr double deepest = 20;
    Real flux_1, flux_2, extinction_1, extinction_2;
    constexpr explicit Transmission(const SunlightInWater<Real>& sun)
        : flux_1(sun.flux_1[0]),
          flux_2(sun.flux_2[0]),
          extinction_1(sun.extinction_1[0]),
          extinction_2(sun.extinction_2[0]) {}
    constexpr Real operator()(Real depth) const {
        const auto part = [&](Real flux, Real extinction) {
            const Real x = depth * extinction;
            return select(x < deepest, flux * brief_exp(larger(-x, -deepest)), 0);
        };
        return part(flux_1, extinction_1) + part(flux_2, extinction_2);
    }
};

}  // namespace fathom::physics
