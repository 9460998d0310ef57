/// Semi-Lagrangian processes of the grid-point atmosphere on a device, of one rank: what the
/// processor gives it, and what can be asked of it.
#pragma once
#include <optional>
#include <span>
#include <vector>
#include "atmosphere/gridpoint/tracing.hpp"
#include "machine/device.hpp"
#include "parallel/travel/packing.hpp"

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

class CarrierOnDevice {
public:
    virtual ~CarrierOnDevice() = default;
    using Fields = std::vector<FieldSlab>;
    /// Displacements from the wind at arrival and that of the last step; before: null as in the
    /// last call. height: of a sphere. displacement: along x, y (on a sphere in space: x, y, axis)
    /// and of levels.
    virtual void depart(const Fields& now, const Fields* before, const FieldSlab& height,
                        const Fields& displacement, int interpolations, bool onwards) = 0;
    /// Fields that lie at the same place of the grid; first a wind, of a sphere.
    struct Places {
        Fields east_faces, north_faces, interfaces, layers;
    };
    /// anew: the fields of `from` differ from those of the last call.
    virtual void transport(const Fields& displacement, const Places& from, const Places& to,
                           bool anew) = 0;
    /// Limited to the values around.
    virtual void transport(const Fields& displacement, const Fields& tracers) = 0;
};

}  // namespace fathom::atmosphere
