/// The Helmholtz solver of a grid-point atmosphere on a device: one thread per point, or per column
/// in solves and sums along it; of the separable equation one per row of a mode, per wave of it, or
/// per eight modes of a column.
#pragma once
#include "machine/device.hpp"
#include "solver/helmholtz/on_device.hpp"

namespace fathom {

/// In device/separable.cpp; blocks and columns are in memory of the device.
struct SeparableGrid {
    const HelmholtzBlock* blocks;
    const HelmholtzPoints::Column* columns;
    unsigned count;
    int levels;
};
template <class T>
std::unique_ptr<SeparableOnDevice> separable_of(std::shared_ptr<Device>, const SeparablePoints&,
                                                const SeparableGrid&);

}  // namespace fathom
