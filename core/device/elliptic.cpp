/// An elliptic solver in memory of a device: one thread per point.
/// The iterations of solver/fused.hpp on a device. One launch does several iterations of a tile and
/// of all points around it that it needs, so no halo is filled between them; before the next launch
/// the points of other ranks are. It writes r and s into second arrays, because other tiles still
/// read the first. A recording has many launches: after
/// the search has ended, the rest do nothing.
#include "device/elliptic/chebyshev.hpp"
#include "device/elliptic/gradients.hpp"
#include "device/elliptic/passes.hpp"
#include "device/engines.hpp"
#include "solver/on_device.hpp"

namespace fathom {

namespace {

using namespace tilewise;

/// Vectors and coefficients in one precision, and the operations on both.
template <class Number> class Part {
public:
    static constexpr int cycles = 10;  // of two iterations each, before the CPU tests the residual
    enum { r, s, r_next, s_next, y, arrays };

    Part(const std::shared_ptr<Device>& device, const EllipticPoints& points,
         const EllipticPoints::Numbers<Number>& given, const int* wet,
         const EllipticPoints::Copy* copies, const EllipticPoints::Tile* tiles, const int* source)
        : device(device),
          numbers(points.numbers),
          tile_count(int(points.tiles.size())),
          tiles(tiles),
          source(source),
          own_points(int(points.wet.size())),
          fold(points.fold),
          copies_until(points.copies_until),
          copies(copies),
          others(points.others),
          room(points.history),
          coefficients{on_device(device, given.sum), on_device(device, given.difference),
                       on_device(device, given.square), on_device(device, given.scale)},
          vectors(device, sizeof(Number) * arrays * numbers),
          states(device, sizeof(State)),
          stretches(device, sizeof(Stretch)),
          residuals(device, sizeof(EllipticOnDevice::Residual) * std::max(room, 1)),
          water{wet,
                points.up,
                numbers_of(coefficients[0]),
                numbers_of(coefficients[1]),
                numbers_of(coefficients[2]),
                numbers_of(coefficients[3]),
                given.compact} {
        for (int vector = 0; vector < arrays; ++vector)
            for (std::size_t block = 0; block < points.blocks.size(); ++block) {
                FieldSlab& slab = slabs[vector];
                slab.at.push_back((std::byte*)(of(vector, false) + points.place(block, 0, 0)));
                slab.row.push_back(points.up), slab.level.push_back(0), slab.levels = 1;
            }
    }

    const Water<Number>& operator*() const { return water; }
    Number* of(int vector) const { return of(vector, turned); }
    int own() const { return own_points; }

    void fill(int width, int vector) const {
        launch::each(copies_until[width], Halo<Number>{copies, of(vector)});
        if (others) others->fill({&slabs[which(vector, turned)], 1}, sizeof(Number), width);
    }

    void gradients(GradientSearch& search, std::vector<EllipticOnDevice::Residual>& history) {
        here = {search};
        here.unit = SumUnit::for_largest(search.largest);
        device->copy(states.at, &here, sizeof here, Device::Way::to_device);
        const bool begun = turned;
        for (sum();;) {
            repeat(cycle, [&] {
                for (int n = 0; n < cycles; ++n) gradients(turned != (n % 2 == 1));
            });
            device->copy(&here, states.at, sizeof here, Device::Way::to_host);
            turned = begun != (here.launches % 2 == 1);
            if (here.search.next == GradientSearch::Next::nothing) break;
            if (here.search.next == GradientSearch::Next::sums) anew();
        }
        search = here.search;
        history.resize(here.noted);
        if (here.noted)
            device->copy(history.data(), residuals.at, history.size() * sizeof history[0],
                         Device::Way::to_host);
    }

    /// Of this rank, after iterations if there are any.
    std::array<Limbs, sums> products(const TwoSteps* two, SumUnit unit) {
        State now = {};
        now.unit = unit;
        if (two) now.steps = {*two, true};
        device->copy(states.at, &now, sizeof now, Device::Way::to_device);
        if (two) {
            from_others(turned);
            gradients(turned);
            turned = !turned;
        } else
            add_products();
        std::int64_t total[words];
        device->copy(total, state()->total, sizeof total, Device::Way::to_host);
        std::array<Limbs, sums> found;
        for (int n = 0; n < sums; ++n)
            found[n] = limbs(total[2 * n], total[2 * n + 1], total[2 * sums]);
        return found;
    }
    double largest() {
        device->clear((std::byte*)&state()->largest, sizeof(double));
        find_largest();
        double most;
        device->copy(&most, &state()->largest, sizeof most, Device::Way::to_host);
        return most;
    }

    Limbs sweeps(std::span<const TwoSteps> list, SumUnit unit) {
        const int count = int(list.size());
        for (int n = 0; n < count; ++n) stretch.steps[n] = {list[n], true};
        stretch.unit = unit;
        device->copy(stretches.at, &stretch, sizeof stretch, Device::Way::to_device);
        const Stretch* const there = (const Stretch*)stretches.at;
        const bool after = turned != ((count + 1) / 2 % 2 == 1);
        auto all = [&] {
            bool turn = turned;
            for (int n = 0; n < count; n += 2, turn = !turn) {
                if (others) from_others(turn);
                n + 1 < count ? sweep<2>(there->steps + n, turn) : sweep<1>(there->steps + n, turn);
            }
            launch::totals<3>(
                own(), ScaledSquare<Number>{water.wet, of(r, turn), water.square, &there->unit},
                ((Stretch*)stretches.at)->total);
        };
        if (!others && (count == most_sweeps || count == most_sweeps / 2))
            repeat(count == most_sweeps ? whole : half, all);
        else
            all();
        turned = after;
        std::int64_t total[3];
        device->copy(total, there->total, sizeof total, Device::Way::to_host);
        return limbs(total[0], total[1], total[2]);
    }

private:
    std::shared_ptr<Device> device;
    int numbers, tile_count;
    const EllipticPoints::Tile* tiles;
    const int* source;
    int own_points, fold;
    std::array<int, EllipticPoints::halo + 1> copies_until;
    const EllipticPoints::Copy* copies;
    std::shared_ptr<EllipticRanks> others;
    int room;
    DeviceMemory coefficients[4], vectors, states, stretches, residuals;
    Water<Number> water;
    State here = {};
    Stretch stretch = {};
    bool turned = false;  // r, s and r_next, s_next are swapped
    std::array<FieldSlab, arrays> slabs;
    enum Work { cycle, half, whole, works };
    std::unique_ptr<Device::Recording> recorded[works][2];

    static DeviceMemory on_device(const std::shared_ptr<Device>& device,
                                  const std::vector<Number>& numbers) {
        return fathom::on_device(device, numbers.data(), numbers.size());
    }
    static const Number* numbers_of(const DeviceMemory& memory) { return (const Number*)memory.at; }
    State* state() const { return (State*)states.at; }
    /// low + 2^32 high units, and whether a term was too large.
    static Limbs limbs(std::int64_t low, std::int64_t high, std::int64_t strange) {
        return {{4 * high, low, 0, 0, strange}};  // of 2^30
    }
    /// The halos of r and s.
    void from_others(bool turn) const {
        others->fill({&slabs[which(r, turn)], 2}, sizeof(Number), EllipticPoints::halo);
    }

    static int which(int vector, bool turn) {
        return turn && vector != y ? (vector + r_next) % (2 * r_next) : vector;
    }
    Number* of(int vector, bool turn) const {
        return (Number*)vectors.at + std::size_t(which(vector, turn)) * numbers;
    }
    template <class F> void repeat(Work which, F work) {
        if (!device->records()) return work();
        auto& recording = recorded[which][turned];
        if (!recording) device->record(), work(), recording = device->recorded();
        recording->replay();
    }
    OnTiles<Number> on_tiles(bool turn) const {
        return {water, tiles, source, of(r, turn), of(s, turn), of(r, !turn), of(s, !turn), of(y)};
    }
    Decide decide() const { return {state(), (EllipticOnDevice::Residual*)residuals.at, room}; }
    void gradients(bool turn) const {
        using Work = Gradients<Number>;
        launch::tiles_and_totals<Work::threads, Work::each_has, typename Work::Shared, words>(
            tile_count, Work{on_tiles(turn), decide(), !others}, state()->total,
            &state()->finished);
    }
    template <int pairs> void sweep(const Steps* steps, bool turn) const {
        using Work = Sweep<Number, pairs>;
        launch::tiles<Work::threads, Work::each_has, typename Work::Shared>(
            tile_count, Work{on_tiles(turn), steps});
    }
    void add_products() const {
        fill(2, r);
        launch::totals<words>(own(), Sums<Number>{water, state(), of(r), fold}, state()->total);
    }
    void find_largest() const {
        launch::largest<1>(own(), ScaledSize<Number>{water.wet, of(r), water.square},
                           &state()->largest);
    }
    void sum() const {
        add_products();
        launch::each(1, decide());
    }
    void anew() const {
        find_largest();
        launch::each(1, Anew{state()});
        sum();
    }
};

class Elliptic final : public EllipticOnDevice {
public:
    Elliptic(const std::shared_ptr<Device>& device, const EllipticPoints& points)
        : device(device),
          blocks(points.blocks),
          up(points.up),
          numbers(points.numbers),
          wet(on_device(device, points.wet.data(), points.wet.size())),
          copies(on_device(device, points.copies.data(), points.copies.size())),
          tiles(on_device(device, points.tiles.data(), points.tiles.size())),
          source(on_device(device, points.source.data(), points.source.size())),
          right_side(device, sizeof(double) * numbers),
          found(device, sizeof(Squares)),
          others(points.others),
          part(device, points, points.in_double, (const int*)wet.at,
               (const EllipticPoints::Copy*)copies.at, (const EllipticPoints::Tile*)tiles.at,
               (const int*)source.at) {
        if (!points.in_single.sum.empty())
            single = std::make_unique<Part<float>>(
                device, points, points.in_single, (const int*)wet.at,
                (const EllipticPoints::Copy*)copies.at, (const EllipticPoints::Tile*)tiles.at,
                (const int*)source.at);
    }

