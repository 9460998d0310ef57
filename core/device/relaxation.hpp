/// The coupling zone of a limited area on a device: one thread per number.
#pragma once
#include <memory>
#include "atmosphere/relaxation.hpp"
#include "machine/device.hpp"

namespace fathom {

std::unique_ptr<atmosphere::RelaxationOnDevice> relaxation_of(std::shared_ptr<Device>,
                                                              const atmosphere::RelaxedPoints&);

}  // namespace fathom
