/// Transforms on a device: one thread per row, or sum, or column, of each field.
#pragma once
#include "transform/on_device.hpp"

namespace fathom {

template <class T>
std::unique_ptr<TransformOnDevice> transform_of(std::shared_ptr<Device>, const TransformTables<T>&);

}  // namespace fathom
