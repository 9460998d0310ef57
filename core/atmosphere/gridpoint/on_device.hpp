/// Semi-Lagrangian processes of the grid-point atmosphere on a device: what the processor gives it,
/// and what can be asked of it.
#pragma once
#include <optional>
#include <span>
#include <vector>
#include "atmosphere/gridpoint/climb.hpp"
#include "atmosphere/gridpoint/tracing.hpp"
#include "machine/device.hpp"
#include "parallel/halo/packing.hpp"
#include "semi_lagrangian/device/rows.hpp"

namespace fathom::atmosphere {

/// Tables in memory of the processor; of a sphere, or of a plane.
template <class T> struct CarrierTables {
    std::vector<Line> columns;  ///< one point each, of level 0
    int halo;
    EvenPlane<T> centres, north_faces;
    LevelNodes<T> interfaces, layers, tracers;
    T now, then;  ///< alpha dt, beta dt
    PlaneDepartures<T, LinesThere> on_plane;
    std::optional<SphereDepartures<T>> on_sphere;
    T radius;
    bool deep;
};

/// Rows of fields that lie at the same place of the grid: on a sphere the first are a wind.
enum class RowsOf {
    wind,
    heights,  ///< w of the last step, and heights of levels
    east_faces,
    north_faces,
    interfaces,
    layers,
    tracer,
    two_tracers,
    tracers
};

class CarrierOnDevice {
public:
    virtual ~CarrierOnDevice() = default;
    using Fields = std::vector<FieldSlab>;
    virtual EvenRowsOnDevice& rows(RowsOf) = 0;
    /// Displacements from the wind at arrival and that of the last step, in its rows. height: of a
    /// sphere. displacement: along x, y (on a sphere in space: x, y, axis) and of levels.
    virtual void depart(const Fields& now, const FieldSlab& height, const Fields& displacement,
                        int interpolations, bool onwards) = 0;
    /// The displacement along levels of air that rises with w, from one by the velocity through
    /// levels; of: w and heights of levels at arrival.
    virtual void climb(const Fields& of, const Fields& displacement, const FieldSlab& to) = 0;
    /// The displacements to continue from, since points may have to be traced again.
    virtual void keep(const Fields& displacement, bool give_back) = 0;
    /// Values of rows at departure points; those of tracers are limited to the values around. last:
    /// of northern faces of a sphere, the field whose last row stays.
    virtual void transport(RowsOf, const Fields& displacement, const Fields& to,
                           const FieldSlab& last) = 0;
    /// The wind on poles, in rows of northern faces, from those of eastern faces.
    virtual void blow_over_poles() = 0;
};

}  // namespace fathom::atmosphere
