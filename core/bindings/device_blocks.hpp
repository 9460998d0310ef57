/// Arrays of Python in memory of a device, for tests and benchmarks.
#pragma once
#include <map>
#include "bindings/blocks.hpp"
#include "machine/device.hpp"

namespace fathom {

/// Blocks of Python in memory of a device.
class DeviceBlocks {
public:
    std::shared_ptr<Device> device;
    /// The same slab there; its numbers are copied unless they are there.
    FieldSlab there(FieldSlab s, const std::vector<BlockArray>& blocks) {
        for (std::size_t b = 0; b < blocks.size(); ++b) s.at[b] = there(s.at[b], blocks[b]);
        return s;
    }
    /// The numbers of an array, which begin here; copied unless they are there.
    template <class Array> std::byte* there(std::byte* here, const Array& array) {
        std::size_t numbers = 1;
        for (std::size_t n = 0; n < array.ndim(); ++n)
            numbers += (array.shape(n) - 1) * array.stride(n);
        auto& memory = all[here];
        if (!memory.at) memory = on_device(device, here, numbers * array.itemsize());
        return memory.at;
    }
    /// Of numbers that are there; null for null.
    std::byte* there(std::byte* here) const { return here ? all.at(here).at : nullptr; }
    /// Copies all numbers back.
    void back() {
        for (auto& [here, memory] : all)
            device->copy(here, memory.at, memory.bytes, Device::Way::to_host);
        all.clear();
    }

private:
    std::map<std::byte*, DeviceMemory> all;
};

}  // namespace fathom
