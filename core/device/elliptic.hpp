/// What machine.cpp makes for an elliptic solver.
#pragma once
#include "machine/device.hpp"
#include "solver/on_device.hpp"

namespace fathom {

std::unique_ptr<EllipticOnDevice> make_elliptic(std::shared_ptr<Device>, const EllipticPoints&);

}  // namespace fathom
