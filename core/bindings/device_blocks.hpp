/// Arrays of Python in memory of a device, for tests.
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
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            std::size_t numbers = 1;
            for (std::size_t n = 0; n < blocks[b].ndim(); ++n)
                numbers += (blocks[b].shape(n) - 1) * blocks[b].stride(n);
            const std::size_t bytes = numbers * blocks[b].itemsize();
            auto& memory = all[s.at[b]];
            if (!memory.at) memory = on_device(device, s.at[b], bytes);
            s.at[b] = memory.at;
        }
        return s;
    }
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
