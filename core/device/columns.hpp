/// Columns of fields on a device: a thread for each number.
#pragma once
#include "field/columns.hpp"
#include "machine/device.hpp"

namespace fathom {

/// Of numbers of 4 or 8 bytes.
std::unique_ptr<ColumnsOnDevice> columns_on(std::shared_ptr<Device>, int bytes);
std::unique_ptr<SamplesOnDevice> samples_of(std::shared_ptr<Device>, const SamplePoints&);

}  // namespace fathom
