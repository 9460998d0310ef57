/// Mass of a layer of air, on the processor (mass.hpp) as on a device (device/air_mass.cpp).
#pragma once
#include <vector>
#include "machine/device.hpp"
#include "parallel/sum/limbs.hpp"
#include "parallel/travel/packing.hpp"

namespace fathom::atmosphere {

/// Of a unit of area, between two heights; curvature: of a deep atmosphere, else 0.
constexpr double air_of_layer(double density, double above, double below, double curvature) {
    const double s = 1 + curvature * 0.5 * (above + below);
    return density * (above - below) * s * s;
}

/// Own columns of a rank.
struct AirColumns {
    struct Column {
        int block, row, column;  ///< where it is stored
    };
    int bytes, layers;  ///< bytes: of a number
    double curvature;
    std::vector<Column> columns;
};

/// The mass of air of fields on a device.
class AirMassOnDevice {
public:
    virtual ~AirMassOnDevice() = default;
    /// Makes the terms, of columns.
    virtual void terms(const FieldSlab& density, const FieldSlab& height,
                       const FieldSlab& area) = 0;
    virtual double largest() = 0;  ///< of the terms of this rank
    virtual Limbs limbs(double coarse, double fine) = 0;
    virtual void scale(const FieldSlab& density, double by) = 0;
};

}  // namespace fathom::atmosphere
