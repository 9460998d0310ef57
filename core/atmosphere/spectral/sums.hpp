/// Sums over the sphere or the plane that conserve mass and energy: their terms, of one layer or
/// column, on the processor (engine.hpp) as on a device (device/spectral_sums.cpp).
#pragma once
#include <array>
#include <vector>
#include "atmosphere/hydrostatic/energy.hpp"
#include "atmosphere/hydrostatic/hybrid.hpp"
#include "atmosphere/tracer_share.hpp"
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "machine/device.hpp"
#include "parallel/halo/packing.hpp"
#include "parallel/sums/limbs.hpp"

namespace fathom::atmosphere {

/// Surface pressure over 100000 Pa.
constexpr double pressure_ratio(double log_ratio) { return exp(Pack<double, 1>(log_ratio)).lanes; }

/// Of a layer: its thickness is da + db p_s [Pa].
struct LayerThickness {
    double da, db;
    constexpr double operator()(double surface_pressure) const {
        return da + db * surface_pressure;
    }
};

/// Of a layer, minus that of air of 250 K, times g [Pa m2 s-2].
constexpr double energy_of_layer(double thickness, double heat_capacity, double temperature,
                                 double east, double north) {
    return thickness * (heat_capacity * (temperature - ColumnEnergy::warmth) +
                        0.5 * (east * east + north * north));
}

/// Of a point, half its weight given: kinetic energy [m2 s-2].
constexpr double kinetic_of_point(double half_weight, double east, double north) {
    return half_weight * (east * east + north * north);
}

/// The columns of a rank and its layers.
struct OwnColumns {
    struct Column {
        int block, row, column;  ///< where it is stored
        double weight;           ///< in means
    };
    int bytes;  ///< of a number
    std::vector<Column> columns;
    std::vector<LayerThickness> layers;
    /// Points of a map; weight: its factor there to the power -1, 1, 2. None: it is 1.
    std::array<std::vector<Column>, 3> mapped = {};
};

/// The same of fields on a device. Each of the first functions makes terms.
class SumsOnDevice {
public:
    virtual ~SumsOnDevice() = default;
    virtual void pressure(const FieldSlab& log_ratio) = 0;
    /// Of q dp, and of its share times dp, the second terms.
    virtual void masses(const FieldSlab& tracer, const FieldSlab& log_ratio, double mean) = 0;
    struct Energy {
        FieldSlab before, height, east, north, temperature, log_ratio;
    };
    virtual void energy(const Energy&, double heat_capacity) = 0;
    /// Of the kinetic energy of each level, this rank's part of the mean [m2 s-2].
    virtual std::vector<Limbs> kinetic(const FieldSlab& east, const FieldSlab& north, double coarse,
                                       double fine) = 0;
    /// Of the terms of this rank: the largest size, and their sum.
    virtual double largest(int which) = 0;
    virtual Limbs limbs(int which, double coarse, double fine) = 0;

    /// To all levels of own columns.
    virtual void add(const FieldSlab&, double more) = 0;
    /// All levels of points of a map times a power of its factor.
    virtual void times_map_factor(const FieldSlab&, int power) = 0;
    /// to = factor from
    virtual void copy_times(const FieldSlab& from, const FieldSlab& to, double factor) = 0;
    /// q += c times its share.
    virtual void correct(const FieldSlab& tracer, double mean, double c) = 0;
};

}  // namespace fathom::atmosphere
