#include "ocean/sea_ice/dynamics.hpp"
#include <algorithm>
#include <cmath>
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "physics/sea_ice/category.hpp"

namespace fathom::ocean {

namespace {
using Number = float;  // of the motion, whatever the model has: small steps forget round-off
using Real = Pack<Number, cell_width<Number>>;
constexpr int lanes = Real::width;
constexpr double ellipse = 2, least_strain = 1e-11, elasticity = 0.36, compactness = 20,
                 least_area = 1e-3, least_mass = 1;  // e [1], D_0 [s-1], T / tau, C; [1], [kg m-2]

/// A value of every column of a block, halo included; rows of whole packs, with room beyond.
struct Columns {
    std::vector<Number> value;
    int width = 0;
    Columns() = default;
    Columns(int rows, int width) : value(std::size_t(rows + 1) * width + 2 * lanes), width(width) {}
    Number* at(int row, int column) { return value.data() + std::size_t(row) * width + column; }
    Real load(int row, int column) { return Real::load(at(row, column)); }
};

/// Both ways between a row of a field of either precision and one of columns.
void copy_in(const FieldSet& set, const Field& f, int b, Columns& to, int r, int columns) {
    if (set.bytes() == 4)
        std::copy_n((const float*)f.at[b] + r * f.row[b], columns, to.at(r, 0));
    else
        std::transform((const double*)f.at[b] + r * f.row[b],
                       (const double*)f.at[b] + r * f.row[b] + columns, to.at(r, 0),
                       [](double x) { return Number(x); });
}
void copy_out(const FieldSet& set, const Field& f, int b, Columns& from, int r, int columns) {
    if (set.bytes() == 4)
        std::copy_n(from.at(r, 0), columns, (float*)f.at[b] + r * f.row[b]);
    else
        std::copy_n(from.at(r, 0), columns, (double*)f.at[b] + r * f.row[b]);
}
}  // namespace

/// Names as in dynamics.hpp. Of corners: mass, pushes (wind and slope of the sea), what a drag of
/// one metre a second is.
struct IceDynamics::Block {
    int rows, columns, width, halo;
    Columns dx, dy, per_dx, per_dy, xx, yy, per_cell, per_corner, wet, f;   // geometry
    Columns a, volume, snow, height, current_x, current_y, wind_x, wind_y;  // given
    Columns strength, ice_area, mass, push_x, push_y, drag;                 // of a step
    Columns u, v, s1, s2, s12;                                              // what changes
    Columns stress_x, stress_y;
    struct Chunk {
        int row, column;
    };
    std::vector<Chunk> cells, corners;  ///< with ice, and with ice beside them; cells of the first
                                        ///< row and column beyond the block too
    std::vector<bool> near;             ///< rows that any of these needs

    Block(int rows, int columns, int halo)
        : rows(rows), columns(columns), width((columns / lanes + 2) * lanes), halo(halo) {
        for (Columns* c :
             {&dx,     &dy,     &per_dx, &per_dy, &xx,     &yy,       &per_cell,  &per_corner,
              &wet,    &f,      &a,      &volume, &snow,   &height,   &current_x, &current_y,
              &wind_x, &wind_y, &mass,   &push_x, &push_y, &drag,     &strength,  &ice_area,
              &u,      &v,      &s1,     &s2,     &s12,    &stress_x, &stress_y})
            *c = Columns(rows, width);
    }
    void geometry();
    bool beside_ice(int row, int column);
    void find();
    void rest();
    void weigh(const Parameters&);
    void strain(const Parameters&);
    void accelerate(const Parameters&);
    void push_ocean();
};

IceDynamics::IceDynamics(Parameters p) : GlobalProcess("IceDynamics"), parameters(p) {}

void IceDynamics::prepare(Given at) {
    const Domain& d = at.set.domain();
    blocks.clear(), moving.assign(2, {}), resting.assign(3, {});
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        auto block = std::make_shared<Block>(d.rows_of(b), d.columns_of(b), d.halo);
        const auto in = [&](Item from, Columns& to) {
            for (int r = 0; r < block->rows; ++r)
                copy_in(at.set, at[from], b, to, r, block->columns);
        };
        in(dx, block->dx), in(dy, block->dy), in(dx_center, block->xx), in(dy_center, block->yy);
        in(wet, block->wet), in(coriolis, block->f);
        block->geometry();
        const auto slab = [&](FieldSlab& s, Columns& c) {
            s.at.push_back((std::byte*)c.value.data()), s.row.push_back(c.width);
            s.level.push_back(0), s.levels = 1;
        };
        slab(moving[0], block->u), slab(moving[1], block->v);
        slab(resting[0], block->s1), slab(resting[1], block->s2), slab(resting[2], block->s12);
        blocks.push_back(std::move(block));
    }
    const Exchange::Item velocity{Horizontal::corner, true, 1, 1},
        stress{Horizontal::center, false, 1, 1};
    velocities = std::make_unique<Exchange>(d.comm, d.decomposition, d.halo, int(sizeof(Number)),
                                            std::vector{velocity, velocity}, d.exchange);
    stresses = std::make_unique<Exchange>(d.comm, d.decomposition, d.halo, int(sizeof(Number)),
                                          std::vector{stress, stress, stress}, d.exchange);
}

