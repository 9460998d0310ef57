/// The highest speeds of this machine, measured: the reference for all other figures.
///   triad   a_i = b_i + s c_i
///       three streams of 8 bytes from memory (the fourth, that brings a_i into cache,
///       is not counted)
///   fma     x <- x y + z           two operations, on as many registers as hide the latency
///   copy    a_i = b_i              within a device: bytes read and bytes written
#pragma once
#include <cstddef>
#include <memory>

namespace fathom {

class Device;

/// Bytes per second of the triad on the calling process's threads; arrays of `bytes` each, the best
/// of `repetitions`.
double triad_bandwidth(std::size_t bytes, int repetitions);

/// Bytes per second of the copy within a device, arrays of `bytes` each, the best of `repetitions`.
double copy_bandwidth(std::shared_ptr<Device> device, std::size_t bytes, int repetitions);

/// Floating-point operations per second of fused multiply-adds on all threads, for float or double.
template <class T> double fma_rate(double seconds);

/// Bytes of the second-level cache of a core, as the system says; 1 MiB where it does not.
std::size_t second_level_cache();

}  // namespace fathom
