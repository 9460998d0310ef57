/// The semi-implicit solve and horizontal diffusion on a device, of all coefficients of a sphere or
/// a plane: what the processor gives it, and what can be asked of it.
#pragma once
#include <cstddef>
#include <span>
#include <variant>
#include <vector>
#include "atmosphere/hydrostatic/linear_columns.hpp"
#include "atmosphere/nonhydrostatic/compressible_column.hpp"
#include "machine/device.hpp"
#include "parallel/sums/limbs.hpp"

namespace fathom::atmosphere {

template <class T> using SpanOf = std::span<const T>;

/// An m: the first of its coefficients (m, n) among those of all m, and how many.
struct ImplicitWave {
    int first, count;
};
/// Numbers of a coefficient; each has two columns.
template <class T> struct CoefficientThere {
    T laplacian, square;    ///< beta K^2, K^2
    double kinetic;         ///< kinetic energy is this times the squares; 0: it has none
    double all, divergent;  ///< span K of diffusion, and that of divergence
};

/// Gravity waves of modes: on the sphere (tables of ImplicitWaves, m by m),
template <class T> struct WavesOnSphere {
    bool rotates;
    SpanOf<T> below, above, pivot;
    template <class Body> void each_list(const Body& body) {
        body(below), body(above), body(pivot);
    }
};
/// on a stretched sphere (StretchedWaves),
template <class T> struct WavesOnStretchedSphere {
    SpanOf<SquareRow<T>> square;
    SpanOf<T> scale, factor;
    template <class Body> void each_list(const Body& body) {
        body(square), body(scale), body(factor);
    }
};
/// or on a plane: beta^2 M K^2 of each coefficient, 0 of the mean wind; c^2 of each mode; M.
template <class T> struct WavesOnPlane {
    SpanOf<double> waves, speed_squared;
    T square;
    template <class Body> void each_list(const Body& body) { body(waves), body(speed_squared); }
};

template <class T> struct CoefficientTables {
    int padded;             ///< modes
    std::ptrdiff_t stride;  ///< of columns
    SpanOf<ImplicitWave> waves;
    SpanOf<CoefficientThere<T>> coefficients;
    SpanOf<T> to_modes, from_modes;  ///< of ModeProducts
    SpanOf<T> lapse;                 ///< and sponge: of levels
    SpanOf<double> sponge;
    template <class Body> void each_list(const Body& body) {
        body(waves), body(coefficients), body(to_modes), body(from_modes), body(lapse);
        body(sponge);
    }
};
/// vertical: VerticalTerms, or CompressibleTerms; diffusion: DiffusionOfLevels.
template <class T, class Vertical, class Diffusion>
CoefficientTables<T> coefficient_tables(std::ptrdiff_t stride, SpanOf<ImplicitWave> waves,
                                        SpanOf<CoefficientThere<T>> coefficients,
                                        const Vertical& vertical, const Diffusion& diffusion) {
    const auto& modes = vertical.of_modes();
    return {modes.padded(),
            stride,
            waves,
            coefficients,
            modes.to_modes_matrix(),
            modes.from_modes_matrix(),
            diffusion.lapses(),
            diffusion.sponge_of_levels()};
}

template <class T> struct ImplicitTables {
    CoefficientTables<T> of;
    std::variant<LinearColumn<T, SpanOf>, CompressibleColumn<T, SpanOf>> column;
    std::variant<WavesOnSphere<T>, WavesOnStretchedSphere<T>, WavesOnPlane<T>> modes;
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

    /// Of the leapfrog on a sphere (leapfrog_scheme.cpp): columns of X, X- and F, `apart` numbers
    /// from each other, and of kinetic energy. `leap` before the solve of F, `filter` after it.
    struct Leapfrog {
        std::ptrdiff_t apart;
        double whole, share, rest;  ///< 2 beta; of the filter
    };
    virtual void leap(void* columns, const Leapfrog&) = 0;
    virtual void filter(void* columns, const Leapfrog&) = 0;
    /// The whole leapfrog of a tracer, whose columns lie `stride` apart.
    virtual void leap_tracer(void* columns, std::ptrdiff_t stride, const Leapfrog&) = 0;
};

}  // namespace fathom::atmosphere