/// Squares of the spacings of cells, inverse areas, corners that are wet.
void IceDynamics::Block::geometry() {
    Columns corner(rows, width);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const Number x = *xx.at(r, c), y = *yy.at(r, c);
            *per_cell.at(r, c) = x * y > 0 ? 1 / (x * y) : 0;
            *xx.at(r, c) = x * x, *yy.at(r, c) = y * y;
            const bool inside = r + 1 < rows && c + 1 < columns;
            *corner.at(r, c) = inside && *wet.at(r, c) > 0 && *wet.at(r + 1, c) > 0 &&
                               *wet.at(r, c + 1) > 0 && *wet.at(r + 1, c + 1) > 0;
            *per_corner.at(r, c) = *corner.at(r, c) > 0 ? 1 / (*dx.at(r, c) * *dy.at(r, c)) : 0;
        }
    wet = corner;
    for (Columns* spacing : {&dx, &dy})  // beyond the block too: what is divided by is not 0
        for (Number& length : spacing->value) length = length > 0 ? length : 1;
    const auto inverse = [](Number x) { return 1 / x; };
    std::ranges::transform(dx.value, per_dx.value.begin(), inverse);
    std::ranges::transform(dy.value, per_dy.value.begin(), inverse);
}

void IceDynamics::exchange(Exchange& e, std::vector<FieldSlab>& slabs) {
    e.start(slabs);
    e.finish(slabs);
}

void IceDynamics::apply(Given at) {
    for (int b = 0; b < int(blocks.size()); ++b) {
        fill(at, b);
        blocks[b]->weigh(parameters);
    }
    exchange(*velocities, moving);
    exchange(*stresses, resting);
    for (int n = 0; n < parameters.subcycles; ++n) {
        for (auto& block : blocks) block->strain(parameters), block->accelerate(parameters);
        exchange(*velocities, moving);
    }
    for (int b = 0; b < int(blocks.size()); ++b) {
        Block& block = *blocks[b];
        block.push_ocean();
        const auto out = [&](Item to, Columns& from) {
            for (int r = 0; r < block.rows; ++r)
                copy_out(at.set, at[to], b, from, r, block.columns);
        };
        out(u, block.u), out(v, block.v), out(sum, block.s1), out(difference, block.s2);
        out(shear, block.s12);
        put_under_ice(at, at[stress_x], b, true);
        put_under_ice(at, at[stress_y], b, false);
    }
}

/// Where there is ice alone: elsewhere the stress keeps all its digits.
void IceDynamics::put_under_ice(Given at, const Field& f, int b, bool along_x) {
    Block& block = *blocks[b];
    Columns& from = along_x ? block.stress_x : block.stress_y;
    for (const auto [r, c] : block.corners)
        for (int x = c; x < std::min(c + lanes, block.columns - block.halo); ++x)
            if (*block.mass.at(r, x) > 0) {
                if (at.set.bytes() == 4)
                    ((float*)f.at[b])[r * f.row[b] + x] = *from.at(r, x);
                else
                    ((double*)f.at[b])[r * f.row[b] + x] = *from.at(r, x);
            }
}

