/// Sunlight below the surface, two exponentials: what has not been absorbed above a depth z,
///
///   I(z) = I_1 exp(-b_1 z) + I_2 exp(-b_2 z)       [degC m s-1], divided by rho0 c_p
///
/// Shares and extinctions are those of the water (water.hpp); what is not in I_1 + I_2 is absorbed
/// at the surface. From 20 e-folding depths on there is exactly none, so that a loop down the
/// column can end.
#pragma once
#include "base/brief.hpp"
#include "field/field.hpp"

namespace fathom::physics {

inline constexpr std::array sunlight_read{
    reads("shortwave_flux_1", place::center_column, "degC m s-1"),
    reads("shortwave_flux_2", place::center_column, "degC m s-1"),
    reads("shortwave_extinction_1", place::center_column, "m-1"),
    reads("shortwave_extinction_2", place::center_column, "m-1")};

template <class Real> struct Transmission {
    static constexpr double deepest = 20;
    Real flux_1, flux_2, extinction_1, extinction_2;
    Transmission(In<Real> flux_1, In<Real> flux_2, In<Real> extinction_1, In<Real> extinction_2)
        : flux_1(flux_1[0]),
          flux_2(flux_2[0]),
          extinction_1(extinction_1[0]),
          extinction_2(extinction_2[0]) {}
    Real operator()(Real depth) const {
        const auto part = [&](Real flux, Real extinction) {
            const Real x = depth * extinction;
            return select(x < deepest, flux * brief_exp(larger(-x, -deepest)), 0);
        };
        return part(flux_1, extinction_1) + part(flux_2, extinction_2);
    }
};

}  // namespace fathom::physics
