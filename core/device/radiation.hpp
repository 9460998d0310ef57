/// RRTMGP on a device: columns side by side, each by eight threads where its g points or layers are
/// independent.
#pragma once
#include "field/process.hpp"
#include "machine/device.hpp"

namespace fathom {

/// The scheme, an RRTMGP, with tables and memory on the device, for up to so many columns at once.
std::shared_ptr<const void> radiation_on(std::shared_ptr<Device>, const void* scheme, int bytes,
                                         std::size_t columns, int layers);
/// Of such a scheme.
Process::Run radiation_kernel(int bytes);

}  // namespace fathom