void IceDynamics::fill(Given at, int b) {
    Block& block = *blocks[b];
    for (int r = 0; r < block.rows; ++r) copy_in(at.set, at[area], b, block.a, r, block.columns);
    block.find();
    const auto in = [&](Item from, Columns& to) {
        for (int r = 0; r < block.rows; ++r)
            if (block.near[r]) copy_in(at.set, at[from], b, to, r, block.columns);
    };
    in(volume, block.volume), in(snow, block.snow), in(height, block.height);
    in(current_x, block.current_x), in(current_y, block.current_y);
    in(wind_x, block.wind_x), in(wind_y, block.wind_y);
    in(stress_x, block.stress_x), in(stress_y, block.stress_y);
    in(u, block.u), in(v, block.v), in(sum, block.s1), in(difference, block.s2);
    in(shear, block.s12);
    block.rest();
}

/// Whether ice may push a corner.
bool IceDynamics::Block::beside_ice(int r, int c) {
    return *wet.at(r, c) > 0 && (*a.at(r, c) > 0 || *a.at(r, c + 1) > 0 || *a.at(r + 1, c) > 0 ||
                                 *a.at(r + 1, c + 1) > 0);
}

/// Packs of cells with ice, and of corners beside it: a pack begins where there is ice that the one
/// before does not hold.
void IceDynamics::Block::find() {
    cells.clear(), corners.clear(), near.assign(rows, false);
    const auto packs = [&](std::vector<Chunk>& found, int beyond, auto&& wanted) {
        for (int r = halo; r < rows - halo + beyond; ++r)
            for (int c = halo; c < columns - halo + beyond; ++c)
                if (wanted(r, c)) {
                    found.push_back({r, c});
                    near[r] = near[r + 1] = true;
                    c += lanes - 1;
                }
    };
    packs(cells, 1, [&](int r, int c) { return *a.at(r, c) > 0; });
    packs(corners, 0, [&](int r, int c) { return beside_ice(r, c); });
}

/// Where there is no ice, nothing moves and nothing presses.
void IceDynamics::Block::rest() {
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            if (!near[r] || !(*a.at(r, c) > 0)) *s1.at(r, c) = *s2.at(r, c) = *s12.at(r, c) = 0;
            if (!near[r] || !beside_ice(r, c)) *u.at(r, c) = *v.at(r, c) = 0;
        }
}

/// Strength at centres; at corners mass, what pushes the ice, and the drag of the sea.
void IceDynamics::Block::weigh(const Parameters& p) {
    const double density = constants::sea_water_density;
    for (const auto [r, c] : cells) {
        const Real A = smaller(a.load(r, c), Real(1));
        (p.strength * volume.load(r, c) * exp(-compactness * (1 - A))).store(strength.at(r, c));
    }
    for (const auto [r, c] : corners) {
        const auto mean = [&](Columns& q) {
            return 0.25 *
                   ((q.load(r, c) + q.load(r, c + 1)) + (q.load(r + 1, c) + q.load(r + 1, c + 1)));
        };
        const Real A = smaller(mean(a), Real(1)), m = physics::ice::density * mean(volume) +
                                                      physics::ice::snow_density * mean(snow);
        const auto moves = (wet.load(r, c) > 0) & (A > least_area) & (m > least_mass);
        const Real east = (height.load(r, c + 1) - height.load(r, c)) +
                          (height.load(r + 1, c + 1) - height.load(r + 1, c)),
                   north = (height.load(r + 1, c) - height.load(r, c)) +
                           (height.load(r + 1, c + 1) - height.load(r, c + 1));
        const Real slope = m * (0.5 * constants::gravity), none(0);
        select(moves, A, none).store(ice_area.at(r, c));
        select(moves, m, none).store(mass.at(r, c));
        select(moves, u.load(r, c), none).store(u.at(r, c));
        select(moves, v.load(r, c), none).store(v.at(r, c));
        (A * wind_x.load(r, c) - slope * east / dx.load(r, c)).store(push_x.at(r, c));
        (A * wind_y.load(r, c) - slope * north / dy.load(r, c)).store(push_y.at(r, c));
        (A * (density * p.drag)).store(drag.at(r, c));
    }
}

