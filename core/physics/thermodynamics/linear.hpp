/// Linear equation of state, for idealised cases:
///
///   density_anomaly = rho - rho_0 = rho_0 (-alpha (T - T_0) + beta (S - S_0))
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"
#include "physics/thermodynamics/column.hpp"

namespace fathom::physics {

struct LinearEquationOfState {
    double reference_density = constants::sea_water_density, thermal_expansion = 2e-4,
           haline_contraction = 7.6e-4, reference_temperature = 10, reference_salinity = 35;

    static constexpr std::string_view summary = "Density linear in temperature and salinity";
    static constexpr std::tuple parameters{
        Parameter{"reference_density", &LinearEquationOfState::reference_density, "kg m-3", 500,
                  2000, "density at the reference temperature and salinity"},
        Parameter{"thermal_expansion", &LinearEquationOfState::thermal_expansion, "K-1", -1, 1,
                  "relative decrease of density with temperature"},
        Parameter{"haline_contraction", &LinearEquationOfState::haline_contraction, "1e3", -1, 1,
                  "relative increase of density with salinity"},
        Parameter{"reference_temperature", &LinearEquationOfState::reference_temperature, "degC",
                  -10, 100, "temperature of the reference density"},
        Parameter{"reference_salinity", &LinearEquationOfState::reference_salinity, "1e-3", 0, 100,
                  "salinity of the reference density"}};

    template <class Real> struct Parcel {
        Real anomaly;
        constexpr Parcel(const LinearEquationOfState& s, Real T, Real S)
            : anomaly(
                  fma(T - s.reference_temperature, -s.reference_density * s.thermal_expansion,
                      (S - s.reference_salinity) * (s.reference_density * s.haline_contraction))) {}
    };
    struct Level {
        constexpr explicit Level(double) {}
    };
    template <class Real> static constexpr Real anomaly(const Parcel<Real>& parcel, Level) {
        return parcel.anomaly;
    }
    template <class Real>
    static constexpr std::pair<Real, Real> anomalies(const Parcel<Real>& here,
                                                     const Parcel<Real>& above, Level) {
        return {here.anomaly, above.anomaly};
    }

    template <class Real>
    constexpr void operator()(
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Writes<Real, "density_anomaly", place::center_layer, "kg m-3"> anomaly,
        Writes<Real, "stratification", place::center_interface, "s-2"> stratification,
        Levels each) const {
        density_and_stratification(
            *this, temperature, salinity, [](int) { return Level(0); }, thickness, anomaly,
            stratification, each);
    }
};

}  // namespace fathom::physics
