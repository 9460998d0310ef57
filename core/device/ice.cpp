/// The motion of sea ice on a device: a thread for each cell, and each corner.
#include "device/engines.hpp"
#include "machine/launch.hpp"
#include "ocean/sea_ice/equations.hpp"

namespace fathom {

namespace {

using namespace ocean;
using Number = IceNumber;
using Equations = IceEquations<Pack<Number, 1>>;

/// Points of a part of a block, one after another.
struct Window {
    int row, column, rows, columns;  // where it begins, and how many
    constexpr std::size_t points() const { return std::size_t(rows) * columns; }
    constexpr int row_of(std::size_t n) const { return row + int(n) / columns; }
    constexpr int column_of(std::size_t n) const { return column + int(n) % columns; }
};

/// Planes from the fields of a model.
template <class From> struct Take {
    Window window;
    static constexpr int most = IcePlanes::given + IcePlanes::changing;
    std::array<IcePlane, most> to;
    std::array<const From*, most> from;
    std::array<std::ptrdiff_t, most> row;
    constexpr void operator()(std::size_t n) const {
        const int r = window.row_of(n), c = window.column_of(n);
        for (int q = 0; q < most; ++q) *to[q].at(r, c) = Number(from[q][r * row[q] + c]);
    }
};

/// Without ice the velocity and the stresses are 0.
struct Rest {
    Window window;
    Equations ice;
    constexpr void operator()(std::size_t n) const {
        const int r = window.row_of(n), c = window.column_of(n);
        if (!(*ice.a.at(r, c) > 0)) *ice.s1.at(r, c) = *ice.s2.at(r, c) = *ice.s12.at(r, c) = 0;
        if (!ice.beside_ice(r, c)) *ice.u.at(r, c) = *ice.v.at(r, c) = 0;
        *ice.ice_area.at(r, c) = *ice.mass.at(r, c) = 0;
    }
};
struct Strengthen {
    Window window;
    Equations ice;
    constexpr void operator()(std::size_t n) const {
        const int r = window.row_of(n), c = window.column_of(n);
        if (*ice.a.at(r, c) > 0) ice.strengthen(r, c);
    }
};
struct Weigh {
    Window window;
    Equations ice;
    constexpr void operator()(std::size_t n) const {
        const int r = window.row_of(n), c = window.column_of(n);
        if (ice.beside_ice(r, c)) ice.weigh(r, c);
    }
};
struct Strain {
    Window window;
    Equations ice;
    constexpr void operator()(std::size_t n) const {
        const int r = window.row_of(n), c = window.column_of(n);
        if (*ice.a.at(r, c) > 0) ice.strain(r, c);
    }
};
/// Points without moving ice stay at rest.
struct Accelerate {
    Window window;
    Equations ice;
    constexpr void operator()(std::size_t n) const {
        const int r = window.row_of(n), c = window.column_of(n);
        if (*ice.mass.at(r, c) > 0) ice.accelerate(r, c);
    }
};

template <class To> struct Give {
    Window window, inner;
    Equations ice;
    static constexpr int changing = IcePlanes::changing;
    std::array<IcePlane, changing> from;
    std::array<To*, changing> to;
    std::array<std::ptrdiff_t, changing> row;
    To *stress_x, *stress_y;
    std::ptrdiff_t row_x, row_y;
    constexpr void operator()(std::size_t n) const {
        const int r = window.row_of(n), c = window.column_of(n);
        for (int q = 0; q < changing; ++q) to[q][r * row[q] + c] = To(*from[q].at(r, c));
        const bool inside = r >= inner.row && r < inner.row + inner.rows && c >= inner.column &&
                            c < inner.column + inner.columns;
        // elsewhere the stress of wind and sea stays exact
        if (!inside || !(*ice.mass.at(r, c) > 0)) return;
        ice.push_ocean(r, c);
        stress_x[r * row_x + c] = To(*ice.stress_x.at(r, c));
        stress_y[r * row_y + c] = To(*ice.stress_y.at(r, c));
    }
};

class Ice final : public IceOnDevice {
public:
    Ice(std::shared_ptr<Device> device, const std::span<const IceGeometry>& given,
        const IceParameters& parameters) {
        for (auto& g : given) {
            Block& b = blocks.emplace_back();
            const int inner_rows = g.rows - 2 * g.halo, inner_columns = g.columns - 2 * g.halo;
            b.all = {0, 0, g.rows, g.columns};
            b.corners = {g.halo, g.halo, inner_rows, inner_columns};
            b.cells = {g.halo, g.halo, inner_rows + 1, inner_columns + 1};
            b.ice.take(parameters);
            const std::size_t numbers = g.planes[0].size();
            b.memory = DeviceMemory(device, IcePlanes::count * numbers * sizeof(Number));
            for (int n = 0; n < IcePlanes::count; ++n) {
                auto* first = (Number*)b.memory.at + n * numbers;
                b.planes()[n] = {first, g.width};
                if (n < int(g.planes.size()))
                    device->copy(first, g.planes[n].data(), numbers * sizeof(Number),
                                 Device::Way::to_device);
            }
        }
        device->wait();
    }

