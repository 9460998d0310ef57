/// Numbers that describe fields, computed on a device: one thread per column.
#pragma once
#include "field/watch.hpp"
#include "machine/device.hpp"

namespace fathom {

std::unique_ptr<Watch> watch_of(std::shared_ptr<Device>, const WetColumns&);

}  // namespace fathom