    void scale(const FieldSlab& f, int halo, int bytes, double by) override {
        for (std::size_t n = 0; n < blocks.size(); ++n) {
            const int columns = blocks[n].nx + 2 * halo, rows = blocks[n].ny + 2 * halo;
            each(bytes, [&]<class Value>(Value) {
                launch::each(std::size_t(rows) * columns,
                             Scale<Value>{(Value*)f.at[n], f.row[n], columns, by});
            });
        }
    }
    Squares begin(const FieldSlab& rhs, const FieldSlab& x, int halo, int bytes) override {
        for (std::size_t n = 0; n < blocks.size(); ++n) {
            const auto [first, nx, ny] = blocks[n];
            each(bytes, [&]<class Value>(Value) {
                launch::each(std::size_t(nx) * ny,
                             Take<Value>{own<Value>(rhs, n, halo), own<Value>(x, n, halo),
                                         rhs.row[n], x.row[n], first, nx, up, (*part).scale,
                                         part.of(part.y), b(), part.of(part.r)});
            });
        }
        device->clear(found.at, found.bytes);
        launch::largest<1>(part.own(), Size{(*part).wet, part.of(part.r)}, largest());
        return squares();
    }
    Squares residual() override {
        part.fill(1, part.y);
        device->clear(found.at, found.bytes);
        launch::largest<1>(part.own(), Subtract{*part, b(), part.of(part.y), part.of(part.r)},
                           largest());
        return squares();
    }
    void end(const FieldSlab& x, int halo, int bytes, bool zero) override {
        for (std::size_t n = 0; n < blocks.size(); ++n) {
            const auto [first, nx, ny] = blocks[n];
            each(bytes, [&]<class Value>(Value) {
                launch::each(std::size_t(nx) * ny,
                             Give<Value>{own<Value>(x, n, halo), x.row[n], first, nx, up,
                                         (*part).scale, part.of(part.y), zero});
            });
        }
    }

