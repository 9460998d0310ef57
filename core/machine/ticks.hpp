/// Ticks: the cheapest clock, for work that is timed thousands of times in a millisecond: the
/// processor's own counter where it runs evenly, else the steady clock.
#pragma once
#include <algorithm>
#include <cstdint>
#include "machine/spent.hpp"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fathom {

namespace ticks_detail {
inline std::uint64_t steady() {
    return std::uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}
#if defined(__x86_64__)
/// Whether the counter runs evenly at any frequency and in any sleep state (CPUID 8000'0007,
/// "invariant").
inline bool invariant() {
    unsigned a, b, c, d = 0;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
}
inline const bool even = invariant();
#endif
}  // namespace ticks_detail

inline std::uint64_t ticks_now() {
#if defined(__x86_64__)
    return ticks_detail::even ? __builtin_ia32_rdtsc() : ticks_detail::steady();
#elif defined(__aarch64__)
    std::uint64_t t;
    asm volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return ticks_detail::steady();
#endif
}

namespace ticks_detail {
inline const std::uint64_t first_tick = ticks_now();
inline const double first_second = seconds_now();
}  // namespace ticks_detail

/// By comparison with the steady clock since the program began.
inline double seconds_of_tick() {
    return (seconds_now() - ticks_detail::first_second) /
           double(ticks_now() - ticks_detail::first_tick);
}

/// Ticks of the work of this thread: nanoseconds of its processor, where work is timed by that.
inline std::uint64_t work_ticks() {
    return processor_clock ? std::uint64_t(1e9 * processor_seconds()) : ticks_now();
}
inline double seconds_of_work_tick() { return processor_clock ? 1e-9 : seconds_of_tick(); }
/// The least that lies between two readings of work_ticks(): a large part of a short piece of work,
/// where reading is a call of the system.
inline std::uint64_t ticks_of_reading() {
    if (!processor_clock) return 0;
    static const std::uint64_t least = [] {
        std::uint64_t found = ~std::uint64_t(0);
        for (int n = 0; n < 100; ++n) {
            const auto began = work_ticks();
            found = std::min(found, work_ticks() - began);
        }
        return found;
    }();
    return least;
}

}  // namespace fathom
