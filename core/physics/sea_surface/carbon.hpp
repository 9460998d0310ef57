/// Carbon dioxide and oxygen between air and sea, tracers in mmol m-3.
///
/// Carbonate chemistry at the surface on the total scale, h = [H+], C dissolved inorganic carbon, A
/// total alkalinity, B boron, all in mol kg-1 (Dickson, Sabine & Christian 2007, PICES Spec. Publ.
/// 3):
///   A = C (K1 h + 2 K1 K2) / D + B KB / (KB + h) + KW / h - h,    D = h^2 + K1 h + K1 K2
///   [CO2] = C h^2 / D
/// K1, K2 of Lueker et al. 2000 (Mar. Chem. 70), KB of Dickson 1990 (Deep-Sea Res. 37), KW of
/// Millero 1995 (Geochim. Cosmochim. Acta 59), B = 415.7e-6 S / 35 of Uppstrom 1974 (Deep-Sea Res.
/// 21). Phosphate and silicate are left out. The right side falls with h, so that Newton's steps in
/// ln h within a bracket find it from anywhere (Munhoven 2013, Geosci. Model Dev. 6).
///
/// Gas exchange as of other gases (gas_exchange.hpp), with Schmidt numbers of Wanninkhof 2014:
///   flux = (1 - a) k (C_air - C),    C_air of CO2: F x p / p0, F of moist air (Weiss & Price 1980,
///       Mar. Chem. 8); of O2: saturation of Garcia & Gordon 1992 (Limnol. Oceanogr. 37) p / p0
/// The partial pressure in the sea is [CO2] / K0 (Weiss 1974, Mar. Chem. 2) over the fugacity
/// coefficient of pure CO2.
#pragma once
#include <array>
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "base/usual.hpp"
#include "field/process.hpp"
#include "physics/sea_surface/gas_transfer.hpp"

namespace fathom::physics {

/// a + b / T + c ln T + d T by differences from 288.15 K, so that few digits are lost in fp32.
template <class Real> struct InTemperature {
    Real difference, inverse, logarithm;
    explicit constexpr InTemperature(Real kelvin)
        : difference(kelvin - middle),
          inverse(-difference / (kelvin * middle)),
          logarithm(log(kelvin * (1 / middle))) {}
    constexpr Real operator()(double a, double b, double c, double d = 0) const {
        return (a + b / middle + c * ln_middle + d * middle) +
               (b * inverse + c * logarithm + d * difference);
    }
    static constexpr double middle = 288.15, ln_middle = 5.663481177882676;
};

/// Equilibrium constants at the surface [mol kg-1]; t [degC], S [1e-3].
template <class Real> struct CarbonateConstants {
    Real K0, K1, K2, KB, KW, boron, moist_solubility, fugacity;
    constexpr CarbonateConstants(Real celsius, Real S) {
        const Real T = celsius + constants::celsius, c = T * 0.01, root = sqrt(S), S2 = S * S;
        const InTemperature<Real> of(T);
        constexpr double ln10 = 2.302585092994046, ln100 = 2 * ln10;
        K0 = exp(of(-60.2409 - 23.3585 * ln100, 9345.17, 23.3585) +
                 S * (0.023517 - 0.023656 * c + 0.0047036 * (c * c)));
        K1 = exp(-ln10 * (of(-61.2172, 3633.86, 9.6777) - 0.011555 * S + 0.0001152 * S2));
        K2 = exp(-ln10 * (of(25.929, 471.78, -3.16967) - 0.01781 * S + 0.0001122 * S2));
        KB =
            exp(of(148.0248, -8966.9, -24.4344) + root * of(137.1942, -2890.53, -25.085, 0.053105) +
                S * of(1.62142, -77.942, -0.2474) + (1.728 * S * root - 0.0996 * S2) / T);
        KW = exp(of(148.9652, -13847.26, -23.6521) + root * of(-5.977, 118.67, 1.0495) -
                 0.01615 * S);
        boron = (415.7e-6 / 35) * S;
        moist_solubility =
            exp(of(-162.8301 - 90.9241 * ln100, 21829.68, 90.9241) - 1.47696 * (c * c) +
                S * (0.025695 - 0.025225 * c + 0.0049867 * (c * c)));
        const Real virial = -1636.75 + T * (12.0408 + T * (-0.0327957 + T * 3.16528e-5)),
                   cross = 57.7 - 0.118 * T;
        fugacity = exp((virial + 2.0 * cross) / T * (1 / 82.05736));
    }
};

/// ln [H+] of carbon and alkalinity [mol kg-1].
template <class Real>
constexpr Real hydrogen(const CarbonateConstants<Real>& k, Real carbon, Real alkalinity) {
    Real least(-25.33), most(-9.21), ln_h(-18.42);  // pH 11, 4, 8
    for (int n = 0; n < 10; ++n) {
        const Real h = exp(ln_h), K12 = k.K1 * k.K2, per_D = 1.0 / (h * h + k.K1 * h + K12),
                   borate = 1.0 / (k.KB + h), hydroxide = k.KW / h,
                   excess = carbon * (k.K1 * h + 2.0 * K12) * per_D + k.boron * k.KB * borate +
                            hydroxide - h - alkalinity,
                   slope = carbon * k.K1 * h * (h * h + 4.0 * k.K2 * h + K12) * (per_D * per_D) +
                           k.boron * k.KB * h * (borate * borate) + hydroxide + h;
        const auto basic = excess > Real(0);
        least = select(basic, ln_h, least);
        most = select(basic, most, ln_h);
        const Real newton = ln_h + excess / slope;
        ln_h = select((newton < least) | (most < newton), 0.5 * (least + most), newton);
    }
    return ln_h;
}

struct CarbonExchange {
    double coefficient = usual::gas_transfer, wind_variance = 1;

