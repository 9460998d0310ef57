/// The mass of air of a grid-point atmosphere on a device: one thread per column.
#pragma once
#include "atmosphere/gridpoint/air_mass.hpp"

namespace fathom {

std::unique_ptr<atmosphere::AirMassOnDevice> air_mass_of(std::shared_ptr<Device>,
                                                         const atmosphere::AirColumns&);

}  // namespace fathom
