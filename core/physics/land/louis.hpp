/// Transfer through the lowest layer of the air as a function of its bulk Richardson number,
/// without iteration (Louis, Tiedtke & Geleyn 1982, ECMWF workshop on boundary layer
/// parameterization, 59-79):
///
///   C_D = (k / lm)^2 f_m(Ri),   C_H = k^2 / (lm lh) f_h(Ri),   lm = ln(z / z_0m),
///       lh = ln(z / z_0h)
///   Ri < 0   f_m = 1 - 10 Ri / (1 + 75 (k / lm)^2 sqrt(-Ri z / z_0m)),
///       f_h = 1 - 15 Ri / (1 + 75 k^2 / (lm lh) sqrt(-Ri z / z_0m))
///   Ri > 0   f_m = 1 / (1 + 10 Ri / sqrt(1 + 5 Ri)),   f_h = 1 / (1 + 15 Ri sqrt(1 + 5 Ri))
///
/// The long tail of the stable side keeps land in contact with the air at night. Monin-Obukhov
/// functions: stability.hpp.
#pragma once
#include "base/pack.hpp"

namespace fathom::physics {

template <class Real> struct Louis {
    Real momentum, heat;  // C_D, C_H
    constexpr Louis(Real log_momentum, Real log_heat, Real richardson) {
        constexpr double karman = 0.4;
        const Real per_momentum = karman / log_momentum, neutral_m = per_momentum * per_momentum,
                   neutral_h = per_momentum * (karman / log_heat);
        const Real unstable = larger(-richardson, 0), stable = larger(richardson, 0),
                   tail = sqrt(1 + 5 * stable);
        const Real free = 75 * sqrt(unstable * exp(log_momentum));
        momentum = neutral_m * (1 + 10 * unstable / (1 + neutral_m * free)) *
                   (tail / (tail + 10 * stable));
        heat = neutral_h * (1 + 15 * unstable / (1 + neutral_h * free)) / (1 + 15 * stable * tail);
    }
};

}  // namespace fathom::physics
