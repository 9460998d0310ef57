#include "device/values.hpp"
#include "machine/launch.hpp"

namespace fathom {

namespace {

/// The addresses of numbers, and their values, in memory of the device.
struct Places {
    std::byte *at, *values;
    Places(Device& device, Lists& memory, const void* given, std::size_t count) {
        if (const std::size_t wanted = 2 * 8 * count; memory.bytes < wanted) {
            if (memory.at) device.wait(), device.release(memory.at);
            memory.at = nullptr, memory.bytes = 0;
            memory.at = device.allocate(wanted), memory.bytes = wanted;
        }
        at = memory.at, values = at + 8 * count;
        device.copy(at, given, 8 * count, Device::Way::to_device);
    }
};
static_assert(sizeof(void*) == 8 && sizeof(double) == 8);

template <class Number> struct Gather {
    const Number* const* at;
    double* values;
    constexpr void operator()(std::size_t n) const { values[n] = double(*at[n]); }
};
template <class Number> struct Scatter {
    Number* const* at;
    const double* values;
    constexpr void operator()(std::size_t n) const { *at[n] = Number(values[n]); }
};
template <class Number> struct Add {
    double x;
    Number* first;
    std::ptrdiff_t row;
    unsigned columns;
    constexpr void operator()(std::size_t n) const {
        Number& value = first[unsigned(n) / columns * row + unsigned(n) % columns];
        value = Number(double(value) + x);
    }
};

}  // namespace

void gather(Device& device, Lists& memory, std::span<const std::byte* const> at, int bytes,
            double* values) {
    const Places p(device, memory, at.data(), at.size());
    const auto launch = [&]<class Number>(Number) {
        launch::each(at.size(), Gather<Number>{(const Number* const*)p.at, (double*)p.values});
    };
    bytes == 4 ? launch(float()) : launch(double());
    device.copy(values, p.values, 8 * at.size(), Device::Way::to_host);
}

void scatter(Device& device, Lists& memory, std::span<std::byte* const> at, int bytes,
             const double* values) {
    const Places p(device, memory, at.data(), at.size());
    device.copy(p.values, values, 8 * at.size(), Device::Way::to_device);
    const auto launch = [&]<class Number>(Number) {
        launch::each(at.size(), Scatter<Number>{(Number* const*)p.at, (const double*)p.values});
    };
    bytes == 4 ? launch(float()) : launch(double());
    device.wait();
}

void add(double x, const Device::Rows& r, int bytes) {
    const std::size_t count = std::size_t(r.rows) * r.columns;
    if (bytes == 4)
        launch::each(count, Add<float>{x, (float*)r.first, r.row, unsigned(r.columns)});
    else
        launch::each(count, Add<double>{x, (double*)r.first, r.row, unsigned(r.columns)});
}

}  // namespace fathom
