/// The value that an instrument would measure in a column of the atmosphere. Each operator is one
/// formula on the number `Real`: on plain numbers it is `apply`, on dual numbers its tangent; its
/// adjoint is written next to it.
///
///     surface pressure   p = p_s (1 - Gamma (z - z_s) / T)^(g / R Gamma),   T of the lowest layer
///     at a pressure      temperature, humidity, wind: linear in ln p; height by hydrostatics
///     relative humidity  e / e_s(T),  e = p q / (eps + (1 - eps) q),  e_s over water (Bolton 1980)
///     dew point          where e = e_s(T_d); at 2 m of the humidity of the lowest layer at p_s
///     refractivity       N = 77.6 p / T + 3.73e5 e / T^2 at a height, p and e in hPa
///                                                                        (Smith & Weintraub 1953)
///     near the ground    f = f_s + (f_L - f_s) ln(1 + z/z_0) / ln(1 + z_L/z_0)
///                        (Geleyn 1988, neutral), temperature as dry static energy
#pragma once
#include <string>
#include "observation/column.hpp"

namespace fathom::observation {

/// The request for one value of a column.
struct Request {
    double level = 0;      ///< pressure [Pa] or altitude [m], depending on the operator
    double roughness = 0;  ///< z_0 [m]
};

enum class Kind {
    surface_pressure,
    temperature,
    humidity,
    eastward_wind,
    northward_wind,
    relative_humidity,
    height,
    refractivity,
    temperature_2m,
    humidity_2m,
    eastward_wind_10m,
    northward_wind_10m,
    dew_point,
    dew_point_2m,
};

/// ValueError: an unknown name.
Kind kind_of(const std::string& name);
const std::vector<std::string>& kind_names();

/// Columns (n, 4 layers + 2): T, q, u, v of the layers, surface pressure, skin temperature.
struct Batch {
    Levels levels;
    std::span<const double> columns, ground;
    std::span<const Request> requests;
    std::size_t width() const { return 4 * std::size_t(levels.layers()) + 2; }
};

void apply(Kind, const Batch&, int threads, std::span<double> value);
void tangent(Kind, const Batch&, std::span<const double> change, int threads,
             std::span<double> value);
/// Adds nothing: overwrites `change` (n, width).
void adjoint(Kind, const Batch&, std::span<const double> value, int threads,
             std::span<double> change);

}  // namespace fathom::observation
