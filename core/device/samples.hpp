/// Samples of columns on a device: a thread for each number.
#pragma once
#include "field/samples.hpp"
#include "machine/device.hpp"

namespace fathom {

std::unique_ptr<SamplesOnDevice> samples_of(std::shared_ptr<Device>, const SamplePoints&);

}  // namespace fathom