    static constexpr std::string_view summary =
        "carbon dioxide between air and sea, with the chemistry of the surface";
    static constexpr std::tuple parameters{
        Parameter{"coefficient", &CarbonExchange::coefficient, "cm h-1 (m s-1)-2", 0, 10,
                  "of the transfer velocity at a Schmidt number of 660"},
        Parameter{"wind_variance", &CarbonExchange::wind_variance, "1", 1, 10,
                  "mean square of the wind over the square of the speed given"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "wind_speed", place::center_column, "m s-1"> wind,
        Reads<Real, "sea_ice_fraction", place::center_column, "1"> ice,
        Reads<Real, "air_pressure", place::center_column, "Pa"> pressure,
        Reads<Real, "northern_share", place::center_column, "1"> northern,
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        Reads<Real, "tracer", place::center_layer, "mmol m-3"> carbon,
        Reads<Real, "alkalinity", place::center_layer, "mmol m-3"> alkalinity,
        ReadsProfile<Real, "tracer_in_air", "1e-6"> in_air,
        Writes<Real, "sea_surface_ph", place::center_column, "1"> ph,
        Writes<Real, "sea_surface_carbon_dioxide", place::center_column, "1e-6 atm"> partial,
        Writes<Real, "tracer_surface_flux", place::center_column, "mmol m-2 s-1"> flux) const {
        constexpr double atmosphere = 101325, density = constants::sea_water_density,
                         per_mole = 1e-3 / density;  // mmol m-3 -> mol kg-1
        constexpr std::array schmidt{2116.8, -136.25, 4.7353, -0.092307, 0.0007555};
        const Real t = smaller(larger(temperature[0], Real(-2)), Real(40)),
                   S = larger(salinity[0], Real(1e-3)), C = larger(carbon[0], Real(1)) * per_mole,
                   A = larger(alkalinity[0], Real(0)) * per_mole;
        const CarbonateConstants<Real> k(t, S);
        const Real ln_h = hydrogen(k, C, A), h = exp(ln_h),
                   dissolved = C * (h * h) / (h * h + k.K1 * h + k.K1 * k.K2);
        const Real fraction = of_hemispheres(in_air, Real(northern[0])),
                   saturated =
                       k.moist_solubility * (1e-6 * fraction) * (pressure[0] * (1 / atmosphere));
        const Real velocity =
            transfer_velocity(schmidt, t, Real(wind[0]), Real(ice[0]), coefficient * wind_variance);
        ph[0] = ln_h * (-1 / 2.302585092994046);
        partial[0] = 1e6 * dissolved / (k.K0 * k.fugacity);
        flux[0] = velocity * (saturated - dissolved) * (1e3 * density);
    }
};

struct OxygenExchange {
    double coefficient = usual::gas_transfer, wind_variance = 1;

    static constexpr std::string_view summary = "oxygen between air and sea";
    static constexpr std::tuple parameters{
        Parameter{"coefficient", &OxygenExchange::coefficient, "cm h-1 (m s-1)-2", 0, 10,
                  "of the transfer velocity at a Schmidt number of 660"},
        Parameter{"wind_variance", &OxygenExchange::wind_variance, "1", 1, 10,
                  "mean square of the wind over the square of the speed given"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "wind_speed", place::center_column, "m s-1"> wind,
        Reads<Real, "sea_ice_fraction", place::center_column, "1"> ice,
        Reads<Real, "air_pressure", place::center_column, "Pa"> pressure,
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        Reads<Real, "tracer", place::center_layer, "mmol m-3"> oxygen,
        Writes<Real, "tracer_surface_flux", place::center_column, "mmol m-2 s-1"> flux) const {
        constexpr double atmosphere = 101325;
        constexpr std::array schmidt{1920.4, -135.6, 5.2122, -0.10939, 0.00093777};
        const Real t = smaller(larger(temperature[0], Real(-2)), Real(40)),
                   S = larger(salinity[0], Real(0)),
                   x = log((298.15 - t) / (constants::celsius + t));
        const Real fresh = fma(x,
                               fma(x, fma(x, fma(x, fma(x, 3.80369, -0.0986643), 5.10006), 4.17887),
                                   3.20291),
                               5.80871),
                   salting =
                       fma(x, fma(x, fma(x, -9.51519e-3, -1.13864e-2), -7.70028e-3), -7.01577e-3),
                   saturated = exp(fresh + S * salting - 2.75915e-7 * (S * S)) *
                               (1e-3 * constants::sea_water_density / atmosphere) * pressure[0];
        flux[0] = transfer_velocity(schmidt, t, Real(wind[0]), Real(ice[0]),
                                    coefficient * wind_variance) *
                  (saturated - oxygen[0]);
    }
};

}  // namespace fathom::physics
