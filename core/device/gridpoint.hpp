/// Semi-Lagrangian processes of a grid-point atmosphere on a device: one thread per point.
#pragma once
#include "atmosphere/gridpoint/on_device.hpp"

namespace fathom {

template <class T>
std::unique_ptr<atmosphere::CarrierOnDevice> carrier_of(std::shared_ptr<Device>,
                                                        const atmosphere::CarrierTables<T>&);

}  // namespace fathom
