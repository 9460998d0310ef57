/// An ecosystem of nitrogen in four pools (Oschlies & Garcon 1999, Global Biogeochem. Cycles 13,
/// 135-160, with one light and no ammonium): nutrient N, phytoplankton P, zooplankton Z, detritus D
/// [mmol m-3],
///   N' = -U + e Z + r D              U = mu a I / sqrt(mu^2 + (a I)^2) N / (k_N + N) P
///   P' = U - G - m P                 G = g c P^2 / (g + c P^2) Z
///   Z' = b G - e Z - q Z^2           dI/dz = -(k_w + k_P P) I,   I(0) = the part of sunlight that
///   D' = (1 - b) G + m P + q Z^2         plants use
///        - r D - w dD/dz
/// I is that in the middle of a layer. What sinks stays above the sea floor, so that nitrogen is
/// only moved. Rates see no number below 0. `nutrient_source` is N', for what follows nitrogen
/// (redfield.hpp).
#pragma once
#include "base/elementary.hpp"
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

template <bool own> struct NPZD {
    double growth = 1.2, light_slope = 0.025, half_saturation = 0.5, grazing = 2, capture = 1,
           assimilation = 0.75, excretion = 0.03, phytoplankton_loss = 0.05, zooplankton_loss = 0.2,
           remineralisation = 0.05, sinking = 5, usable_light = 0.43, water_attenuation = 0.04,
           phytoplankton_attenuation = 0.03;

    static constexpr std::string_view summary =
        "nutrient, phytoplankton, zooplankton and detritus that sinks, with light";
    static constexpr std::tuple parameters{
        Parameter{"growth", &NPZD::growth, "day-1", 0, 20, "mu, of phytoplankton in full light"},
        Parameter{"light_slope", &NPZD::light_slope, "day-1 m2 W-1", 0, 10,
                  "a, growth over light where it is weak"},
        Parameter{"half_saturation", &NPZD::half_saturation, "mmol m-3", 1e-6, 100,
                  "k_N, nutrient at which growth is half"},
        Parameter{"grazing", &NPZD::grazing, "day-1", 1e-6, 50, "g, at most"},
        Parameter{"capture", &NPZD::capture, "day-1 mmol-2 m6", 0, 100,
                  "c, grazing of few phytoplankton"},
        Parameter{"assimilation", &NPZD::assimilation, "1", 0, 1, "b, share of what is grazed"},
        Parameter{"excretion", &NPZD::excretion, "day-1", 0, 10, "e, of zooplankton"},
        Parameter{"phytoplankton_loss", &NPZD::phytoplankton_loss, "day-1", 0, 10, "m"},
        Parameter{"zooplankton_loss", &NPZD::zooplankton_loss, "day-1 mmol-1 m3", 0, 10, "q"},
        Parameter{"remineralisation", &NPZD::remineralisation, "day-1", 0, 10, "r, of detritus"},
        Parameter{"sinking", &NPZD::sinking, "m day-1", 0, 500, "w, of detritus"},
        Parameter{"usable_light", &NPZD::usable_light, "1", 0, 1,
                  "part of sunlight that phytoplankton uses"},
        Parameter{"water_attenuation", &NPZD::water_attenuation, "m-1", 0, 10, "k_w"},
        Parameter{"phytoplankton_attenuation", &NPZD::phytoplankton_attenuation, "m2 mmol-1", 0, 10,
                  "k_P"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "nutrient", place::center_layer, "mmol m-3"> nutrient,
        Reads<Real, "phytoplankton", place::center_layer, "mmol m-3"> phytoplankton,
        Reads<Real, "zooplankton", place::center_layer, "mmol m-3"> zooplankton,
        Reads<Real, "detritus", place::center_layer, "mmol m-3"> detritus,
        Reads<Real, "surface_shortwave_flux", place::center_column, "W m-2"> sunlight,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        CellThickness<Real, own> thickness,
        Writes<Real, "nutrient_source", place::center_layer, "mmol m-3 s-1"> source,
        Updates<Real, "nutrient_tendency", place::center_layer, "mmol s-1"> to_nutrient,
        Updates<Real, "phytoplankton_tendency", place::center_layer, "mmol s-1"> to_phytoplankton,
        Updates<Real, "zooplankton_tendency", place::center_layer, "mmol s-1"> to_zooplankton,
        Updates<Real, "detritus_tendency", place::center_layer, "mmol s-1"> to_detritus) const {
        using T = typename Real::Number;
        const T day(1. / 86400);
        const Real zero(0), A = area[0], bottom = wet[0];
        auto above_0 = [&](Real x) { return larger(x, zero); };
        Real light = T(usable_light) * above_0(sunlight[0]), sinks = 0;
        for (int k = 0; k < to_nutrient.levels(); ++k) {
            const auto here = Real(T(k)) < bottom;
            const Real h = k == 0 ? Real(thickness[k]) + eta[0] : Real(thickness[k]),
                       N = above_0(nutrient[k]), P = above_0(phytoplankton[k]),
                       Z = above_0(zooplankton[k]), D = above_0(detritus[k]);
            const Real half = exp(-0.5 * (T(water_attenuation) + T(phytoplankton_attenuation) * P) *
                                  h),
                       aI = T(light_slope) * light * half, mu = Real(T(growth));
            light = light * half * half;
            const Real lit = mu * aI / sqrt(larger(mu * mu + aI * aI, Real(1e-20))),
                       U = lit * N / (T(half_saturation) + N) * P, few = T(capture) * P * P,
                       G = T(grazing) * few / (T(grazing) + few) * Z, back = T(excretion) * Z,
                       dies = T(phytoplankton_loss) * P, eaten = T(zooplankton_loss) * Z * Z,
                       rots = T(remineralisation) * D;
            const Real V = select(here, A * h * day, zero);
            const Real leaves = select(Real(T(k + 1)) < bottom, A * (T(sinking) * day) * D, zero);
            source[k] = select(here, day * (back + rots - U), zero);
            to_nutrient[k] += V * (back + rots - U);
            to_phytoplankton[k] += V * (U - G - dies);
            to_zooplankton[k] += V * (T(assimilation) * G - back - eaten);
            to_detritus[k] += V * (T(1 - assimilation) * G + dies + eaten - rots) +
                              (select(here, sinks, zero) - leaves);
            sinks = leaves;
        }
    }
};

}  // namespace fathom::ocean
