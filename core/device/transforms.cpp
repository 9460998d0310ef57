#include "device/transforms.hpp"
#include "device/blocks.hpp"
#include "machine/launch.hpp"
#include "transform/fourier/there.hpp"
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

/// spectral: [wave][lane][re, im][degree]; of_waves, of_rows: [entry][re, im][lane];
/// rows: [row][number][lane]
template <class T> struct Job {
    TransformTables<T> on;
    T *spectral, *of_waves, *of_rows, *rows;
    const Lane<T>* lane;
    const Level<T>* level;
    int lanes, levels;

    using View = WaveView<OneField<T>>;
    constexpr T* spectral_of(const WaveThere& w, int lane) const {
        return spectral + 2 * (w.begin * lanes + std::size_t(lane) * w.degrees);
    }
    constexpr typename View::Inner inner(const WaveThere& w, int lane) const {
        return {spectral_of(w, lane), w.degrees};
    }
    constexpr typename View::Outer outer(const WaveThere& w, T* at, std::ptrdiff_t stride) const {
        return {at ? at + 2 * std::ptrdiff_t(w.coefficients) * stride : nullptr, stride};
    }
    constexpr View view(const WaveThere& w) const {
        return {{}, w.m, on.truncation, on.truncation + 1, &on.epsilon[w.epsilon]};
    }
    constexpr T* entry(int m, const RowThere& row, int lane) const {
        return of_rows + 2 * (on.row_side[m] + row.index) * lanes + lane;
    }
    /// Of an own wave and any row.
    constexpr T* entry(std::size_t wave, int row, int lane) const {
        const EntryThere& e = on.entries[row];
        return of_waves + 2 * (on.wave_side[wave * on.ranks + e.rank] + e.index) * lanes + lane;
    }
    constexpr int half() const { return int(on.entries.size()) / 2; }
    constexpr FourierThere<T> fourier(const RowThere& row) const {
        return {&on.passes[0], &on.twiddles[0], &on.places[0], &on.turns[0], on.plans[row.plan]};
    }
    constexpr auto numbers(const RowThere& row, int lane, int of) const {
        using V = Pack<T, 1>;
        return Apart<V>{(V*)rows + row.begin * of + lane, of};
    }
};

/// Coefficients -> degrees of the Legendre sums: a thread has a level of a wave.
template <class T> struct FromCoefficients {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        const WaveThere& w = job.on.waves[n / job.levels];
        const Level<T>& l = job.level[n % job.levels];
        using Kind = typename Level<T>::Kind;
        const auto view = job.view(w);
        const double a = job.on.radius;
        const auto to = job.inner(w, l.lane), other = job.inner(w, l.other);
        const auto first = job.outer(w, l.first, l.stride);
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
                first, job.outer(w, l.second, l.stride),
                [=](int n) { return n > 0 ? a / (double(n) * (n + 1)) : 0; }, &to, &other);
    }
};
template <class T> struct ToCoefficients {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        const WaveThere& w = job.on.waves[n / job.levels];
        const Level<T>& l = job.level[n % job.levels];
        const auto view = job.view(w);
        const double a = job.on.radius;
        const auto first = job.outer(w, l.first, l.stride);
        if (l.kind == Level<T>::Kind::wind) {
            const auto second = job.outer(w, l.second, l.stride);
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
    constexpr Functions(const TransformTables<T>& on, const WaveThere& w, int pair) {
        const int place = pair + on.padding;
        const StripThere& s = on.strips[w.strips + place / pairs];
        first = s.first;
        at = &on.functions[0] + s.at + place % pairs;
    }
    constexpr T operator[](int degree) const { return at[(degree - first) * pairs]; }
};

/// A thread has the sum over degrees of a part of a lane, for a pair of rows.
template <class T> struct SumDegrees {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        const int half = job.half(), pair = int(n % half), part = int(n / half % 2),
                  lane = int(n / half / 2 % job.lanes);
        const std::size_t wave = n / half / 2 / job.lanes;
        const WaveThere& w = job.on.waves[wave];
        if (pair < w.first_row) return;
        const Functions<T> P(job.on, w, pair);
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
    Job<T> job;
    int most;  ///< degrees
    constexpr void operator()(std::size_t n) const {
        const int half = job.half(), i = int(n % most), part = int(n / most % 2),
                  lane = int(n / most / 2 % job.lanes);
        const std::size_t wave = n / most / 2 / job.lanes;
        const WaveThere& w = job.on.waves[wave];
        if (i >= w.degrees) return;
        using V = Pack<T, 1>;
        V sum(T(0));
        for (int pair = w.first_row; pair < half; ++pair) {
            const Functions<T> P(job.on, w, pair);
            if (i < P.first) continue;
            const V north = job.entry(wave, 2 * half - 1 - pair, lane)[part * job.lanes],
                    south = job.entry(wave, pair, lane)[part * job.lanes];
            sum = fma(V(P[i]), i % 2 ? north - south : north + south, sum);
        }
        job.spectral_of(w, lane)[part * w.degrees + i] = sum.lanes;
    }
};

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
        job.fourier(row).inverse(row.waves, wave, a);
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
        job.fourier(row).direct(row.waves, put, a);
    }
};

template <class T> class Transform final : public TransformOnDevice {
public:
    Transform(std::shared_ptr<Device> given, const TransformTables<T>& tables)
        : device(std::move(given)), blocks(device), job{tables}, on(job.on) {
        for (auto& w : on.waves) most_degrees = std::max(most_degrees, w.degrees);
        on.each_list([&]<class Number>(std::span<const Number>& list) {
            lists.push_back(on_device(device, list.data(), list.size()));
            list = {(const Number*)lists.back().at, list.size()};
        });
        device->wait();
    }
    Entries from_waves(std::span<const Item> items) override {
        prepare(items, true);
        const std::size_t waves = on.waves.size();
        launch::each(waves * levels.size(), FromCoefficients<T>{job});
        launch::each(waves * job.lanes * 2 * job.half(), SumDegrees<T>{job});
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
    void to_waves() override {
        launch::each(on.waves.size() * lanes.size() * 2 * most_degrees,
                     SumRows<T>{job, most_degrees});
        launch::each(on.waves.size() * levels.size(), ToCoefficients<T>{job});
    }

private:
    std::shared_ptr<Device> device;
    BlockTables blocks;
    Job<T> job;
    TransformTables<T>& on;
    std::vector<DeviceMemory> lists;
    DeviceMemory spectral, of_waves, of_rows, rows, lane_memory, derivative_memory, level_memory;
    std::vector<Lane<T>> lanes, derivatives;  // derivatives: d/dlambda
    std::vector<Level<T>> levels;
    int most_degrees = 0;

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
        job.spectral = room(spectral, 2 * on.degrees);
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

}  // namespace

template <class T>
std::unique_ptr<TransformOnDevice> transform_of(std::shared_ptr<Device> device,
                                                const TransformTables<T>& tables) {
    return std::make_unique<Transform<T>>(std::move(device), tables);
}
template std::unique_ptr<TransformOnDevice> transform_of<float>(std::shared_ptr<Device>,
                                                                const TransformTables<float>&);
template std::unique_ptr<TransformOnDevice> transform_of<double>(std::shared_ptr<Device>,
                                                                 const TransformTables<double>&);

}  // namespace fathom
