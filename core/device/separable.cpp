#include "base/pack.hpp"
#include "device/helmholtz.hpp"
#include "machine/launch.hpp"

namespace fathom {

namespace {

/// A lane is an own mode of a row: [row][mode].
///   points    [point][lane]
///   waves     [row][re, im][wave][mode]
///   factors   [row][wave][mode]
template <class T> struct Separable {
    using V = Pack<T, 1>;
    int nx, ny, modes;
    SeparableGrid grid;
    FourierThere<T> fourier;
    const SeparablePoints::Mode* of_mode;
    const int* order;
    const T *to_modes, *from_modes, *below;
    T *own, *whole, *points, *waves, *factor, *above, *ring, *share;
    const SeparableRow* rows;
    const double *eigenvalues, *along;

    constexpr int lanes() const { return ny * modes; }
    constexpr int number_of_waves() const { return nx / 2 + 1; }
    constexpr std::ptrdiff_t across() const {  ///< numbers of a row of factors
        return std::ptrdiff_t(number_of_waves()) * modes;
    }
    constexpr V& point(unsigned lane, int i) const {  ///< of a mode that is whole
        const unsigned j = lane / modes, mode = lane % modes;
        return ((V*)whole)[std::ptrdiff_t(order[j * nx + i]) * modes + mode];
    }
    constexpr T* wave(unsigned lane, int m, int part) const {
        const unsigned j = lane / modes, mode = lane % modes;
        return waves + (2 * j + part) * across() + std::ptrdiff_t(m) * modes + mode;
    }
    constexpr Apart<V> row(unsigned lane) const { return {(V*)points + lane, lanes()}; }
    constexpr SeparableElimination<T> elimination() const {
        return {ny, across(), factor, above, below, ring, share};
    }
};

/// A thread has some modes, or levels, of a column.
template <class T, bool project> struct Product {
    Separable<T> on;
    std::conditional_t<project, const T*, T*> field;
    constexpr void operator()(std::size_t n) const {
        const SeparableGrid& grid = on.grid;
        const unsigned own = unsigned(n) % grid.count;
        const auto [number, row, i] = grid.columns[own];
        const HelmholtzBlock& b = grid.blocks[number];
        const int levels = grid.levels, k = int(unsigned(n) / grid.count) * separable_together;
        const auto column = field + b.place(row, 0, i);
        const auto of_column = [=, level = b.level](int k) { return column + k * level; };
        const auto of_modes = [=, first = on.own, of = on.of_mode](int mode) {
            return first + of[mode].first + own * of[mode].apart;
        };
        using Real = Pack<T, 1>;
        if constexpr (project)
            separable_product<Real>(on.to_modes, levels, k, of_column, of_modes);
        else
            separable_product<Real>(on.from_modes, levels, k, of_modes, of_column);
    }
};

/// A thread has a lane.
template <class T, bool direct> struct Along {
    Separable<T> on;
    constexpr void operator()(std::size_t n) const {
        using V = Pack<T, 1>;
        const unsigned lane = unsigned(n);
        const auto a = on.row(lane);
        const SeparableAlong<V> along{on.nx};
        if constexpr (direct)
            along.direct([=, this](int i) { return on.point(lane, i); },
                         [&](int m, V re, V im) {
                             *on.wave(lane, m, 0) = re.lanes, *on.wave(lane, m, 1) = im.lanes;
                         },
                         a,
                         [&](int most, auto put, Apart<V> a) { on.fourier.direct(most, put, a); });
        else
            along.inverse(
                [&](int m) -> fourier_steps::Complex<V> {
                    return {*on.wave(lane, m, 0), *on.wave(lane, m, 1)};
                },
                [=, this](int i, V x) { on.point(lane, i) = x; }, a,
                [&](int most, auto get, Apart<V> a) { on.fourier.inverse(most, get, a); });
    }
};

/// A thread has the real or imaginary parts of a wave of a mode.
template <class T> struct Across {
    Separable<T> on;
    constexpr void operator()(std::size_t n) const {
        const unsigned row = unsigned(on.across()), w = unsigned(n) % row, part = unsigned(n) / row;
        T sum(0);
        on.elimination().solve(
            on.waves + part * on.across(), 2 * on.across(),
            [&](std::ptrdiff_t) -> T& { return sum; },
            [=](const auto& body) { body(std::ptrdiff_t(w)); });
    }
};

/// A thread has a wave of a mode.
template <class T> struct Factors {
    Separable<T> on;
    bool joined;
    constexpr void operator()(std::size_t n) const {
        const int mode = int(unsigned(n) % on.modes), m = int(unsigned(n) / on.modes);
        const SeparableFactors<T> factors{on.ny, joined};
        const double eigenvalue = on.eigenvalues[mode], along = on.along[m];
        double before = 0, corner = 0;
        for (int j = 0; j < on.ny; ++j) {
            const std::ptrdiff_t at = j * on.across() + std::ptrdiff_t(n);
            factors.row(on.rows[j], j, eigenvalue, along, before, corner, on.factor[at],
                        on.above[at]);
        }
        if (joined)
            on.elimination().join(
                on.rows[0].south, on.rows[on.ny - 1].north, [=](std::ptrdiff_t) { return corner; },
                [=](const auto& body) { body(std::ptrdiff_t(n)); });
    }
};

template <class T> class OnDevice final : public SeparableOnDevice {
public:
    OnDevice(std::shared_ptr<Device> given, const SeparablePoints& points,
             const SeparableGrid& grid)
        : device(std::move(given)), joined(points.joined) {
        on.nx = points.nx, on.ny = points.ny, on.modes = points.own_modes, on.grid = grid;
        on.fourier = {list(points.passes), rounded(points.twiddles), list(points.places),
                      rounded(points.turns), points.plan};
        on.along = list(points.along), on.of_mode = list(points.modes),
        on.order = list(points.order);
        const std::size_t levels = grid.levels, plane = on.across() * on.ny;
        to_modes = memory<T>(levels * levels), from_modes = memory<T>(levels * levels);
        below = memory<T>(on.ny);
        rows = memory<SeparableRow>(on.ny), eigenvalues = memory<double>(on.modes);
        on.to_modes = to_modes, on.from_modes = from_modes, on.below = below, on.rows = rows;
        on.eigenvalues = eigenvalues;
        on.own = memory<T>(grid.count * levels);
        on.whole = points.alone ? on.own : memory<T>(points.order.size() * on.modes);
        on.points = memory<T>(std::max<std::size_t>(points.packs, on.nx) * on.lanes());
        on.waves = memory<T>(2 * plane);
        on.factor = memory<T>(plane), on.above = memory<T>(plane);
        on.ring = joined ? memory<T>(plane) : nullptr;
        on.share = joined ? memory<T>(on.across()) : nullptr;
        device->wait();
    }
    std::byte* own() const override { return (std::byte*)on.own; }
    std::byte* whole() const override { return (std::byte*)on.whole; }
    void renew(const SeparableModes& given, int first_mode) override {
        std::vector<T> inner;
        for (int j = 0; j < on.ny; ++j)
            inner.push_back(T(SeparableFactors<T>{on.ny, joined}.south(given.rows[j], j)));
        const std::vector<T> to(given.to_modes.begin(), given.to_modes.end()),
            from(given.from_modes.begin(), given.from_modes.end());
        const auto first = given.eigenvalues.begin() + first_mode;
        const std::vector<double> of_modes(first, first + on.modes);
        send(to_modes, to), send(from_modes, from), send(below, inner);
        send(rows, given.rows), send(eigenvalues, of_modes);
        device->wait();
        launch::each(on.across(), Factors<T>{on, joined});
    }
    void project(const std::byte* r) override {
        launch::each(products(), Product<T, true>{on, (const T*)r});
    }
    void planes() override {
        launch::each(on.lanes(), Along<T, true>{on});
        launch::each(2 * on.across(), Across<T>{on});
        launch::each(on.lanes(), Along<T, false>{on});
    }
    void compose(std::byte* z) override { launch::each(products(), Product<T, false>{on, (T*)z}); }

private:
    std::shared_ptr<Device> device;
    const bool joined;
    std::vector<DeviceMemory> all;
    Separable<T> on{};
    T *to_modes, *from_modes, *below;
    SeparableRow* rows;
    double* eigenvalues;

    std::size_t products() const {
        return std::size_t(on.grid.count) *
               ((on.grid.levels + separable_together - 1) / separable_together);
    }
    template <class Number> Number* memory(std::size_t count) {
        return (Number*)all.emplace_back(device, std::max<std::size_t>(count, 1) * sizeof(Number))
            .at;
    }
    template <class Number> void send(Number* to, const std::vector<Number>& from) {
        device->copy(to, from.data(), from.size() * sizeof(Number), Device::Way::to_device);
    }
    template <class Number> const Number* list(std::span<const Number> given) {
        return (const Number*)all.emplace_back(on_device(device, given.data(), given.size())).at;
    }
    const T* rounded(std::span<const double> given) { return rounded_to<T>(given); }
    const std::complex<T>* rounded(std::span<const std::complex<double>> given) {
        return rounded_to<std::complex<T>>(given);
    }
    template <class Number, class Given> const Number* rounded_to(std::span<const Given> given) {
        const std::vector<Number> numbers(given.begin(), given.end());
        const Number* made = list(std::span<const Number>(numbers));
        device->wait();
        return made;
    }
};

}  // namespace

template <class T>
std::unique_ptr<SeparableOnDevice> separable_of(std::shared_ptr<Device> device,
                                                const SeparablePoints& points,
                                                const SeparableGrid& grid) {
    return std::make_unique<OnDevice<T>>(std::move(device), points, grid);
}
template std::unique_ptr<SeparableOnDevice> separable_of<float>(std::shared_ptr<Device>,
                                                                const SeparablePoints&,
                                                                const SeparableGrid&);
template std::unique_ptr<SeparableOnDevice> separable_of<double>(std::shared_ptr<Device>,
                                                                 const SeparablePoints&,
                                                                 const SeparableGrid&);

}  // namespace fathom
