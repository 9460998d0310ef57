/// Numbers that describe fields, found on a device: a thread for each column.
#pragma once
#include "field/watch.hpp"
#include "machine/device.hpp"

namespace fathom {

std::unique_ptr<Watch> watch_of(std::shared_ptr<Device>, const WetColumns&);

}  // namespace fathom