/// One small step of the stress, from the velocities of the four corners of a cell.
void IceDynamics::Block::strain(const Parameters& p) {
    const double per_T = 1 / (2 * elasticity * p.subcycles),  // tau_e / 2T
        sum_after = 1 / (1 + per_T), other_after = 1 / (1 + ellipse * ellipse * per_T);
    for (const auto [r, c] : cells) {
        const auto corner = [&](Columns& q, int east, int north) {
            return q.load(r + north - 1, c + east - 1);
        };
        Real D = 0, tension = 0, shear = 0;
        const Real x2 = xx.load(r, c), y2 = yy.load(r, c);
        for (int east = 0; east < 2; ++east)
            for (int north = 0; north < 2; ++north) {
                const Real U = corner(u, east, north), V = corner(v, east, north),
                           x = corner(dx, east, north), y = corner(dy, east, north),
                           on_x = x2 * corner(per_dx, east, north),
                           on_y = y2 * corner(per_dy, east, north);
                const double e = east ? 1 : -1, n = north ? 1 : -1;
                D += e * (U * y) + n * (V * x);
                tension += e * (U * on_y) - n * (V * on_x);
                shear += n * (U * on_x) + e * (V * on_y);
            }
        const Real half = 0.5 * per_cell.load(r, c), D_D = half * D, D_T = half * tension,
                   D_S = half * shear;
        const Real strain = sqrt(D_D * D_D + (D_T * D_T + D_S * D_S) * (1 / (ellipse * ellipse))),
                   P = strength.load(r, c), viscous = P / (strain + least_strain) * per_T;
        ((s1.load(r, c) + viscous * (D_D - strain)) * sum_after).store(s1.at(r, c));
        ((s2.load(r, c) + viscous * D_T) * other_after).store(s2.at(r, c));
        ((s12.load(r, c) + 0.5 * (viscous * D_S)) * other_after).store(s12.at(r, c));
    }
}

/// One small step of the velocity, from the stresses of the four cells round a corner.
void IceDynamics::Block::accelerate(const Parameters& p) {
    const double per_step = p.subcycles / p.step;
    for (const auto [r, c] : corners) {
        const Real x = dx.load(r, c), y = dy.load(r, c), per_x = per_dx.load(r, c),
                   per_y = per_dy.load(r, c);
        Real along_x = 0, along_y = 0;
        for (int east = 0; east < 2; ++east)
            for (int north = 0; north < 2; ++north) {
                const double e = east ? -1 : 1, n = north ? -1 : 1;  // the corner, from that cell
                const auto of = [&](Columns& q) { return q.load(r + north, c + east); };
                const Real S = of(s1), T = of(s2), X = 2 * of(s12), x2 = of(xx) * per_x,
                           y2 = of(yy) * per_y;
                along_x += e * (S * y + T * y2) + n * (X * x2);
                along_y += n * (S * x - T * x2) + e * (X * y2);
            }
        const Real scale = -0.25 * per_corner.load(r, c), m = mass.load(r, c),
                   U = current_x.load(r, c), V = current_y.load(r, c), old_u = u.load(r, c),
                   old_v = v.load(r, c), of_x = U - old_u, of_y = V - old_v;
        const Real drags = drag.load(r, c) * sqrt(of_x * of_x + of_y * of_y),
                   inertia = m * per_step, a = inertia + drags, b = m * f.load(r, c),
                   X = inertia * old_u + push_x.load(r, c) + scale * along_x + drags * U,
                   Y = inertia * old_v + push_y.load(r, c) + scale * along_y + drags * V;
        const Real per = 1 / larger(a * a + b * b, Real(1e-30)), none(0);
        const auto moves = m > 0;
        select(moves, (a * X + b * Y) * per, none).store(u.at(r, c));
        select(moves, (a * Y - b * X) * per, none).store(v.at(r, c));
    }
}

/// The ocean gets what the ice leaves of the wind, and what the ice drags.
void IceDynamics::Block::push_ocean() {
    for (const auto [r, c] : corners) {
        const Real of_x = u.load(r, c) - current_x.load(r, c),
                   of_y = v.load(r, c) - current_y.load(r, c), open = 1 - ice_area.load(r, c);
        const Real drags =
            select(mass.load(r, c) > 0, drag.load(r, c) * sqrt(of_x * of_x + of_y * of_y), Real(0));
        (open * stress_x.load(r, c) + drags * of_x).store(stress_x.at(r, c));
        (open * stress_y.load(r, c) + drags * of_y).store(stress_y.at(r, c));
    }
}

}  // namespace fathom::ocean
