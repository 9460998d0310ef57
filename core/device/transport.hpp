/// Semi-Lagrangian advection on a device: one thread per point.
#pragma once
#include "trajectory/on_device.hpp"

namespace fathom {

template <class T>
std::unique_ptr<TransportOnDevice> transport_of(std::shared_ptr<Device>, const TransportPoints<T>&);

}  // namespace fathom
