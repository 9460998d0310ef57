/// The semi-implicit solve of a spectral atmosphere on a device: one thread per column, per mode of
/// a column, or per mode of a wavenumber.
#include "atmosphere/spectral/implicit_on_device.hpp"
#include "atmosphere/spectral/leap.hpp"
#include "base/error.hpp"
#include "base/pack.hpp"
#include "device/engines.hpp"
#include "machine/launch.hpp"

namespace fathom {

namespace {

using namespace atmosphere;

/// level, mode: [column][zeta, D][modes, padded], zeta only where it is solved for; kinetic:
/// [m][level]
template <class T, class Column, class Waves> struct Solve {
    CoefficientTables<T> on;
    Column column;
    Waves of_modes;
    T *level, *mode;
    double* kinetic;
    static constexpr bool on_plane = std::is_same_v<Waves, WavesOnPlane<T>>,
                          stretched = std::is_same_v<Waves, WavesOnStretchedSphere<T>>;
    static constexpr int parts = on_plane || stretched ? 1 : 2;
    constexpr int levels() const { return column.count; }
    constexpr std::ptrdiff_t of(std::size_t column) const {
        return parts * std::ptrdiff_t(column) * on.padded;
    }
    constexpr std::ptrdiff_t of_D(std::size_t column) const {
        return of(column) + (parts - 1) * on.padded;
    }
};

template <class T, class Job> struct RightSide {
    Job job;
    T* columns;
    constexpr void operator()(std::size_t c) const {
        T* zeta = columns + std::ptrdiff_t(c) * job.on.stride;
        if constexpr (Job::parts == 2)
            for (int k = 0; k < job.levels(); ++k) job.level[job.of(c) + k] = zeta[k];
        job.column.right_side(job.on.coefficients[c / 2].laplacian, zeta, job.level + job.of_D(c));
    }
};
/// A thread has a mode, or level, of zeta or D of a column.
template <class T> struct Multiply {
    int count, padded;
    const T *matrix, *from;
    T* to;
    constexpr void operator()(std::size_t n) const {
        const int k = int(n % count);
        const std::ptrdiff_t c = std::ptrdiff_t(n / count) * padded;
        multiply_tile<Pack<T, 1>, 1, 1>(count, padded, matrix + k, from + c, to + c + k);
    }
};
/// A thread has a mode of an m.
template <class T, class Job> struct Eliminate {
    Job job;
    constexpr void operator()(std::size_t n) const {
        const ImplicitWave w = job.on.waves[n / job.levels()];
        const int k = int(n % job.levels()), padded = job.on.padded;
        const auto& of = job.of_modes;
        eliminate<Pack<T, 1>>(w.count, padded, &of.below[w.first], &of.above[w.first],
                              &of.pivot[4 * std::size_t(w.first) * padded + k],
                              job.mode + job.of(2 * std::size_t(w.first)) + k);
    }
};
/// A thread has a mode, real or imaginary part, of an m.
template <class T, class Job> struct EliminateStretched {
    Job job;
    constexpr void operator()(std::size_t n) const {
        const int k = int(n % job.levels()), part = int(n / job.levels() % 2),
                  padded = job.on.padded;
        const ImplicitWave w = job.on.waves[n / job.levels() / 2];
        const auto& of = job.of_modes;
        eliminate_stretched<Pack<T, 1>>(
            w.count, padded, &of.scale[w.first], &of.factor[3 * std::size_t(w.first) * padded + k],
            job.mode + job.of(2 * std::size_t(w.first) + part) + k, job.of(2));
    }
};
/// D of a level -> m^2 D, of the same.
template <class Job> struct TimesSquare {
    Job job;
    constexpr void operator()(std::size_t n) const {
        const int k = int(n % job.levels()), part = int(n / job.levels() % 2);
        const ImplicitWave w = job.on.waves[n / job.levels() / 2];
        for (int i = 0; i < w.count; ++i) {
            const std::ptrdiff_t at = job.of(2 * (std::size_t(w.first) + i) + part) + k;
            job.mode[at] = job.of_modes.square[w.first + i](i, w.count, job.level + at, job.of(2));
        }
    }
};
/// A thread has a mode of a column.
template <class Job> struct Divide {
    Job job;
    constexpr void operator()(std::size_t n) const {
        const int k = int(n % job.levels());
        const std::size_t c = n / job.levels();
        auto& x = job.mode[job.of(c) + k];
        x = divided(x, job.of_modes.waves[c / 2], job.of_modes.speed_squared[k]);
    }
};
/// squared: m^2 D of all levels.
template <class T, class Job> struct Finish {
    Job job;
    T *columns, *squared;
    constexpr void operator()(std::size_t c) const {
        T *zeta = columns + std::ptrdiff_t(c) * job.on.stride, *D = zeta + job.levels(),
          *new_D = job.level + job.of_D(c), *of_squared = squared + job.of_D(c);
        if constexpr (Job::on_plane) {
            // the mean wind has no divergence: this element stores the wind itself
            const bool mean = job.of_modes.waves[c / 2] == 0;
            for (int k = 0; k < job.levels(); ++k) {
                if (!mean) D[k] = new_D[k];
                of_squared[k] = mean ? T(0) : job.of_modes.square * new_D[k];
            }
        } else
            for (int k = 0; k < job.levels(); ++k) D[k] = new_D[k];
        if constexpr (Job::parts == 2)
            if (job.of_modes.rotates)
                for (int k = 0; k < job.levels(); ++k) zeta[k] = job.level[job.of(c) + k];
        job.column.finish(of_squared, zeta);
    }
};
template <class T, class Job> struct Diffuse {
    Job job;
    T* columns;
    constexpr void operator()(std::size_t c) const {
        const auto& on = job.on;
        const CoefficientThere<T>& rate = on.coefficients[c / 2];
        T* column = columns + std::ptrdiff_t(c) * on.stride;
        const auto all = [&](int k) { return damping<T>(rate.all, on.sponge[k]); };
        const auto divergent = [&](int k) { return damping<T>(rate.divergent, on.sponge[k]); };
        damp_column(job.levels(), &on.lapse[0], column, all, divergent);
        if constexpr (decltype(job.column)::compressible)
            damp_compressible(job.levels(), column, all, divergent);
    }
};
/// A thread has a level of an m.
template <class T> struct AddKinetic {
    CoefficientTables<T> on;
    int levels;
    const T* columns;
    double sign, *kinetic;
    constexpr void operator()(std::size_t n) const {
        const ImplicitWave w = on.waves[n / levels];
        double sum = kinetic[n];
        for (int i = w.first; i < w.first + w.count; ++i) {
            const double factor = on.coefficients[i].kinetic;
            for (int c = 0; factor != 0 && c < 2; ++c) {
                const T* zeta = columns + (2 * std::ptrdiff_t(i) + c) * on.stride + n % levels;
                sum += kinetic_of_coefficient(sign * factor, double(zeta[0]), double(zeta[levels]));
            }
        }
        kinetic[n] = sum;
    }
};
/// A thread of the following kernels has a column.
template <class T> struct Leap {
    CoefficientTables<T> on;
    LinearColumn<T, SpanOf> column;
    T* columns;
    std::ptrdiff_t apart;
    T whole;
    constexpr void operator()(std::size_t c) const {
        const CoefficientThere<T>& of = on.coefficients[c / 2];
        T *now = columns + std::ptrdiff_t(c) * on.stride, *before = now + apart,
          *next = before + apart, *kinetic = next + apart;
        const int levels = column.count;
        for (int k = 0; k < levels; ++k) next[levels + k] += of.square * kinetic[k];
        leap(now, before, next, 3 * levels + 1, whole);
        column.add_linear(of.laplacian, before, next);
    }
};
template <class T> struct Filter {
    TimeFilter<T> filter;
    T* columns;
    std::ptrdiff_t stride, apart;
    int count;  ///< numbers of a column
    constexpr void operator()(std::size_t c) const {
        T *now = columns + std::ptrdiff_t(c) * stride, *before = now + apart;
        filter(now, before, before + apart, count);
    }
};
template <class T> struct LeapTracer {
    CoefficientTables<T> on;
    Filter<T> filter;
    T whole;
    constexpr void operator()(std::size_t c) const {
        const double rate = on.coefficients[c / 2].all;
        T *now = filter.columns + std::ptrdiff_t(c) * filter.stride, *before = now + filter.apart,
          *next = before + filter.apart;
        leap(now, before, next, filter.count, whole);
        for (int k = 0; k < filter.count; ++k) next[k] *= damping<T>(rate, on.sponge[k]);
        filter(c);
    }
};

struct Lost {
    const double* kinetic;
    int levels, level;
    double coarse, fine;
    constexpr void operator()(std::size_t wave, std::int64_t* mine) const {
        Limbs::add(-kinetic[wave * levels + level], coarse, fine, mine);
    }
};
template <class T> struct Warm {
    T* mean;
    const double* more;
    constexpr void operator()(std::size_t k) const { mean[k] += T(more[k]); }
};

template <class T, class Column, class Waves> class Implicit final : public ImplicitOnDevice {
    using Job = Solve<T, Column, Waves>;

public:
    Implicit(std::shared_ptr<Device> given, const CoefficientTables<T>& on, const Column& column,
             const Waves& waves)
        : device(std::move(given)), job{on, column, waves} {
        const auto send = [&]<class Number>(std::span<const Number>& list) {
            lists.push_back(on_device(device, list.data(), list.size()));
            list = {(const Number*)lists.back().at, list.size()};
        };
        job.on.each_list(send), job.column.each_list(send), job.of_modes.each_list(send);
        const auto memory = [&](std::size_t bytes) { return lists.emplace_back(device, bytes).at; };
        columns = 2 * on.coefficients.size();
        for (T** to : {&job.level, &job.mode}) *to = (T*)memory(job.of(columns) * sizeof(T));
        job.kinetic = (double*)memory(sums() * sizeof(double));
        heat = memory(job.levels() * sizeof(double));
        limbs = memory(job.levels() * sizeof(Limbs));
        device->wait();
    }
    void solve(void* at) override {
        const auto multiply = [&](const SpanOf<T>& matrix, const T* from, T* to) {
            launch::each(Job::parts * columns * job.levels(),
                         Multiply<T>{job.levels(), job.on.padded, &matrix[0], from, to});
        };
        launch::each(columns, RightSide<T, Job>{job, (T*)at});
        multiply(job.on.to_modes, job.level, job.mode);
        if constexpr (Job::on_plane)
            launch::each(columns * job.levels(), Divide<Job>{job});
        else if constexpr (Job::stretched)
            launch::each(2 * sums(), EliminateStretched<T, Job>{job});
        else
            launch::each(sums(), Eliminate<T, Job>{job});
        multiply(job.on.from_modes, job.mode, job.level);
        if constexpr (Job::stretched) launch::each(2 * sums(), TimesSquare<Job>{job});
        launch::each(columns, Finish<T, Job>{job, (T*)at, Job::stretched ? job.mode : job.level});
    }
    void diffuse(void* at) override { launch::each(columns, Diffuse<T, Job>{job, (T*)at}); }
    void clear_kinetic() override {
        device->clear((std::byte*)job.kinetic, sums() * sizeof(double));
    }
    void add_kinetic(const void* at, double sign) override {
        launch::each(sums(), AddKinetic<T>{job.on, job.levels(), (const T*)at, sign, job.kinetic});
    }
    std::vector<Limbs> lost_kinetic(double coarse, double fine) override {
        std::vector<Limbs> found(job.levels());
        const std::size_t bytes = found.size() * sizeof(Limbs);
        device->clear(limbs, bytes);
        for (int k = 0; k < job.levels(); ++k)
            launch::totals<Limbs::words>(job.on.waves.size(),
                                         Lost{job.kinetic, job.levels(), k, coarse, fine},
                                         ((Limbs*)limbs + k)->word);
        device->copy(found.data(), limbs, bytes, Device::Way::to_host);
        return found;
    }
    void leap(void* at, const Leapfrog& f) override {
        if constexpr (Column::compressible)
            throw Error("compressible air has no leapfrog");
        else
            launch::each(columns, Leap<T>{job.on, job.column, (T*)at, f.apart, T(f.whole)});
    }
    void filter(void* at, const Leapfrog& f) override {
        launch::each(columns, filter_of(at, job.on.stride, f, 3 * job.levels() + 1));
    }
    void leap_tracer(void* at, std::ptrdiff_t stride, const Leapfrog& f) override {
        launch::each(columns,
                     LeapTracer<T>{job.on, filter_of(at, stride, f, job.levels()), T(f.whole)});
    }
    void warm(void* at, std::span<const double> more) override {
        device->copy(heat, more.data(), more.size_bytes(), Device::Way::to_device);
        launch::each(more.size(), Warm<T>{(T*)at + 2 * job.levels(), (const double*)heat});
    }

private:
    std::shared_ptr<Device> device;
    Job job;
    std::vector<DeviceMemory> lists;
    std::size_t columns = 0;
    std::byte *heat = nullptr, *limbs = nullptr;
    static Filter<T> filter_of(void* at, std::ptrdiff_t stride, const Leapfrog& f, int count) {
        return {{T(f.share), T(f.rest)}, (T*)at, stride, f.apart, count};
    }
    std::size_t sums() const { return job.on.waves.size() * job.levels(); }
};

template <class T>
std::unique_ptr<ImplicitOnDevice> implicit_of(std::shared_ptr<Device> device,
                                              const ImplicitTables<T>& tables) {
    return std::visit(
        [&]<class Column, class Waves>(const Column& column,
                                       const Waves& waves) -> std::unique_ptr<ImplicitOnDevice> {
            if constexpr (Column::compressible && !std::is_same_v<Waves, WavesOnPlane<T>>)
                throw Error("compressible air is solved for on a plane alone");
            else
                return std::make_unique<Implicit<T, Column, Waves>>(std::move(device), tables.of,
                                                                    column, waves);
        },
        tables.column, tables.modes);
}

const Registered single(implicit_of<float>), twice(implicit_of<double>);

}  // namespace

}  // namespace fathom
