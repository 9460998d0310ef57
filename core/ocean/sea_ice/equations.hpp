/// The equations of the motion of sea ice (dynamics.hpp) at one cell or one corner, or a pack of
/// them.
#pragma once
#include <memory>
#include <span>
#include <vector>
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "base/pack.hpp"
#include "parallel/halo/packing.hpp"
#include "physics/sea_ice/category.hpp"

namespace fathom::ocean {

struct IceParameters {
    double step;
    int subcycles;
    double strength, drag;  ///< P* [N m-2], c_w [1]
};

using IceNumber = float;  // of the motion, in any model: round-off of small steps decays

/// A value of every column of a block, halo included.
struct IcePlane {
    IceNumber* first = nullptr;
    std::ptrdiff_t width = 0;
    constexpr IceNumber* at(int row, int column) const { return first + row * width + column; }
};

/// Names as in dynamics.hpp. At corners: mass, pushes (wind and slope of the sea), the drag at a
/// speed of one metre per second.
struct IcePlanes {
    IcePlane dx, dy, per_dx, per_dy, xx, yy, per_cell, per_corner, wet, f;   // geometry
    IcePlane a, volume, snow, height, current_x, current_y, wind_x, wind_y;  // given
    IcePlane stress_x, stress_y;
    IcePlane u, v, s1, s2, s12;                               // what changes
    IcePlane strength, ice_area, mass, push_x, push_y, drag;  // of one step
    static constexpr int geometry = 10, given = 10, changing = 5, count = 31;
};

template <class Real> struct IceEquations : IcePlanes {
    static constexpr double ellipse = 2, least_strain = 1e-11, elasticity = 0.36, compactness = 20,
                            least_area = 1e-3, least_mass = 1;  // e [1], D_0 [s-1], T / tau, C;
                                                                // [1], [kg m-2]
    IceParameters p{};
    double per_T, sum_after, other_after;  // per_T: tau_e / 2T
    double per_step;

    constexpr void take(const IceParameters& given) {
        p = given;
        per_T = 1 / (2 * elasticity * p.subcycles);
        sum_after = 1 / (1 + per_T), other_after = 1 / (1 + ellipse * ellipse * per_T);
        per_step = p.subcycles / p.step;
    }

    static constexpr Real load(IcePlane q, int r, int c) { return Real::load(q.at(r, c)); }

    /// Whether ice may push a corner.
    constexpr bool beside_ice(int r, int c) const {
        return *wet.at(r, c) > 0 && (*a.at(r, c) > 0 || *a.at(r, c + 1) > 0 ||
                                     *a.at(r + 1, c) > 0 || *a.at(r + 1, c + 1) > 0);
    }

    /// Strength at a centre.
    constexpr void strengthen(int r, int c) const {
        const Real A = smaller(load(a, r, c), Real(1));
        (p.strength * load(volume, r, c) * exp(-compactness * (1 - A))).store(strength.at(r, c));
    }

    /// At a corner: mass, forces that push the ice, and the drag of the sea.
    constexpr void weigh(int r, int c) const {
        const double density = constants::sea_water_density;
        const auto mean = [&](IcePlane q) {
            return 0.25 * ((load(q, r, c) + load(q, r, c + 1)) +
                           (load(q, r + 1, c) + load(q, r + 1, c + 1)));
        };
        const Real A = smaller(mean(a), Real(1)), m = physics::ice::density * mean(volume) +
                                                      physics::ice::snow_density * mean(snow);
        const auto moves = (load(wet, r, c) > 0) & (A > least_area) & (m > least_mass);
        const Real east = (load(height, r, c + 1) - load(height, r, c)) +
                          (load(height, r + 1, c + 1) - load(height, r + 1, c)),
                   north = (load(height, r + 1, c) - load(height, r, c)) +
                           (load(height, r + 1, c + 1) - load(height, r, c + 1));
        const Real slope = m * (0.5 * constants::gravity), none(0);
        select(moves, A, none).store(ice_area.at(r, c));
        select(moves, m, none).store(mass.at(r, c));
        select(moves, load(u, r, c), none).store(u.at(r, c));
        select(moves, load(v, r, c), none).store(v.at(r, c));
        (A * load(wind_x, r, c) - slope * east / load(dx, r, c)).store(push_x.at(r, c));
        (A * load(wind_y, r, c) - slope * north / load(dy, r, c)).store(push_y.at(r, c));
        (A * (density * p.drag)).store(drag.at(r, c));
    }

    /// One small step of the stress, from the velocities of the four corners of a cell.
    constexpr void strain(int r, int c) const {
        const auto corner = [&](IcePlane q, int east, int north) {
            return load(q, r + north - 1, c + east - 1);
        };
        Real D = 0, tension = 0, shear = 0;
        const Real x2 = load(xx, r, c), y2 = load(yy, r, c);
        for (int east = 0; east < 2; ++east)
            for (int north = 0; north < 2; ++north) {
                const Real U = corner(u, east, north), V = corner(v, east, north),
                           on_x = x2 * corner(per_dx, east, north),
                           on_y = y2 * corner(per_dy, east, north), eU = east ? U : -U,
                           eV = east ? V : -V, nU = north ? U : -U, nV = north ? V : -V;
                D = fma(nV, corner(dx, east, north), fma(eU, corner(dy, east, north), D));
                tension = fma(-nV, on_x, fma(eU, on_y, tension));
                shear = fma(eV, on_y, fma(nU, on_x, shear));
            }
        const Real half = 0.5 * load(per_cell, r, c), D_D = half * D, D_T = half * tension,
                   D_S = half * shear;
        const Real strain = sqrt(D_D * D_D + (D_T * D_T + D_S * D_S) * (1 / (ellipse * ellipse))),
                   P = load(strength, r, c), viscous = P / (strain + least_strain) * per_T;
        ((load(s1, r, c) + viscous * (D_D - strain)) * sum_after).store(s1.at(r, c));
        ((load(s2, r, c) + viscous * D_T) * other_after).store(s2.at(r, c));
        ((load(s12, r, c) + 0.5 * (viscous * D_S)) * other_after).store(s12.at(r, c));
    }

    /// One small step of the velocity, from the stresses of the four cells round a corner.
    constexpr void accelerate(int r, int c) const {
        const Real x = load(dx, r, c), y = load(dy, r, c), per_x = load(per_dx, r, c),
                   per_y = load(per_dy, r, c);
        Real along_x = 0, along_y = 0;
        for (int east = 0; east < 2; ++east)
            for (int north = 0; north < 2; ++north) {
                const auto of = [&](IcePlane q) { return load(q, r + north, c + east); };
                const Real S = of(s1), T = of(s2), X = 2 * of(s12), x2 = of(xx) * per_x,
                           y2 = of(yy) * per_y;
                const Real eS = east ? -S : S, eT = east ? -T : T, eX = east ? -X : X,
                           nS = north ? -S : S, nT = north ? -T : T, nX = north ? -X : X;
                along_x = fma(nX, x2, fma(eT, y2, fma(eS, y, along_x)));
                along_y = fma(eX, y2, fma(-nT, x2, fma(nS, x, along_y)));
            }
        const Real scale = -0.25 * load(per_corner, r, c), m = load(mass, r, c),
                   U = load(current_x, r, c), V = load(current_y, r, c), old_u = load(u, r, c),
                   old_v = load(v, r, c), of_x = U - old_u, of_y = V - old_v;
        const Real drags = load(drag, r, c) * sqrt(of_x * of_x + of_y * of_y),
                   inertia = m * per_step, a = inertia + drags, b = m * load(f, r, c),
                   X = inertia * old_u + load(push_x, r, c) + scale * along_x + drags * U,
                   Y = inertia * old_v + load(push_y, r, c) + scale * along_y + drags * V;
        const Real per = 1 / larger(a * a + b * b, Real(1e-30)), none(0);
        const auto moves = m > 0;
        select(moves, (a * X + b * Y) * per, none).store(u.at(r, c));
        select(moves, (a * Y - b * X) * per, none).store(v.at(r, c));
    }

    /// The ocean gets the wind stress that ice does not take, and the drag of the ice.
    constexpr void push_ocean(int r, int c) const {
        const Real of_x = load(u, r, c) - load(current_x, r, c),
                   of_y = load(v, r, c) - load(current_y, r, c), open = 1 - load(ice_area, r, c);
        const Real drags = select(load(mass, r, c) > 0,
                                  load(drag, r, c) * sqrt(of_x * of_x + of_y * of_y), Real(0));
        (open * load(stress_x, r, c) + drags * of_x).store(stress_x.at(r, c));
        (open * load(stress_y, r, c) + drags * of_y).store(stress_y.at(r, c));
    }
};

/// A block as `prepare` leaves it: the first planes of IcePlanes.
struct IceGeometry {
    int rows, columns, halo;
    std::ptrdiff_t width;
    std::vector<std::vector<IceNumber>> planes;
};

/// All blocks of a rank on a device.
class IceOnDevice {
public:
    virtual ~IceOnDevice() = default;
    /// Fields in the order of IcePlanes, from `a` to `s12`; bytes of their numbers.
    virtual void begin(std::span<const FieldSlab>, int bytes) = 0;
    virtual void small_step() = 0;
    /// Copies the changed fields back.
    virtual void end(std::span<const FieldSlab>, int bytes) = 0;
    /// Of u, v; of s1, s2, s12.
    virtual std::vector<FieldSlab> velocities() const = 0;
    virtual std::vector<FieldSlab> stresses() const = 0;
};

}  // namespace fathom::ocean
