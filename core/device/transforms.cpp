/// Transforms on a device: one thread per row, or sum, or column, of each field.
#include <numbers>
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "machine/launch.hpp"
#include "transform/fourier/there.hpp"
#include "transform/on_device.hpp"
#include "transform/plane/operators.hpp"
#include "transform/rows/one_field.hpp"
#include "transform/sphere/operators.hpp"

namespace fathom {

namespace {

using Item = TransformOnDevice::Item;

/// A level of a field in points, and the lane of its entries.
template <class T> struct Lane {
    FieldAt<T> field;
    int level, source;
    bool cosine;  ///< divided by cos(phi)
};
/// A level of an item: its coefficients, and its lanes.
template <class T> struct Level {
    enum class Kind { same, wind, north } kind;
    T *first, *second;
    std::ptrdiff_t stride;
    int lane, other;
};

/// Numbers of a lane.
template <class T> constexpr Apart<Pack<T, 1>> apart(T* first, int distance) {
    return {(Pack<T, 1>*)first, distance};
}

/// of_waves, of_rows: [entry][re, im][lane]; rows: [row][number][lane]
template <class T> struct Job {
    RowTables<T> on;
    T *spectral, *of_waves, *of_rows, *rows;  ///< spectral: what is summed or transformed
    const Lane<T>* lane;
    const Level<T>* level;
    int lanes, levels;

    constexpr T* entry(int m, const RowThere& row, int lane) const {
        return of_rows + 2 * (on.row_side[m] + row.index) * lanes + lane;
    }
    /// Of an own wave and any row.
    constexpr T* entry(std::size_t wave, int row, int lane) const {
        const EntryThere& e = on.entries[row];
        return of_waves + 2 * (on.wave_side[wave * on.ranks + e.rank] + e.index) * lanes + lane;
    }
    constexpr FourierThere<T> fourier(int plan) const {
        return {&on.passes[0], &on.twiddles[0], &on.places[0], &on.turns[0], on.plans[plan]};
    }
    constexpr auto numbers(const RowThere& row, int lane, int of) const {
        return apart(rows + row.begin * of + lane, of);
    }
};

/// Coefficients of a wave.
template <class View, class Wave, class T>
constexpr typename View::Outer outer(const Wave& w, T* at, std::ptrdiff_t stride) {
    return {at ? at + 2 * std::ptrdiff_t(w.coefficients) * stride : nullptr, stride};
}

/// spectral: [wave][lane][re, im][degree]
template <class T> struct SphereJob : Job<T> {
    LegendreTables<T> within;
    using View = WaveView<OneField<T>>;
    using Job<T>::lanes, Job<T>::spectral;
    std::size_t numbers_of_spectral() const { return 2 * within.degrees; }
    constexpr T* spectral_of(const WaveThere& w, int lane) const {
        return spectral + 2 * (w.begin * lanes + std::size_t(lane) * w.degrees);
    }
    constexpr typename View::Inner inner(const WaveThere& w, int lane) const {
        return {spectral_of(w, lane), w.degrees};
    }
    constexpr View view(const WaveThere& w) const {
        return {{}, w.m, within.truncation, within.truncation + 1, &within.epsilon[w.epsilon]};
    }
    constexpr int half() const { return int(this->on.entries.size()) / 2; }
};

/// Coefficients -> degrees of the Legendre sums: a thread has a level of a wave.
template <class T> struct FromCoefficients {
    SphereJob<T> job;
    constexpr void operator()(std::size_t n) const {
        const WaveThere& w = job.within.waves[n / job.levels];
        const Level<T>& l = job.level[n % job.levels];
        using Kind = typename Level<T>::Kind;
        using View = typename SphereJob<T>::View;
        const View view = job.view(w);
        const double a = job.on.radius;
        const auto to = job.inner(w, l.lane), other = job.inner(w, l.other);
        const auto first = outer<View>(w, l.first, l.stride);
        to.at[w.degrees - 1] = to.at[2 * w.degrees - 1] = T(0);
        if (l.kind == Kind::same) {
            view.copy_in(first, to, 1);
            return;
        }
        other.at[w.degrees - 1] = other.at[2 * w.degrees - 1] = T(0);
        if (l.kind == Kind::north) {
            view.copy_in(first, to, 1);
            view.wind_in({}, first, [=](int) { return -1 / a; }, nullptr, &other);
        } else
            view.wind_in(
                first, outer<View>(w, l.second, l.stride),
                [=](int n) { return n > 0 ? a / (double(n) * (n + 1)) : 0; }, &to, &other);
    }
};
template <class T> struct ToCoefficients {
    SphereJob<T> job;
    constexpr void operator()(std::size_t n) const {
        const WaveThere& w = job.within.waves[n / job.levels];
        const Level<T>& l = job.level[n % job.levels];
        using View = typename SphereJob<T>::View;
        const View view = job.view(w);
        const double a = job.on.radius;
        const auto first = outer<View>(w, l.first, l.stride);
        if (l.kind == Level<T>::Kind::wind) {
            const auto second = outer<View>(w, l.second, l.stride);
            view.curl_out(
                job.inner(w, l.lane), job.inner(w, l.other), [=](int) { return 1 / a; }, &first,
                &second);
        } else
            view.copy_out(job.inner(w, l.lane), first, 1);
    }
};

/// Legendre functions of a wave for a pair of rows, from the degree where they begin to matter.
template <class T> struct Functions {
    const T* at;
    int first;
    static constexpr int pairs = 8;
    constexpr Functions(const LegendreTables<T>& on, const WaveThere& w, int pair) {
        const int place = pair + on.padding;
        const StripThere& s = on.strips[w.strips + place / pairs];
        first = s.first;
        at = &on.functions[0] + s.at + place % pairs;
    }
    constexpr T operator[](int degree) const { return at[(degree - first) * pairs]; }
};

/// A thread has the sum over degrees of a part of a lane, for a pair of rows.
template <class T> struct SumDegrees {
    SphereJob<T> job;
    constexpr void operator()(std::size_t n) const {
        const int half = job.half(), pair = int(n % half), part = int(n / half % 2),
                  lane = int(n / half / 2 % job.lanes);
        const std::size_t wave = n / half / 2 / job.lanes;
        const WaveThere& w = job.within.waves[wave];
        if (pair < w.first_row) return;
        const Functions<T> P(job.within, w, pair);
        const T* S = job.spectral_of(w, lane) + part * w.degrees;
        using V = Pack<T, 1>;
        V even(T(0)), odd(T(0));
        for (int i = P.first; i < w.degrees; i += 2) {
            even = fma(V(P[i]), V(S[i]), even);
            odd = fma(V(P[i + 1]), V(S[i + 1]), odd);
        }
        job.entry(wave, 2 * half - 1 - pair, lane)[part * job.lanes] = (even + odd).lanes;
        job.entry(wave, pair, lane)[part * job.lanes] = (even - odd).lanes;
    }
};
/// A thread has the sum over pairs of rows of a part of a lane, for a degree.
template <class T> struct SumRows {
    SphereJob<T> job;
    constexpr void operator()(std::size_t n) const {
        const int most = job.within.most_degrees;
        const int half = job.half(), i = int(n % most), part = int(n / most % 2),
                  lane = int(n / most / 2 % job.lanes);
        const std::size_t wave = n / most / 2 / job.lanes;
        const WaveThere& w = job.within.waves[wave];
        if (i >= w.degrees) return;
        using V = Pack<T, 1>;
        V sum(T(0));
        for (int pair = w.first_row; pair < half; ++pair) {
            const Functions<T> P(job.within, w, pair);
            if (i < P.first) continue;
            const V north = job.entry(wave, 2 * half - 1 - pair, lane)[part * job.lanes],
                    south = job.entry(wave, pair, lane)[part * job.lanes];
            sum = fma(V(P[i]), i % 2 ? north - south : north + south, sum);
        }
        job.spectral_of(w, lane)[part * w.degrees + i] = sum.lanes;
    }
};

template <class T> void from_waves(const SphereJob<T>& job) {
    const std::size_t waves = job.within.waves.size();
    launch::each(waves * job.levels, FromCoefficients<T>{job});
    launch::each(waves * job.lanes * 2 * job.half(), SumDegrees<T>{job});
}
template <class T> void to_waves(const SphereJob<T>& job) {
    const std::size_t waves = job.within.waves.size();
    launch::each(waves * job.lanes * 2 * job.within.most_degrees, SumRows<T>{job});
    launch::each(waves * job.levels, ToCoefficients<T>{job});
}

/// spectral: [wave][place in the transform][re, im][lane]
template <class T> struct PlaneJob : Job<T> {
    ColumnTables<T> within;
    using View = PlaneView<OneField<T>>;
    using Job<T>::lanes, Job<T>::spectral;
    std::size_t numbers_of_spectral() const { return within.waves.size() * within.numbers; }
    constexpr T* column(std::size_t wave, int lane) const {
        return spectral + wave * within.numbers * lanes + lane;
    }
    constexpr typename View::Inner inner(std::size_t wave, int lane) const {
        return {column(wave, lane), lanes};
    }
    constexpr FourierThere<T> along_y() const { return this->fourier(within.plan); }
    constexpr int rows_of_plane() const { return int(this->on.entries.size()); }
    constexpr View view(const ColumnThere& w) const {
        constexpr double turn = 2 * std::numbers::pi;
        return {{},
                w.m,
                w.m ? -w.most_north : 0,
                w.most_north,
                turn * w.m / within.length_x,
                turn / within.length_y,
                along_y().place(),
                rows_of_plane()};
    }
};

/// Coefficients -> columns, and back: a thread has a level of a wave.
template <class T> struct CoefficientsToColumn {
    PlaneJob<T> job;
    constexpr void operator()(std::size_t n) const {
        using View = typename PlaneJob<T>::View;
        const std::size_t wave = n / job.levels;
        const ColumnThere& w = job.within.waves[wave];
        const Level<T>& l = job.level[n % job.levels];
        using Kind = typename Level<T>::Kind;
        const View view = job.view(w);
        const auto first = outer<View>(w, l.first, l.stride);
        const auto to = cleared(wave, l.lane);
        if (l.kind == Kind::wind) {
            view.wind_in(
                first, outer<View>(w, l.second, l.stride),
                [&](int n) { return view.inverse_laplacian(n); }, to, cleared(wave, l.other));
            return;
        }
        view.copy(first, to, [](int) { return 1.; });
        if (l.kind == Kind::north) view.north_in(first, cleared(wave, l.other));
    }
    constexpr typename PlaneJob<T>::View::Inner cleared(std::size_t wave, int lane) const {
        const auto column = job.inner(wave, lane);
        for (std::size_t i = 0; i < job.within.numbers; ++i) column.at[i * job.lanes] = T(0);
        return column;
    }
};
template <class T> struct ColumnToCoefficients {
    PlaneJob<T> job;
    constexpr void operator()(std::size_t n) const {
        using View = typename PlaneJob<T>::View;
        const std::size_t wave = n / job.levels;
        const ColumnThere& w = job.within.waves[wave];
        const Level<T>& l = job.level[n % job.levels];
        const View view = job.view(w);
        const auto one = [](int) { return 1.; };
        const auto first = outer<View>(w, l.first, l.stride);
        const auto from = job.inner(wave, l.lane);
        if (l.kind == Level<T>::Kind::wind)
            view.curl_out(from, job.inner(wave, l.other), one, first,
                          outer<View>(w, l.second, l.stride));
        else
            view.copy(from, first, one);
    }
};
/// Columns -> entries, and back: a thread has a lane of a wave.
template <class T> struct ColumnToEntries {
    PlaneJob<T> job;
    constexpr void operator()(std::size_t n) const {
        const int lane = int(n % job.lanes);
        const std::size_t wave = n / job.lanes;
        const auto z = apart(job.column(wave, lane), job.lanes);
        job.along_y().template complex<+1>(z);
        for (int j = 0; j < job.rows_of_plane(); ++j) {
            T* to = job.entry(wave, j, lane);
            to[0] = z[2 * j].lanes, to[job.lanes] = z[2 * j + 1].lanes;
        }
    }
};
template <class T> struct EntriesToColumn {
    PlaneJob<T> job;
    constexpr void operator()(std::size_t n) const {
        const int lane = int(n % job.lanes);
        const std::size_t wave = n / job.lanes;
        const auto z = apart(job.column(wave, lane), job.lanes);
        for (int j = 0; j < job.rows_of_plane(); ++j) {
            const T* from = job.entry(wave, j, lane);
            z[2 * j] = from[0], z[2 * j + 1] = from[job.lanes];
        }
        job.along_y().template complex<-1>(z);
    }
};
template <class T> void from_waves(const PlaneJob<T>& job) {
    const std::size_t waves = job.within.waves.size();
    launch::each(waves * job.levels, CoefficientsToColumn<T>{job});
    launch::each(waves * job.lanes, ColumnToEntries<T>{job});
}
template <class T> void to_waves(const PlaneJob<T>& job) {
    const std::size_t waves = job.within.waves.size();
    launch::each(waves * job.lanes, EntriesToColumn<T>{job});
    launch::each(waves * job.levels, ColumnToCoefficients<T>{job});
}

/// A thread has a row of a lane.
template <class T, bool derivative> struct ToPoints {
    Job<T> job;
    int count;  ///< lanes of this launch
    constexpr void operator()(std::size_t n) const {
        using V = Pack<T, 1>;
        const RowThere& row = job.on.rows[n / count];
        const Lane<T>& lane = job.lane[n % count];
        const auto a = job.numbers(row, int(n % count), count);
        const V scale = T(lane.cosine ? 1 / row.cosine : 1);
        const T inverse_radius(1 / job.on.radius);
        const auto wave = [&](int m) -> fourier_steps::Complex<V> {
            const T* f = job.entry(m, row, lane.source);
            const V re = f[0], im = f[job.lanes];
            if constexpr (derivative) {
                const V factor = V(T(m) * inverse_radius) * scale;
                return {-(factor * im), factor * re};
            } else
                return {scale * re, scale * im};
        };
        job.fourier(row.plan).inverse(row.waves, wave, a);
        for (int i = 0; i < row.points; ++i)
            lane.field(row.block, row.place, i, lane.level) = a[i].lanes;
    }
};
template <class T> struct FromPoints {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        using V = Pack<T, 1>;
        const int l = int(n % job.lanes);
        const RowThere& row = job.on.rows[n / job.lanes];
        const Lane<T>& lane = job.lane[l];
        const auto a = job.numbers(row, l, job.lanes);
        for (int i = 0; i < row.points; ++i) a[i] = lane.field(row.block, row.place, i, lane.level);
        const V scale = T(lane.cosine ? row.weight / row.cosine : row.weight);
        const auto put = [&](int m, V re, V im) {
            T* f = job.entry(m, row, l);
            f[0] = (scale * re).lanes, f[job.lanes] = (scale * im).lanes;
        };
        job.fourier(row.plan).direct(row.waves, put, a);
    }
};

/// Whole: SphereJob or PlaneJob.
template <class T, class Whole> class Transform final : public TransformOnDevice {
public:
    template <class Within>
    Transform(std::shared_ptr<Device> given, const RowTables<T>& rows, const Within& within)
        : device(std::move(given)), blocks(device), job{{rows}, within}, on(job.on) {
        const auto send = [&]<class Number>(std::span<const Number>& list) {
            lists.push_back(on_device(device, list.data(), list.size()));
            list = {(const Number*)lists.back().at, list.size()};
        };
        on.each_list(send), job.within.each_list(send);
        device->wait();
    }
    Entries from_waves(std::span<const Item> items) override {
        prepare(items, true);
        fathom::from_waves(job);
        return made();
    }
    void to_points() override {
        to_points<false>(lanes);
        to_points<true>(derivatives);
    }
    Entries from_points(std::span<const Item> items) override {
        prepare(items, false);
        job.lane = send(lanes, lane_memory);
        launch::each(on.rows.size() * lanes.size(), FromPoints<T>{job});
        return made();
    }
    void to_waves() override { fathom::to_waves(job); }

private:
    std::shared_ptr<Device> device;
    BlockTables blocks;
    Whole job;
    RowTables<T>& on;
    std::vector<DeviceMemory> lists;
    DeviceMemory spectral, of_waves, of_rows, rows, lane_memory, derivative_memory, level_memory;
    std::vector<Lane<T>> lanes, derivatives;  // derivatives: d/dlambda
    std::vector<Level<T>> levels;

    void grow(DeviceMemory& memory, std::size_t bytes) {
        if (memory.bytes >= bytes) return;
        device->wait();
        memory = {};
        memory = DeviceMemory(device, bytes);
    }
    template <class One> const One* send(const std::vector<One>& list, DeviceMemory& memory) {
        grow(memory, list.size() * sizeof(One));
        device->copy(memory.at, list.data(), list.size() * sizeof(One), Device::Way::to_device);
        return (const One*)memory.at;
    }
    T* room(DeviceMemory& memory, std::size_t numbers) {
        grow(memory, numbers * lanes.size() * sizeof(T));
        return (T*)memory.at;
    }
    void prepare(std::span<const Item> items, bool inverse) {
        arrange(items, inverse);
        job.spectral = room(spectral, job.numbers_of_spectral());
        job.of_waves = room(of_waves, 2 * on.of_waves);
        job.of_rows = on.ranks > 1 ? room(of_rows, 2 * on.of_rows) : job.of_waves;
        job.rows = room(rows, on.numbers);
        job.level = send(levels, level_memory);
        job.lanes = int(lanes.size()), job.levels = int(levels.size());
    }
    Entries made() const {
        return {(std::byte*)job.of_waves, (std::byte*)job.of_rows, 2 * job.lanes};
    }
    template <bool derivative> void to_points(const std::vector<Lane<T>>& list) {
        if (list.empty()) return;
        job.lane = send(list, derivative ? derivative_memory : lane_memory);
        launch::each(on.rows.size() * list.size(), ToPoints<T, derivative>{job, int(list.size())});
    }
    int add(const FieldSlab& slab, int level, bool cosine) {
        const int lane = int(lanes.size());
        lanes.push_back({blocks.operator()<T>(slab), level, lane, cosine});
        return lane;
    }
    void arrange(std::span<const Item> items, bool inverse) {
        lanes.clear(), derivatives.clear(), levels.clear();
        using Kind = typename Level<T>::Kind;
        for (const Item& item : items)
            for (int k = 0; k < item.levels; ++k) {
                Level<T> l{Kind::same, (T*)item.first + k, (T*)item.second, item.stride, 0, 0};
                if (item.kind == Item::Kind::wind) {
                    l.kind = Kind::wind, l.second += k;
                    l.lane = add(*item.east, k, true), l.other = add(*item.north, k, true);
                } else
                    l.lane = add(*item.field, k, false);
                if (item.kind == Item::Kind::gradient && inverse) {
                    l.kind = Kind::north, l.other = add(*item.north, k, true);
                    derivatives.push_back({blocks.operator()<T>(*item.east), k, l.lane, true});
                }
                levels.push_back(l);
            }
    }
};

template <class T>
std::unique_ptr<TransformOnDevice> transform_of(std::shared_ptr<Device> device,
                                                const TransformTables<T>& tables) {
    if (const auto* sphere = std::get_if<LegendreTables<T>>(&tables.within))
        return std::make_unique<Transform<T, SphereJob<T>>>(std::move(device), tables.rows,
                                                            *sphere);
    return std::make_unique<Transform<T, PlaneJob<T>>>(std::move(device), tables.rows,
                                                       std::get<1>(tables.within));
}

const Registered single(transform_of<float>), twice(transform_of<double>);

}  // namespace

}  // namespace fathom
