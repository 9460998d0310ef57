/// Single numbers, and rows of them, in memory of a device.
#pragma once
#include "machine/device.hpp"

namespace fathom {

/// Memory for lists of places and values, which grows.
struct Lists {
    std::byte* at = nullptr;
    std::size_t bytes = 0;
};
void gather(Device&, Lists&, std::span<const std::byte* const>, int bytes, double* values);
void scatter(Device&, Lists&, std::span<std::byte* const>, int bytes, const double* values);
void add(double x, const Device::Rows&, int bytes);

}  // namespace fathom
