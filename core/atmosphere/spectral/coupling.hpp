/// The coupling zone of a spectral limited area, before the linear terms are solved for:
///   R <- (1 - alpha) R + alpha R_outer,       R_outer = (1 + beta G) X_outer
/// with G the linear gravity waves of the solve, so that the solution is the outer state where
/// alpha is 1 (beyond the area) and balanced where both meet. Tracers, which are not part of G, are
/// X_outer themselves.
#pragma once
#include "atmosphere/coupling.hpp"
#include "atmosphere/spectral/parameters.hpp"

namespace fathom::atmosphere {

/// tracers: whether they are coupled, too.
template <class T>
std::shared_ptr<GlobalProcess> spectral_coupling(const SpectralSetup& s, bool tracers = true) {
    const OnPlane& plane = *s.plane();
    std::vector<Drawn> drawn;
    const auto add = [&](const std::string& name, Place where, const std::string& units) {
        const bool layers = where == place::center_layer;
        drawn.push_back({name, where, units, plane.relaxation,
                         layers ? plane.relaxation_of_levels : std::vector<double>()});
    };
    add("eastward_wind", place::center_layer, "m s-1");
    add("northward_wind", place::center_layer, "m s-1");
    add(s.temperature, place::center_layer, "K");
    add("log_pressure_ratio", place::center_column, "1");
    if (s.compressible()) {
        add("log_pressure_departure", place::center_layer, "1");
        add("vertical_divergence", place::center_layer, "s-1");
    }
    if (tracers)
        for (auto& [name, units] : s.tracers)
            drawn.push_back({name, place::center_layer, units, plane.relaxation_of_tracers, {}});
    return std::make_shared<Coupling<T>>(tracers ? "Coupling" : "CouplingAgain", plane.waves.points,
                                         drawn);
}

}  // namespace fathom::atmosphere
