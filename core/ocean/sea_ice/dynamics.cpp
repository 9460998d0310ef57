#include "ocean/sea_ice/dynamics.hpp"
#include <algorithm>
#include <cmath>
#include "machine/device.hpp"
#include "ocean/sea_ice/equations.hpp"

namespace fathom::ocean {

namespace {
using Number = IceNumber;
using Real = Pack<Number, pack_width<Number>>;
constexpr int lanes = Real::width;

/// Copies between a row of a field of either precision and a row of a plane.
void copy_in(const FieldSet& set, const Field& f, int b, IcePlane to, int r, int columns) {
    if (set.bytes() == 4)
        std::copy_n((const float*)f.at[b] + r * f.row[b], columns, to.at(r, 0));
    else
        std::transform((const double*)f.at[b] + r * f.row[b],
                       (const double*)f.at[b] + r * f.row[b] + columns, to.at(r, 0),
                       [](double x) { return Number(x); });
}
void copy_out(const FieldSet& set, const Field& f, int b, IcePlane from, int r, int columns) {
    if (set.bytes() == 4)
        std::copy_n(from.at(r, 0), columns, (float*)f.at[b] + r * f.row[b]);
    else
        std::copy_n(from.at(r, 0), columns, (double*)f.at[b] + r * f.row[b]);
}
}  // namespace

struct IceDynamics::Block : IceEquations<Real> {
    int rows, columns, width, halo;
    std::vector<std::vector<Number>> memory;
    struct Chunk {
        int row, column;
    };
    std::vector<Chunk> cells, corners;  ///< with ice, and with ice next to them; cells also in the
                                        ///< first row and column beyond the block
    std::vector<bool> near;             ///< rows that any of these needs

