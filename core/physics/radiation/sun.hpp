/// Position of the sun over each column. `sun` is a profile of seven numbers that is set before
/// each step: the direction to the sun in the frame of the rotating Earth (x towards 0 E on the
/// equator, z north), 1 / distance^2 [au-2], and the direction in the middle of the period for
/// which radiation is computed.
///
///   mu = max(0, r . sun),   r = (cos lat cos lon, cos lat sin lon, sin lat),
///       insolation = S_0 mu / distance^2
/// or everywhere the same mu, at 1 au, day and night (RCEMIP: Wing et al. 2018, Geosci. Model Dev.
/// 11, 793-813).
///
/// sun_at: the low-precision formulae of the Astronomical Almanac, 0.01 degrees between 1950 and
/// 2050.
#pragma once
#include <array>
#include <cmath>
#include "base/elementary.hpp"
#include "base/pack.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct Sun {
    double x, y, z, distance;
};  // of the Earth [au]
constexpr Sun sun_at(double days) {  // since 2000-01-01 12:00
    constexpr double degree = 0.017453292519943295;
    const double g = degree * (357.528 + 0.9856003 * days),
                 ecliptic = degree * (280.460 + 0.9856474 * days + 1.915 * std::sin(g) +
                                      0.020 * std::sin(2 * g));
    const double tilt = degree * (23.439 - 4e-7 * days),
                 turn = degree * std::fmod(280.46062 + 360.98564737 * days, 360.0);
    const double X = std::cos(ecliptic), Y = std::cos(tilt) * std::sin(ecliptic);
    return {X * std::cos(turn) + Y * std::sin(turn), Y * std::cos(turn) - X * std::sin(turn),
            std::sin(tilt) * std::sin(ecliptic),
            1.00014 - 0.01671 * std::cos(g) - 0.00014 * std::cos(2 * g)};
}

struct Sunlight {
    double solar_constant = 1361,
           fixed_season = 0,  // the season is set with `sun`
        everywhere = 0;

    static constexpr std::string_view summary = "Cosine of the solar zenith angle and insolation";
    static constexpr std::tuple parameters{
        Parameter{"solar_constant", &Sunlight::solar_constant, "W m-2", 0, 1e5,
                  "flux of the sun's light at 1 au"},
        Parameter{"fixed_season", &Sunlight::fixed_season, "1", 0, 1,
                  "1: the season stays that of the start"},
        Parameter{"everywhere", &Sunlight::everywhere, "1", 0, 1,
                  "the same cosine of the zenith angle in all columns, always; 0: of the sun"}};

    template <class Real>
    constexpr void operator()(
        ReadsProfile<Real, "sun", "1"> sun,
        Reads<Real, "latitude", place::center_column, "rad"> latitude,
        Reads<Real, "longitude", place::center_column, "rad"> longitude,
        Writes<Real, "cosine_zenith", place::center_column, "1"> now,
        Writes<Real, "cosine_zenith_ahead", place::center_column, "1"> ahead,
        Writes<Real, "insolation", place::center_column, "W m-2"> insolation) const {
        if (everywhere > 0) {
            now[0] = Real(everywhere), ahead[0] = Real(everywhere);
            insolation[0] = Real(solar_constant * everywhere);
            return;
        }
        const auto [sine_latitude, cosine_latitude] = sine_cosine(latitude[0]);
        const auto [sine, cosine] = sine_cosine(longitude[0]);
        const Real x = cosine_latitude * cosine, y = cosine_latitude * sine, z = sine_latitude;
        const Real mu = larger(fma(x, sun[0], fma(y, sun[1], z * sun[2])), 0);
        now[0] = mu;
        ahead[0] = larger(fma(x, sun[4], fma(y, sun[5], z * sun[6])), 0);
        insolation[0] = (solar_constant * sun[3]) * mu;
    }
};

}  // namespace fathom::physics
