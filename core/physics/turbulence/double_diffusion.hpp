/// Double diffusion: heat and salt are mixed at different rates (Large, McWilliams & Doney 1994,
/// eqs 30 to 34), below the boundary layer:
///
///   R = alpha dT / (beta dS) between neighbouring layers
///   salt fingers, warm and salty above, 1 < R < R_0:
///       kappa_S = K (1 - ((R - 1) / (R_0 - 1))^2)^3,   kappa_T = 0.7 kappa_S
///   diffusive convection, cold and fresh above,
///       0 < R < 1:  kappa_T = 0.909 nu exp(4.6 exp(-0.54 (1 / R - 1))),   nu = 1.5e-6 m2 s-1
///       (Marmorino & Caldwell 1976)
///                                                           kappa_S = kappa_T max(1.85 R - 0.85,
///                                                               0.15 R)
///
/// They are added to the diffusivity. From then on this is the diffusivity of heat;
/// `salt_diffusivity` is the one of salt and of all other tracers.
#pragma once
#include "base/any.hpp"
#include "base/brief.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct DoubleDiffusion {
    double fingers = 1e-3, most_ratio = 1.9;

    static constexpr std::string_view summary =
        "Salt fingers and diffusive convection: diffusivities of heat and of salt (Large, "
        "McWilliams & Doney 1994)";
    static constexpr std::tuple parameters{
        Parameter{"fingers", &DoubleDiffusion::fingers, "m2 s-1", 0, 1,
                  "diffusivity of salt by fingers at R = 1"},
        Parameter{"most_ratio", &DoubleDiffusion::most_ratio, "1", 1.1, 10,
                  "ratio of densities from which there are no fingers, R_0"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "temperature", place::center_layer, "degC"> temperature,
        Reads<Real, "salinity", place::center_layer, "1e-3"> salinity,
        Reads<Real, "thermal_expansion", place::center_layer, "K-1"> expansion,
        Reads<Real, "haline_contraction", place::center_layer, "1e3"> contraction,
        Reads<Real, "boundary_layer_depth", place::center_column, "m"> boundary_layer,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Reads<Real, "wet_levels", place::center_column, "1"> wet_levels,
        Updates<Real, "vertical_diffusivity", place::center_interface, "m2 s-1"> heat,
        Writes<Real, "salt_diffusivity", place::center_interface, "m2 s-1"> salt) const {
        constexpr double molecular = 1.5e-6,
                         least = 1e-9;  // least |beta dS|: uniform salt has neither
        const Real bottom = wet_levels[0], height = boundary_layer[0];
        const int levels = heat.levels();
        Real T_above = temperature[0], S_above = salinity[0], alpha_above = expansion[0],
             beta_above = contraction[0];
        double depth = 0;
        salt[0] = Real(heat[0]);
        for (int k = 1; k < levels; ++k) {
            depth += double(thickness[k - 1]);
            const Real T = temperature[k], S = salinity[k], alpha = expansion[k],
                       beta = contraction[k];
            const Real warm = (alpha_above + alpha) * (T_above - T) * 0.5,
                       salty = (beta_above + beta) * (S_above - S) * 0.5;  // lighter, heavier above
            const auto here = (k < bottom) & (depth > height);
            const auto finger =
                here & (salty > least) & (warm > salty) & (warm < most_ratio * salty);
            const auto diffusive = here & (warm < 0) & (warm > salty) & (salty < -least);
            Real by_heat = 0, by_salt = 0;
            if (any(finger | diffusive)) {
                const Real R = warm / select(abs(salty) > least, salty, 1),
                           x = (R - 1) * (1 / (most_ratio - 1)), rest = fma(-x, x, 1),
                           by_fingers = fingers * (rest * rest * rest);
                const Real inverse = 1 / larger(R, 1e-3),
                           layers = 0.909 * molecular *
                                    brief_exp(4.6 * brief_exp(larger(-0.54 * (inverse - 1), -80)));
                by_salt = select(finger, by_fingers,
                                 select(diffusive, layers * larger(1.85 * R - 0.85, 0.15 * R), 0));
                by_heat = select(finger, 0.7 * by_fingers, select(diffusive, layers, 0));
            }
            const Real kappa = heat[k];
            heat[k] = kappa + by_heat;
            salt[k] = kappa + by_salt;
            T_above = T;
            S_above = S;
            alpha_above = alpha;
            beta_above = beta;
        }
        salt[levels] = Real(heat[levels]);
    }
};

}  // namespace fathom::physics
