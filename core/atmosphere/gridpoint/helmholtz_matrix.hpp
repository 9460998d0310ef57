/// The coefficients of the Helmholtz equation (linear.hpp) of a column, or of neighbouring ones in
/// a register, and of their eastern and northern faces: on the processor (helmholtz.cpp) as on a
/// device (device/helmholtz_matrix.cpp).
#pragma once
#include <vector>
#include "atmosphere/gridpoint/linear.hpp"
#include "parallel/halo/packing.hpp"
#include "solver/helmholtz/equation.hpp"

namespace fathom::atmosphere::gridpoint {

/// A field about a column.
template <class F> struct AboutColumn {
    const F* at;  ///< the column, level 0
    std::ptrdiff_t row, level;

    template <class Real> struct Column {
        const F* first;
        std::ptrdiff_t level;
        constexpr Real operator[](int k) const { return Real::load(first + k * level); }
    };
    template <class Real> constexpr Column<Real> column(int north = 0, int east = 0) const {
        return {at + north * row + east, level};
    }
    template <class Real> constexpr Real number() const { return Real::load(at); }
};

/// Of the state of the linear equations, and of the grid: one thing of each field.
template <class One> struct OfAir {
    One z, theta, density, exner, area, dx, dy, east, north, open_east, open_north;

    template <class Body> constexpr auto map(const Body& body) const {
        return OfAir<decltype(body(z))>{body(z),     body(theta),     body(density),   body(exner),
                                        body(area),  body(dx),        body(dy),        body(east),
                                        body(north), body(open_east), body(open_north)};
    }
};
template <class F> using AboutAir = OfAir<AboutColumn<F>>;

struct HelmholtzParameters {
    double tau, gravity, heat_capacity, kappa;
};

template <class Real> struct HelmholtzCoefficients {
    Real up, centre, down, east, north;
};

/// A column, or one of its neighbours.
template <class F, class Real> struct ColumnOfAir {
    typename AboutColumn<F>::template Column<Real> z, theta, density;
    constexpr ColumnOfAir(const AboutAir<F>& air, int north, int east)
        : z(air.z.template column<Real>(north, east)),
          theta(air.theta.template column<Real>(north, east)),
          density(air.density.template column<Real>(north, east)) {}
    /// Of the face between both; warm, mass: of the other column.
    constexpr Real face(int k, Real per, Real warm, Real mass) const {
        return per * (warm + theta[k] + theta[k + 1]) * (mass + density[k] * (z[k] - z[k + 1]));
    }
};

/// give(k, the coefficients of a layer), from the top down; damping: of each interface.
template <class Real, class F, class Give>
constexpr void helmholtz_column(const HelmholtzParameters& p, const AboutAir<F>& air,
                                const F* damping, int levels, const Give& give) {
    const ColumnOfAir<F, Real> here(air, 0, 0), beside_east(air, 0, 1), beside_north(air, 1, 0);
    const auto own = linear_column<Real>(here.z, here.theta, here.density, levels, p.tau, p.gravity,
                                         p.heat_capacity);
    const auto number = [](const AboutColumn<F>& f) { return f.template number<Real>(); };
    const auto pi = air.exner.template column<Real>();
    const Real push = F(0.125 * p.tau * p.tau * p.heat_capacity),
               stiffness = F((1 - p.kappa) / p.kappa),
               push_e = push * number(air.east) * number(air.open_east) / number(air.dx),
               push_n = push * number(air.north) * number(air.open_north) / number(air.dy);
    Real above(F(0));
    for (int k = 0; k < levels; ++k) {
        const bool last = k + 1 == levels;
        const Real below = last ? Real(F(0)) : own.push(k + 1, damping[k + 1]),
                   from_above = k ? own.above(k) * above : Real(F(0)),
                   from_below = last ? Real(F(0)) : own.below(k) * below, mass = own.mass(k),
                   warm = here.theta[k] + here.theta[k + 1];
        give(k, HelmholtzCoefficients<Real>{-from_above,
                                            stiffness * mass / pi[k] + from_above - from_below,
                                            from_below, beside_east.face(k, push_e, warm, mass),
                                            beside_north.face(k, push_n, warm, mass)});
        above = below;
    }
}

/// The coefficients of these columns, from fields in memory of a device.
struct HelmholtzColumns {
    int bytes, bytes_of_fields, halo, levels;  ///< bytes: of a number; halo: of fields
    HelmholtzParameters parameters;
    std::vector<HelmholtzBlock> blocks;
    struct Column {
        int block, row, column;
    };
    std::vector<Column> columns;
};
class HelmholtzMatrixOnDevice {
public:
    virtual ~HelmholtzMatrixOnDevice() = default;
    /// damping: of interfaces; up, ...: arrays of the solver there.
    struct Arrays {
        std::byte *up, *centre, *down, *east, *north, *per_area;
    };
    virtual void make(const OfAir<FieldSlab>&, const std::byte* damping, const Arrays&) = 0;
};

}  // namespace fathom::atmosphere::gridpoint
