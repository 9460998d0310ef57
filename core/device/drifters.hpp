/// Drifters on a device: one thread for each.
#pragma once
#include "machine/device.hpp"
#include "ocean/drifters/motion.hpp"

namespace fathom {

std::unique_ptr<ocean::DriftersOnDevice> drifters_of(std::shared_ptr<Device>,
                                                     std::span<const ocean::DriftBlock>,
                                                     double step, bool flat);

}  // namespace fathom