    void begin(std::span<const FieldSlab> fields, int bytes) override {
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            bytes == 4 ? take<float>(fields, b) : take<double>(fields, b);
            Block& block = blocks[b];
            each<Rest>(block, block.all);
            each<Strengthen>(block, block.cells);
            each<Weigh>(block, block.corners);
        }
    }

    void small_step() override {
        for (auto& block : blocks) {
            each<Strain>(block, block.cells);
            each<Accelerate>(block, block.corners);
        }
    }

    void end(std::span<const FieldSlab> fields, int bytes) override {
        for (std::size_t b = 0; b < blocks.size(); ++b)
            bytes == 4 ? give<float>(fields, b) : give<double>(fields, b);
    }

    std::vector<FieldSlab> velocities() const override {
        return {slab(&IcePlanes::u), slab(&IcePlanes::v)};
    }
    std::vector<FieldSlab> stresses() const override {
        return {slab(&IcePlanes::s1), slab(&IcePlanes::s2), slab(&IcePlanes::s12)};
    }

private:
    struct Block {
        DeviceMemory memory;
        Equations ice;
        Window all, corners, cells;  // cells: also the first row and column beyond
        IcePlane* planes() { return (IcePlane*)static_cast<IcePlanes*>(&ice); }
    };
    std::vector<Block> blocks;

    template <class Kernel> static void each(const Block& block, const Window& window) {
        launch::each(window.points(), Kernel{window, block.ice});
    }

    template <class From> void take(std::span<const FieldSlab> fields, std::size_t b) {
        Block& block = blocks[b];
        Take<From> kernel{block.all, {}, {}, {}};
        for (int q = 0; q < kernel.most; ++q) {
            kernel.to[q] = block.planes()[IcePlanes::geometry + q];
            kernel.from[q] = (const From*)fields[q].at[b];
            kernel.row[q] = fields[q].row[b];
        }
        launch::each(block.all.points(), kernel);
    }

    template <class To> void give(std::span<const FieldSlab> fields, std::size_t b) {
        Block& block = blocks[b];
        Give<To> kernel{block.all, block.corners, block.ice, {}, {}, {}, {}, {}, {}, {}};
        for (int q = 0; q < kernel.changing; ++q) {
            const FieldSlab& f = fields[IcePlanes::given + q];
            kernel.from[q] = block.planes()[IcePlanes::geometry + IcePlanes::given + q];
            kernel.to[q] = (To*)f.at[b], kernel.row[q] = f.row[b];
        }
        const FieldSlab &x = fields[IcePlanes::given - 2], &y = fields[IcePlanes::given - 1];
        kernel.stress_x = (To*)x.at[b], kernel.row_x = x.row[b];
        kernel.stress_y = (To*)y.at[b], kernel.row_y = y.row[b];
        launch::each(block.all.points(), kernel);
    }

    FieldSlab slab(IcePlane IcePlanes::* plane) const {
        FieldSlab s{{}, {}, {}, 1};
        for (auto& block : blocks) {
            s.at.push_back((std::byte*)(block.ice.*plane).first);
            s.row.push_back((block.ice.*plane).width), s.level.push_back(0);
        }
        return s;
    }
};

std::unique_ptr<IceOnDevice> ice_of(std::shared_ptr<Device> device,
                                    const std::span<const IceGeometry>& given,
                                    const IceParameters& parameters) {
    return std::make_unique<Ice>(std::move(device), given, parameters);
}

const Registered ice(ice_of);

}  // namespace

}  // namespace fathom
