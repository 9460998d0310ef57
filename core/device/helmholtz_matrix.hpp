/// The coefficients of the Helmholtz equation on a device: one thread per column.
#pragma once
#include <memory>
#include "atmosphere/gridpoint/helmholtz_matrix.hpp"
#include "machine/device.hpp"

namespace fathom {

std::unique_ptr<atmosphere::gridpoint::HelmholtzMatrixOnDevice> helmholtz_matrix_of(
    std::shared_ptr<Device>, const atmosphere::gridpoint::HelmholtzColumns&);

}  // namespace fathom
