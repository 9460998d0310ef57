/// The semi-implicit solve of a spectral atmosphere on a device: one thread per column, per mode of
/// a column, or per mode of a wavenumber.
#pragma once
#include "atmosphere/spectral/implicit_on_device.hpp"

namespace fathom {

template <class T>
std::unique_ptr<atmosphere::ImplicitOnDevice> implicit_of(std::shared_ptr<Device>,
                                                          const atmosphere::ImplicitTables<T>&);

}  // namespace fathom
