/// Lines of a sphere on a processor.
#pragma once
#include <numbers>
#include "atmosphere/gridpoint/lines.hpp"
#include "atmosphere/gridpoint/sphere_departures.hpp"
#include "atmosphere/gridpoint/transport.hpp"

namespace fathom::atmosphere {

template <class T> SphereDepartures<T> sphere_departures(const Domain& d, const GridPointSetup& s) {
    const auto& t = d.decomposition.topology;
    if (!s.area && (!t.periodic || t.nx % 2))
        throw Error("a sphere needs an even number of columns all round, not nx = ", t.nx);
    constexpr double degrees = 180 / std::numbers::pi;
    SphereDepartures<T> all{T(degrees / s.dx), T(degrees / s.dy),
                            middles_around<T>(d, s.dx / degrees, s.dy / degrees)};
    constexpr int spare = LinesHere::most;  // whole registers are read
    for (int half = 0; half < 2; ++half)
        for (int i = 0; i < t.nx + spare; ++i) {
            const double angle = (i + 0.5 * half) * s.dx / degrees;
            all.sines[half].push_back(T(std::sin(angle)));
            all.cosines[half].push_back(T(std::cos(angle)));
        }
    for (int n = 0; n <= 2 * t.ny; ++n) {
        const double angle = (s.south + 0.5 * n * s.dy) / degrees;
        all.latitudes.push_back({T(std::sin(angle)), T(std::cos(angle))});
    }
    return all;
}

/// How rows continue beyond the first and last of a sphere, or of an area of it.
inline Edge edge_of(const GridPointSetup& s, Edge of_sphere) {
    return s.area ? Edge::area : of_sphere;
}

}  // namespace fathom::atmosphere