    void enter(bool in_single, double up) override {
        const auto& p = part;
        if (in_single)
            launch::each(p.own(), EnterSingle{(*p).wet, (**single).scale, p.of(p.r), up,
                                              single->of(p.r), single->of(p.s), single->of(p.y)});
        else
            launch::each(p.own(), Enter{(*p).wet, (*p).scale, p.of(p.r), p.of(p.s), p.of(p.y)});
    }
    void leave(bool in_single, double down, bool residual) override {
        const auto& p = part;
        if (in_single)
            launch::each(p.own(),
                         LeaveSingle{(*p).wet, (**single).scale, single->of(p.y), down, p.of(p.y)});
        else
            launch::each(p.own(), Leave{(*p).wet, (*p).scale, p.of(p.r), p.of(p.y), residual});
    }
    std::span<const Residual> gradients(GradientSearch& search) override {
        search.single ? single->gradients(search, history) : part.gradients(search, history);
        return history;
    }
    std::array<Limbs, sums> products(bool in_single, const TwoSteps* two, SumUnit unit) override {
        return in_single ? single->products(two, unit) : part.products(two, unit);
    }
    double largest(bool in_single) override {
        return in_single ? single->largest() : part.largest();
    }
    Limbs sweeps(bool in_single, std::span<const TwoSteps> list, SumUnit unit) override {
        return in_single ? single->sweeps(list, unit) : part.sweeps(list, unit);
    }
    std::vector<double> fetch_residual() override {
        std::vector<double> all(numbers);
        device->copy(all.data(), part.of(part.r), numbers * sizeof(double), Device::Way::to_host);
        return all;
    }

private:
    std::shared_ptr<Device> device;
    std::vector<EllipticPoints::OwnBlock> blocks;
    int up, numbers;
    DeviceMemory wet, copies, tiles, source, right_side, found;
    std::shared_ptr<EllipticRanks> others;
    Part<double> part;
    std::unique_ptr<Part<float>> single;
    std::vector<Residual> history;

