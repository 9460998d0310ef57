/// The semi-implicit solve and horizontal diffusion on a device, of all coefficients of a sphere:
/// what the processor gives it, and what can be asked of it.
#pragma once
#include <cstddef>
#include <span>
#include <vector>
#include "atmosphere/hydrostatic/linear_columns.hpp"
#include "machine/device.hpp"
#include "parallel/sum/limbs.hpp"

namespace fathom::atmosphere {

template <class T> using SpanOf = std::span<const T>;

/// An m: the number of its first degree among those of all m.
struct ImplicitWave {
    int m, first;
};
/// Tables of SemiImplicit and HorizontalDiffusion; those of degrees m by m.
template <class T> struct ImplicitTables {
    int truncation, padded;  ///< padded: modes
    double radius, beta;
    bool rotates;
    std::ptrdiff_t stride;  ///< of columns
    LinearColumn<T, SpanOf> column;
    SpanOf<ImplicitWave> waves;
    SpanOf<int> degrees;             ///< n
    SpanOf<T> below, above, pivot;   ///< of ImplicitWaves
    SpanOf<T> to_modes, from_modes;  ///< of ModeProducts
    SpanOf<T> damping, lapse;        ///< [n][all, divergent][level]; [level]
    template <class Body> void each_list(const Body& body) {
        body(column.alpha), body(column.log_ratio), body(column.thickness);
        body(column.per_thickness), body(waves), body(degrees), body(below), body(above);
        body(pivot), body(to_modes), body(from_modes), body(damping), body(lapse);
    }
};

class ImplicitOnDevice {
public:
    virtual ~ImplicitOnDevice() = default;
    /// Columns of coefficients, in memory of the device.
    virtual void solve(void* columns) = 0;
    virtual void diffuse(void* columns) = 0;
    /// Sums of kinetic energy by m and level: zero, plus sign times that of the columns.
    virtual void clear_kinetic() = 0;
    virtual void add_kinetic(const void* columns, double sign) = 0;
    /// Of each level: minus the sums of all m.
    virtual std::vector<Limbs> lost_kinetic(double coarse, double fine) = 0;
    /// Adds to the mean temperature of each level [K].
    virtual void warm(void* columns, std::span<const double> more) = 0;
};

}  // namespace fathom::atmosphere
