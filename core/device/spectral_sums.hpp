/// Sums over the sphere of an atmosphere on a device: one thread per column.
#pragma once
#include "atmosphere/spectral/sums.hpp"

namespace fathom {

std::unique_ptr<atmosphere::SumsOnDevice> spectral_sums_of(std::shared_ptr<Device>,
                                                           const atmosphere::OwnColumns&);

}  // namespace fathom
