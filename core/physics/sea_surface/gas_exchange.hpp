/// Gases without biology between air and sea (OCMIP-2; Wanninkhof 2014, Limnol. Oceanogr. Methods
/// 12, eq. 4 and table 1):
///
///   flux = (1 - a) k (C_air - C)
///       [mol m-2 s-1], into the sea; a the share of ice
///   k    = c <U^2> (Sc / 660)^(-1/2)                    c = 0.251 cm h-1 (m s-1)-2,
///       Sc = s0 + s1 t + s2 t^2 + s3 t^3 + s4 t^4,   t in degC
///   C_air = 1000 F(T, S) x p / p0                       x the dry mole fraction in air, p0 = 1 atm
///   ln F = a1 + a2 (100 / T) + a3 ln(T / 100) + a4 (T / 100)^2 + S (b1 + b2 (T / 100) + b3
///       (T / 100)^2)      [mol L-1 atm-1], T in K
///
/// F of moist air at 1 atm: CFC-11, CFC-12 of Warner & Weiss 1985 (Deep-Sea Res. 32, table 5), SF6
/// of Bullister et al. 2002 (Deep-Sea Res. I 49, table 3). x is that of both hemispheres, blended
/// where `northern_share` is neither 0 nor 1. <U^2> is `wind_variance` times the square of the wind
/// speed given.
#pragma once
#include <array>
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "base/usual.hpp"
#include "field/process.hpp"
#include "physics/sea_surface/gas_transfer.hpp"

namespace fathom::physics {

struct CFC11Gas {
    static constexpr std::string_view summary = "CFC-11 between air and sea";
    static constexpr std::array solubility{-229.9261, 319.6552, 119.4471,  -1.39165,
                                           -0.142382, 0.091459, -0.0157274};
    static constexpr std::array schmidt{3579.2, -222.63, 7.5749, -0.14595, 0.0011874};
};
struct CFC12Gas {
    static constexpr std::string_view summary = "CFC-12 between air and sea";
    static constexpr std::array solubility{-218.0971, 298.9702, 113.8049,  -1.39165,
                                           -0.143566, 0.091015, -0.0153924};
    static constexpr std::array schmidt{3828.1, -249.86, 8.7603, -0.1716, 0.001408};
};
struct SF6Gas {
    static constexpr std::string_view summary = "SF6 between air and sea";
    static constexpr std::array solubility{-80.0343,  117.232,    29.5817,   0.,
                                           0.0335183, -0.0373942, 0.00774862};
    static constexpr std::array schmidt{3177.5, -200.57, 6.8865, -0.13335, 0.0010877};
};

template <class Gas> struct GasExchange {
    double coefficient = usual::gas_transfer, wind_variance = 1;

    static constexpr std::string_view summary = Gas::summary;
    static constexpr std::tuple parameters{
        Parameter{"coefficient", &GasExchange::coefficient, "cm h-1 (m s-1)-2", 0, 10,
                  "of the transfer velocity at a Schmidt number of 660"},
        Parameter{"wind_variance", &GasExchange::wind_variance, "1", 1, 10,
                  "mean square of the wind over the square of the speed given"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "wind_speed", place::center_column, "m s-1"> wind,
        Reads<Real, "sea_ice_fraction", place::center_column, "1"> ice,
        Reads<Real, "air_pressure", place::center_column, "Pa"> pressure,
        Reads<Real, "northern_share", place::center_column, "1"> northern,
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        Reads<Real, "tracer", place::center_layer, "mol m-3"> dissolved,
        ReadsProfile<Real, "tracer_in_air", "1e-12"> in_air,
        Writes<Real, "tracer_surface_flux", place::center_column, "mol m-2 s-1"> flux) const {
        constexpr double atmosphere = 101325, per_litre = 1000;
        constexpr auto f = Gas::solubility;
        const Real t = smaller(larger(temperature[0], -2), 40), T = (t + constants::celsius) * 0.01,
                   salt = larger(salinity[0], 0);
        const Real fresh = f[0] + f[1] / T + f[2] * log(T) + f[3] * (T * T),
                   salting = fma(T, fma(T, f[6], f[5]), f[4]);
        const Real fraction = of_hemispheres(in_air, Real(northern[0]));
        const Real saturated = exp(fma(salt, salting, fresh)) * (per_litre * 1e-12) * fraction *
                               (pressure[0] * (1 / atmosphere));
        flux[0] = transfer_velocity(Gas::schmidt, t, Real(wind[0]), Real(ice[0]),
                                    coefficient * wind_variance) *
                  (saturated - dissolved[0]);
    }
};

}  // namespace fathom::physics
