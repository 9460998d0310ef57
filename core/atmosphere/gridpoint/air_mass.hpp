/// Mass of a layer of air and of what it carries, on the processor (mass.hpp) as on a device
/// (device/air_mass.cpp).
#pragma once
#include <vector>
#include "machine/device.hpp"
#include "parallel/halo/packing.hpp"
#include "parallel/sums/limbs.hpp"

namespace fathom::atmosphere {

/// Of a unit of area, between two heights; curvature: of a deep atmosphere, else 0.
constexpr double air_of_layer(double density, double above, double below, double curvature) {
    const double s = 1 + curvature * 0.5 * (above + below);
    return density * (above - below) * s * s;
}

/// Of a tracer in a layer, from the values at its interfaces.
template <class T> constexpr double mean_of_layer(T above, T below) {
    return 0.5 * (double(above) + double(below));
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

/// The mass of air, and of tracers, of fields on a device.
class AirMassOnDevice {
public:
    virtual ~AirMassOnDevice() = default;
    struct Air {
        FieldSlab density, height, area;
    };
    /// Each of these makes terms, of columns: of the mass of air; of that of a tracer and, the
    /// second terms, of its shares (tracer_share.hpp).
    virtual void terms(const Air&) = 0;
    virtual void terms(const Air&, const FieldSlab& tracer, double mean) = 0;
    /// Of the terms of this rank: the largest size, and their sum.
    virtual double largest(int which) = 0;
    virtual Limbs limbs(int which, double coarse, double fine) = 0;

    virtual void scale(const FieldSlab& density, double by) = 0;
    /// q += c times its share.
    virtual void correct(const FieldSlab& tracer, double mean, double c) = 0;
};

}  // namespace fathom::atmosphere
