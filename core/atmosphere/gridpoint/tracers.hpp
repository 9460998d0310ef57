/// Tracers of the grid-point atmosphere lie at all interfaces except the ground: [k] of a layer is
/// the value at the interface above it. The last trajectories of a step transport them, limited to
/// the values around the departure point; then the mass from before is restored (tracer_share.hpp):
///   sum of rho q V,    the weight of an interface is half of the layers next to it, all of the
///       lowest
#pragma once
#include "atmosphere/gridpoint/transport.hpp"

namespace fathom::atmosphere {

/// Names, with units.
std::shared_ptr<GridPointCarrier> gridpoint_tracers(
    const GridPointSetup&, const std::vector<std::pair<std::string, std::string>>& tracers,
    bool keep_mass, int bytes);

}  // namespace fathom::atmosphere
