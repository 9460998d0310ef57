/// Halos in memory of a device: a thread for each point of each level of all fields of an exchange.
#pragma once
#include "machine/device.hpp"
#include "parallel/travel/mover.hpp"

namespace fathom {

std::unique_ptr<Mover> halos_of(std::shared_ptr<Device>, const PointMoves&);

}  // namespace fathom
