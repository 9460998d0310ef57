/// An elliptic solver in memory of a device: one thread per point.
#pragma once
#include "machine/device.hpp"
#include "solver/on_device.hpp"

namespace fathom {

std::unique_ptr<EllipticOnDevice> elliptic_on(std::shared_ptr<Device>, const EllipticPoints&);

}  // namespace fathom