    /// Rows are padded to whole packs, with spare columns after them.
    Block(int rows, int columns, int halo, const Parameters& p)
        : rows(rows), columns(columns), width((columns / lanes + 2) * lanes), halo(halo) {
        take(p);
        auto* planes = (IcePlane*)static_cast<IcePlanes*>(this);
        for (int n = 0; n < count; ++n) {
            memory.emplace_back(std::size_t(rows + 1) * width + 2 * lanes);
            planes[n] = {memory[n].data(), width};
        }
    }
    Block(const Block&) = delete;
    std::vector<Number>& values(const IcePlane IcePlanes::* plane) {
        return memory[&(this->*plane) - (const IcePlane*)static_cast<const IcePlanes*>(this)];
    }
    IceGeometry as_geometry() const {
        return {rows, columns, halo, width, {memory.begin(), memory.begin() + IcePlanes::geometry}};
    }
    void geometry();
    void find();
    void rest();
};

IceDynamics::IceDynamics(Parameters p) : GlobalProcess("IceDynamics"), parameters(p) {}

void IceDynamics::prepare(Given at) {
    const Domain& d = at.set.domain();
    there = nullptr;
    blocks.clear(), moving.assign(2, {}), resting.assign(3, {});
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        auto block = std::make_shared<Block>(d.rows_of(b), d.columns_of(b), d.halo, parameters);
        const auto in = [&](Item from, IcePlane to) {
            for (int r = 0; r < block->rows; ++r)
                copy_in(at.set, at[from], b, to, r, block->columns);
        };
        in(dx, block->dx), in(dy, block->dy), in(dx_center, block->xx), in(dy_center, block->yy);
        in(wet, block->wet), in(coriolis, block->f);
        block->geometry();
        const auto slab = [&](FieldSlab& s, IcePlane c) {
            s.at.push_back((std::byte*)c.first), s.row.push_back(c.width);
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
    std::vector<Number> memory_of_corner(memory[0].size());
    const IcePlane corner{memory_of_corner.data(), width};
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
    values(&IcePlanes::wet) = memory_of_corner;
    wet.first = values(&IcePlanes::wet).data();
    // also beyond the block, so that no divisor is 0
    for (auto spacing : {&IcePlanes::dx, &IcePlanes::dy})
        for (Number& length : values(spacing)) length = length > 0 ? length : 1;
    const auto invert = [&](auto from, auto to) {
        std::ranges::transform(values(from), values(to).begin(), [](Number x) { return 1 / x; });
    };
    invert(&IcePlanes::dx, &IcePlanes::per_dx), invert(&IcePlanes::dy, &IcePlanes::per_dy);
}

void IceDynamics::exchange(Exchange& e, std::vector<FieldSlab>& slabs, Mover* mover) {
    e.start(slabs, mover);
    e.finish(slabs);
}

void IceDynamics::apply(Given at) {
    for (int b = 0; b < int(blocks.size()); ++b) {
        fill(at, b);
        for (const auto [r, c] : blocks[b]->cells) blocks[b]->strengthen(r, c);
        for (const auto [r, c] : blocks[b]->corners) blocks[b]->weigh(r, c);
    }
    exchange(*velocities, moving);
    exchange(*stresses, resting);
    for (int n = 0; n < parameters.subcycles; ++n) {
        for (auto& block : blocks) {
            for (const auto [r, c] : block->cells) block->strain(r, c);
            for (const auto [r, c] : block->corners) block->accelerate(r, c);
        }
        exchange(*velocities, moving);
    }
    for (int b = 0; b < int(blocks.size()); ++b) {
        Block& block = *blocks[b];
        for (const auto [r, c] : block.corners) block.push_ocean(r, c);
        const auto out = [&](Item to, IcePlane from) {
            for (int r = 0; r < block.rows; ++r)
                copy_out(at.set, at[to], b, from, r, block.columns);
        };
        out(u, block.u), out(v, block.v), out(sum, block.s1), out(difference, block.s2);
        out(shear, block.s12);
        put_under_ice(at, at[stress_x], b, true);
        put_under_ice(at, at[stress_y], b, false);
    }
}

struct IceDynamics::There {
    Device* device;
    std::unique_ptr<IceOnDevice> ice;
    std::unique_ptr<Mover> velocities, stresses;
    std::vector<FieldSlab> moving, resting;
    std::unique_ptr<Device::Recording> small_steps;
};

void IceDynamics::live_on(Device& device) {
    std::vector<IceGeometry> geometry;
    for (auto& block : blocks) geometry.push_back(block->as_geometry());
    auto ice = device.make<IceOnDevice>(std::span<const IceGeometry>(geometry), parameters);
    auto moving = ice->velocities(), resting = ice->stresses();
    there = std::make_shared<There>(
        &device, std::move(ice), device.make<Mover>(velocities->points()),
        device.make<Mover>(stresses->points()), std::move(moving), std::move(resting), nullptr);
}

bool IceDynamics::apply_on(Device& device, Given at) {
    if (!there || there->device != &device) live_on(device);
    There& t = *there;
    std::vector<FieldSlab> fields;  // in the order of IcePlanes
    for (Item item : {area, volume, snow, height, current_x, current_y, wind_x, wind_y, stress_x,
                      stress_y, u, v, sum, difference, shear})
        fields.push_back(at.on_device(item));
    t.ice->begin(fields, at.set.bytes());
    exchange(*velocities, t.moving, t.velocities.get());
    exchange(*stresses, t.resting, t.stresses.get());
    const auto small_steps = [&](auto&& halos) {
        for (int n = 0; n < parameters.subcycles; ++n) t.ice->small_step(), halos();
    };
    if (velocities->travels())
        small_steps([&] { exchange(*velocities, t.moving, t.velocities.get()); });
    else if (!device.records())
        small_steps([&] { t.velocities->copy(t.moving, t.moving); });
    else {
        if (!t.small_steps) {
            device.record();
            small_steps([&] { t.velocities->copy(t.moving, t.moving); });
            t.small_steps = device.recorded();
        }
        t.small_steps->replay();
    }
    t.ice->end(fields, at.set.bytes());
    return true;
}

/// Only where there is ice: elsewhere the stress keeps its exact value.
void IceDynamics::put_under_ice(Given at, const Field& f, int b, bool along_x) {
    Block& block = *blocks[b];
    const IcePlane from = along_x ? block.stress_x : block.stress_y;
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
    const auto in = [&](Item from, IcePlane to) {
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

/// Packs of cells with ice, and of corners next to it: a pack begins at the first ice that the
/// previous pack does not contain.
void IceDynamics::Block::find() {
    cells.clear(), corners.clear(), near.assign(rows + 1, false);
    std::vector<bool> icy(rows + 1);
    for (int r = 0; r < rows; ++r)
        icy[r] = std::any_of(a.at(r, 0), a.at(r, columns), [](Number share) { return share > 0; });
    const auto packs = [&](std::vector<Chunk>& found, int r, int beyond, auto&& wanted) {
        for (int c = halo; c < columns - halo + beyond; ++c)
            if (wanted(r, c)) {
                found.push_back({r, c});
                near[r] = near[r + 1] = true;
                c += lanes - 1;
            }
    };
    for (int r = halo; r < rows - halo + 1; ++r) {
        if (icy[r]) packs(cells, r, 1, [&](int r, int c) { return *a.at(r, c) > 0; });
        if (r < rows - halo && (icy[r] || icy[r + 1]))
            packs(corners, r, 0, [&](int r, int c) { return beside_ice(r, c); });
    }
}

/// Without ice the velocity and the stresses are 0.
void IceDynamics::Block::rest() {
    for (int r = 0; r < rows; ++r) {
        if (!near[r])
            for (const IcePlane& q : {u, v, s1, s2, s12}) std::fill_n(q.at(r, 0), columns, 0);
        for (int c = 0; near[r] && c < columns; ++c) {
            if (!(*a.at(r, c) > 0)) *s1.at(r, c) = *s2.at(r, c) = *s12.at(r, c) = 0;
            if (!beside_ice(r, c)) *u.at(r, c) = *v.at(r, c) = 0;
        }
    }
}

}  // namespace fathom::ocean
