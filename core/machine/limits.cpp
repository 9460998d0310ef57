#include "machine/limits.hpp"
#include <omp.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <memory>
#include "base/pack.hpp"
#include "machine/device.hpp"
#include "machine/spent.hpp"

namespace fathom {

double triad_bandwidth(std::size_t bytes, int repetitions) {
    const long n = long(bytes / sizeof(double));
    const auto a = std::make_unique_for_overwrite<double[]>(n),
               b = std::make_unique_for_overwrite<double[]>(n),
               c = std::make_unique_for_overwrite<double[]>(n);
    double *x = a.get(), *y = b.get(), *z = c.get(), best = 1e30;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) x[i] = 0, y[i] = 1, z[i] = 2;  // first used by its thread
    for (int r = 0; r < repetitions; ++r) {
        const double start = work_now();
#pragma omp parallel for simd schedule(static)
        for (long i = 0; i < n; ++i) x[i] = y[i] + 0.5 * z[i];
        best = std::min(best, work_now() - start);
    }
    return 3.0 * sizeof(double) * double(n) / best;
}

double copy_bandwidth(std::shared_ptr<Device> device, std::size_t bytes, int repetitions) {
    const DeviceMemory from(device, bytes), to(device, bytes);
    double best = 1e30;
    for (int r = 0; r < repetitions; ++r) {
        device->mark(0);
        device->copy(to.at, from.at, bytes, Device::Way::within);
        device->mark(1);
        best = std::min(best, device->between(0, 1));
    }
    return 2.0 * double(bytes) / best;
}

#ifdef __clang__
#pragma STDC FP_CONTRACT ON
#else
#pragma GCC optimize("fp-contract=fast")  // only here the compiler may fuse
#endif
template <class T> double fma_rate(double seconds) {
    using Register = typename Lanes<T, pack_width<T>>::type;
    constexpr int chains = 10, inner = 10000;
    double operations = 0;
    const double start = seconds_now(), began = work_now();
#pragma omp parallel reduction(+ : operations)
    {
        std::array<Register, chains> x;
        const Register factor = Register{} + T(0.999), add = Register{} + T(1e-3);
        for (auto& r : x) r = Register{} + T(omp_get_thread_num());
        while (seconds_now() - start < seconds) {
            for (int n = 0; n < inner; ++n)
                for (auto& r : x) r = r * factor + add;
            operations += 2.0 * inner * chains * pack_width<T>;
        }
        for (auto& r : x) asm volatile("" : : "m"(r));  // the result is used
    }
    return operations / (work_now() - began);
}
template double fma_rate<float>(double);
template double fma_rate<double>(double);

std::size_t second_level_cache() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (bytes > 0) return std::size_t(bytes);
#endif
    return 1 << 20;
}

}  // namespace fathom
