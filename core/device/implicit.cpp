#include "device/implicit.hpp"
#include "base/pack.hpp"
#include "machine/launch.hpp"

namespace fathom {

namespace {

using namespace atmosphere;

/// level, mode: [column][zeta, D][modes, padded]; kinetic: [m][level]
template <class T> struct Solve {
    ImplicitTables<T> on;
    T *level, *mode;
    double* kinetic;
    constexpr int levels() const { return on.column.count; }
    constexpr std::ptrdiff_t of(std::size_t column) const {
        return 2 * std::ptrdiff_t(column) * on.padded;
    }
    constexpr int degrees_of(const ImplicitWave& w) const { return on.truncation - w.m + 1; }
};

template <class T> struct RightSide {
    Solve<T> job;
    const T* columns;
    constexpr void operator()(std::size_t c) const {
        const auto& on = job.on;
        const T* zeta = columns + std::ptrdiff_t(c) * on.stride;
        T *of_zeta = job.level + job.of(c), *of_D = of_zeta + on.padded;
        for (int k = 0; k < job.levels(); ++k) of_zeta[k] = zeta[k];
        const double n = on.degrees[c / 2];
        on.column.right_side(T(on.beta * n * (n + 1) / (on.radius * on.radius)), zeta, of_D);
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
template <class T> struct Eliminate {
    Solve<T> job;
    constexpr void operator()(std::size_t n) const {
        const auto& on = job.on;
        const ImplicitWave w = on.waves[n / job.levels()];
        const int k = int(n % job.levels());
        eliminate<Pack<T, 1>>(job.degrees_of(w), on.padded, &on.below[w.first], &on.above[w.first],
                              &on.pivot[4 * std::size_t(w.first) * on.padded + k],
                              job.mode + job.of(2 * std::size_t(w.first)) + k);
    }
};
template <class T> struct Finish {
    Solve<T> job;
    T* columns;
    constexpr void operator()(std::size_t c) const {
        const auto& on = job.on;
        T *zeta = columns + std::ptrdiff_t(c) * on.stride, *D = zeta + job.levels();
        const T *of_zeta = job.level + job.of(c), *of_D = of_zeta + on.padded;
        for (int k = 0; k < job.levels(); ++k) {
            if (on.rotates) zeta[k] = of_zeta[k];
            D[k] = of_D[k];
        }
        on.column.finish_with([=](int k) { return of_D[k]; }, zeta);
    }
};
template <class T> struct Diffuse {
    Solve<T> job;
    T* columns;
    constexpr void operator()(std::size_t c) const {
        const int levels = job.levels();
        const T *all = &job.on.damping[std::size_t(2 * job.on.degrees[c / 2]) * levels],
                *divergent = all + levels;
        damp_column(
            levels, &job.on.lapse[0], columns + std::ptrdiff_t(c) * job.on.stride,
            [=](int k) { return all[k]; }, [=](int k) { return divergent[k]; });
    }
};
/// A thread has a level of an m.
template <class T> struct AddKinetic {
    Solve<T> job;
    const T* columns;
    double sign;
    constexpr void operator()(std::size_t n) const {
        const auto& on = job.on;
        const int levels = job.levels();
        const ImplicitWave w = on.waves[n / levels];
        double sum = job.kinetic[n];
        for (int i = w.m > 0 ? 0 : 1; i < job.degrees_of(w); ++i) {
            const double factor = sign * kinetic_factor(w.m, w.m + i, on.radius);
            for (int c = 0; c < 2; ++c) {
                const T* zeta =
                    columns + (2 * std::ptrdiff_t(w.first + i) + c) * on.stride + n % levels;
                sum += kinetic_of_coefficient(factor, double(zeta[0]), double(zeta[levels]));
            }
        }
        job.kinetic[n] = sum;
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

template <class T> class Implicit final : public ImplicitOnDevice {
public:
    Implicit(std::shared_ptr<Device> given, const ImplicitTables<T>& tables)
        : device(std::move(given)), job{tables} {
        auto& on = job.on;
        on.each_list([&]<class Number>(std::span<const Number>& list) {
            lists.push_back(on_device(device, list.data(), list.size()));
            list = {(const Number*)lists.back().at, list.size()};
        });
        const auto memory = [&](std::size_t bytes) { return lists.emplace_back(device, bytes).at; };
        columns = 2 * on.degrees.size();
        for (T** to : {&job.level, &job.mode})
            *to = (T*)memory(2 * columns * on.padded * sizeof(T));
        job.kinetic = (double*)memory(sums() * sizeof(double));
        heat = memory(job.levels() * sizeof(double));
        limbs = memory(job.levels() * sizeof(Limbs));
        device->wait();
    }
    void solve(void* at) override {
        const std::size_t products = 2 * columns * job.levels();
        const auto multiply = [&](const SpanOf<T>& matrix, const T* from, T* to) {
            launch::each(products, Multiply<T>{job.levels(), job.on.padded, &matrix[0], from, to});
        };
        launch::each(columns, RightSide<T>{job, (const T*)at});
        multiply(job.on.to_modes, job.level, job.mode);
        launch::each(sums(), Eliminate<T>{job});
        multiply(job.on.from_modes, job.mode, job.level);
        launch::each(columns, Finish<T>{job, (T*)at});
    }
    void diffuse(void* at) override { launch::each(columns, Diffuse<T>{job, (T*)at}); }
    void clear_kinetic() override {
        device->clear((std::byte*)job.kinetic, sums() * sizeof(double));
    }
    void add_kinetic(const void* at, double sign) override {
        launch::each(sums(), AddKinetic<T>{job, (const T*)at, sign});
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
    void warm(void* at, std::span<const double> more) override {
        device->copy(heat, more.data(), more.size_bytes(), Device::Way::to_device);
        launch::each(more.size(), Warm<T>{(T*)at + 2 * job.levels(), (const double*)heat});
    }

private:
    std::shared_ptr<Device> device;
    Solve<T> job;
    std::vector<DeviceMemory> lists;
    std::size_t columns = 0;
    std::byte *heat = nullptr, *limbs = nullptr;
    std::size_t sums() const { return job.on.waves.size() * job.levels(); }
};

}  // namespace

template <class T>
std::unique_ptr<ImplicitOnDevice> implicit_of(std::shared_ptr<Device> device,
                                              const ImplicitTables<T>& tables) {
    return std::make_unique<Implicit<T>>(std::move(device), tables);
}
template std::unique_ptr<ImplicitOnDevice> implicit_of<float>(std::shared_ptr<Device>,
                                                              const ImplicitTables<float>&);
template std::unique_ptr<ImplicitOnDevice> implicit_of<double>(std::shared_ptr<Device>,
                                                               const ImplicitTables<double>&);

}  // namespace fathom
