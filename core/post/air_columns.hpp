/// Columns of air as arrays: their pressures and heights, and fields of layers at any pressure. The
/// equations are those of air.hpp and between.hpp.
#pragma once
#include <memory>
#include <vector>
#include "post/air.hpp"
#include "post/between.hpp"

namespace fathom::post {

/// The input of a hydrostatic column. Fields (layers, points), of the ground (points).
template <class Number> struct AirState {
    std::vector<double> a, b;  ///< of interfaces, from the top down [Pa, 1]
    Slab<Number> temperature;  ///< [K]
    bool is_virtual;           ///< whether that is T_v
    Slab<Number> humidity;     ///< specific [kg kg-1]; first = nullptr: dry
    const Number *log_surface_pressure, *surface_geopotential;  ///< ln Pa, [m2 s-2]
    std::size_t points;
};

/// Columns whose layers are known: ln p, T, T_v and phi of each (layers, points).
struct AirLayers {
    Slab<double> logarithm, temperature, virtual_temperature, geopotential;
    const double *log_surface_pressure, *surface_geopotential;
    std::size_t points;
};

class AirColumns {
public:
    template <class Number> explicit AirColumns(const AirState<Number>& state);
    explicit AirColumns(const AirLayers& given);

    const std::size_t points;
    const int layers;
    /// (layers + 1, points); the last level is the ground, where T and T_v are extrapolated.
    std::vector<double> x, temperature, virtual_temperature, geopotential;

    /// Targets ln p (targets, points) for the functions that follow.
    void to(Slab<double> logarithms);
    int targets() const { return target.levels; }
    /// ln p (targets, points) at heights above the sea, g z [m2 s-2], by the hydrostatic cubic.
    void at_geopotential(Slab<double> wanted, double* logarithms) const;
    /// ln p where a field of layers first reaches a value on the way down, linear between layers;
    /// NaN where it does not.
    template <class Number>
    void where(Slab<Number> values, double wanted, bool rising, double* logarithms) const;

    /// A field of layers; below the lowest layer its value there. order: 1 or 3.
    template <class Number> void at(Slab<Number> values, int order, double* result) const;
    void temperature_at(int order, double* result) const;  ///< below the ground too
    void geopotential_at(double* result) const;            ///< below the ground too
    void mean_sea_level_pressure(double* result) const;
    /// Of layers, from the specific one.
    template <class Number> void relative_humidity(Slab<Number> humidity, double* result) const;

private:
    AirColumns(int layers, std::size_t points);
    template <class Number> void take(const AirState<Number>& state);
    void find_hydrostatics(const std::vector<double>& a, const std::vector<double>& b);
    template <class Real> void find_ground(std::size_t p, Real number);
    Slab<double> levels(const std::vector<double>& field, int count) const {
        return {field.data(), std::ptrdiff_t(points), 1, count};
    }
    const Between& among_layers() const;
    const Between& above_ground() const;
    std::unique_ptr<Between> found(int count, const Between* other) const;

    Slab<double> target{};
    mutable std::unique_ptr<Between> between, grounded;  ///< without, with the ground
};

/// ln p and phi of layers (layers, points) between interfaces of known pressure (layers + 1,
/// points).
void hydrostatic_layers(Slab<double> interfaces, Slab<double> virtual_temperature,
                        const double* surface_geopotential, std::size_t points, double* logarithms,
                        double* geopotentials);

}  // namespace fathom::post