    double* b() const { return (double*)right_side.at; }
    std::int64_t* largest() const { return (std::int64_t*)found.at; }
    template <class F> static void each(int bytes, F body) {
        bytes == 4 ? body(float()) : body(double());
    }
    /// The first own point of a block.
    template <class Value> static Value* own(const FieldSlab& f, std::size_t n, int halo) {
        return (Value*)f.at[n] + halo * f.row[n] + halo;
    }
    Squares squares() {
        static_assert(sizeof(Squares) == 6 * sizeof(std::int64_t));
        if (others) {
            double most;
            device->copy(&most, largest(), sizeof most, Device::Way::to_host);
            most = others->largest(most);
            device->copy(largest(), &most, sizeof most, Device::Way::to_device);
        }
        launch::totals<Limbs::words>(part.own(), Square{(*part).wet, part.of(part.r), largest()},
                                     largest() + 1);
        Squares all;
        device->copy(&all, found.at, sizeof all, Device::Way::to_host);
        return all;
    }
};

std::unique_ptr<EllipticOnDevice> elliptic_on(std::shared_ptr<Device> device,
                                              const EllipticPoints& points) {
    return std::make_unique<Elliptic>(device, points);
}

const Registered elliptic(elliptic_on);

}  // namespace

}  // namespace fathom
