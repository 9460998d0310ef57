/// Cost of a part of the work so far: seconds, floating-point operations (a fused multiply-add is
/// two), and bytes that must be read or written at least once, in any memory.
#pragma once
#include <chrono>
#include <ctime>

namespace fathom {

/// By a monotonic clock.
inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Processor time of this thread.
inline double processor_seconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Whether work is timed by the processor time of its thread, in which other programs have no part:
/// for measurements on one thread. Else by the monotonic clock.
inline bool processor_clock = false;
inline double work_now() { return processor_clock ? processor_seconds() : seconds_now(); }

struct Spent {
    double seconds = 0, operations = 0, bytes = 0;
    void did(double more_operations, double more_bytes) {
        operations += more_operations, bytes += more_bytes;
    }
};

struct Timer {
    Spent& spent;
    double began = work_now();
    ~Timer() { spent.seconds += work_now() - began; }
};

}  // namespace fathom
