/// What a part of the work has taken and done so far: seconds, floating-point operations (a fused multiply-add is two), and bytes that had to be read or
/// written once at least, wherever they lie.
#pragma once
#include <chrono>

namespace fathom {

struct Spent {
    double seconds = 0, operations = 0, bytes = 0;
    void did(double more_operations, double more_bytes) { operations += more_operations, bytes += more_bytes; }
};

struct Timer {
    using Clock = std::chrono::steady_clock;
    Spent& spent;
    Clock::time_point began = Clock::now();
    ~Timer() { spent.seconds += std::chrono::duration<double>(Clock::now() - began).count(); }
};

}  // namespace fathom
