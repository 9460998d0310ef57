/// Semi-Lagrangian transport on a plane on a device: one thread per point.
#pragma once
#include "trajectory/plane_on_device.hpp"

namespace fathom {

template <class T>
std::unique_ptr<PlaneTransportOnDevice> transport_of(std::shared_ptr<Device>,
                                                     const PlaneTransportTables<T>&);

}  // namespace fathom
