/// Semi-Lagrangian advection on a plane on a device: what the processor gives it, and what can be
/// asked of it.
#pragma once
#include <span>
#include <vector>
#include "machine/device.hpp"
#include "parallel/halo/packing.hpp"
#include "semi_lagrangian/device/rows.hpp"
#include "semi_lagrangian/plane/rotation.hpp"
#include "semi_lagrangian/plane/tracing.hpp"

namespace fathom {

/// Tables in memory of the processor.
template <class T> struct PlaneTransportTables {
    std::vector<Line> columns;  ///< one point each, of level 0
    int halo;
    EvenPlane<T> plane;
    const LevelNodes<T>& nodes;
    MapTracing<T, LinesThere> tracing;
    const Turns<T, LinesHere>& turning;
    const std::vector<T>& factor;  ///< of the map, row by row; empty: 1
    SegmentsThere of_one;          ///< of rows with one number at a point
};

class PlaneTransportOnDevice {
public:
    virtual ~PlaneTransportOnDevice() = default;
    /// Rows of four fields, and of one; those of a wind times the map factor.
    virtual EvenRowsOnDevice& four() = 0;
    virtual EvenRowsOnDevice& one() = 0;
    virtual void times_map_factor() = 0;
    struct Wind {
        FieldSlab east, north, vertical;
    };
    /// Displacements, from the wind at arrival and the extrapolated one, which is packed.
    virtual void trace(const Wind& now) = 0;
    /// Of interfaces, from those of layers.
    virtual void trace_between(const PlaneTransportOnDevice& layers) = 0;
    /// What is packed; wind: the first two are a vector.
    virtual void interpolate(std::span<const FieldSlab> to, bool wind, bool monotone) = 0;
};

}  // namespace fathom
