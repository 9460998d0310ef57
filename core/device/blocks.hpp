/// Blocks of fields in memory of a device, in the form that kernels need: the address of a field is
/// an argument of a launch; the offsets of its blocks are in a table, made the first time.
#pragma once
#include <compare>
#include <map>
#include <span>
#include <vector>
#include "machine/device.hpp"
#include "parallel/halo/packing.hpp"

namespace fathom {

/// The beginning of a block of a field, from that of its first block, and strides: in numbers.
struct BlockAt {
    std::ptrdiff_t at, row, level;
    auto operator<=>(const BlockAt&) const = default;
    constexpr std::ptrdiff_t of(int in_row, int column, std::ptrdiff_t in_level) const {
        return at + in_row * row + in_level * level + column;
    }
};

/// A field, by value.
template <class Number> struct FieldAt {
    Number* first;
    const BlockAt* blocks;
    constexpr Number& operator()(int block, int row, int column, std::ptrdiff_t level) const {
        return first[blocks[block].of(row, column, level)];
    }
};

class BlockTables {
public:
    explicit BlockTables(std::shared_ptr<Device> device) : device(std::move(device)) {}
    template <class Number> FieldAt<Number> operator()(const FieldSlab& f) {
        if (f.at.empty()) return {};
        std::vector<BlockAt> blocks;
        for (std::size_t b = 0; b < f.at.size(); ++b)
            blocks.push_back(
                {(f.at[b] - f.at[0]) / std::ptrdiff_t(sizeof(Number)), f.row[b], f.level[b]});
        auto& table = tables[blocks];
        if (!table.at) {
            table = on_device(device, blocks.data(), blocks.size());
            device->wait();
        }
        return {(Number*)f.at[0], (const BlockAt*)table.at};
    }

private:
    std::shared_ptr<Device> device;
    std::map<std::vector<BlockAt>, DeviceMemory> tables;
};

}  // namespace fathom
