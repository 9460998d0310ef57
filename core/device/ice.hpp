/// The motion of sea ice on a device: a thread for each cell, and each corner.
#pragma once
#include "machine/device.hpp"
#include "ocean/sea_ice/equations.hpp"

namespace fathom {

std::unique_ptr<ocean::IceOnDevice> ice_of(std::shared_ptr<Device>,
                                           std::span<const ocean::IceGeometry>,
                                           const ocean::IceParameters&);

}  // namespace fathom
