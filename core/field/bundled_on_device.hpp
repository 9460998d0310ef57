/// A bundle in memory of a device: what Bundled does there.
#pragma once
#include "field/bundled.hpp"
#include "field/columns.hpp"

namespace fathom {

class Bundled::There {
public:
    There(const Bundled&, std::shared_ptr<Device>, int bytes);
    const std::shared_ptr<Device> device;
    const int bytes;

    /// Inputs of a bundle in memory of the processor, from fields there; its results to fields.
    void fill(Given, Bundle&, std::span<const Column>, std::span<const Item> from);
    void give(Given, const Bundle&, std::span<const Column>);
    double run(const Where&, Bundle&);
    double compute(Given, std::span<Column>);
    void copy(Given, std::span<const Column>, std::span<const Copied>);
    std::vector<double> values(Given, Item, std::span<const Column>);

private:
    const Bundled& of;
    std::unique_ptr<ColumnsOnDevice> columns;
    DeviceMemory rows, cells;
    /// Of the process, for so many columns.
    std::size_t settled = 0;
    std::shared_ptr<const void> scheme;
    DeviceMemory own;
    std::vector<std::size_t> own_at;  ///< of each field

    void make_room(const Bundle&);
    void settle(const Bundle&);
    Bundle choose(Given, std::span<const Column>);
    ColumnsOnDevice::Values levels_of(std::size_t begin, const Bundle& b) const {
        return {rows.at + begin * bytes, 1, b.count};
    }
    void take(Given, const Bundle&, std::span<const Item> from);
    void put(Given, const Bundle&);
    double launch(const Where&, const Bundle&, std::span<Column>);
    void to_device(const std::byte* memory, std::size_t first, std::size_t end);
    void to_host(std::byte* memory, std::size_t first, std::size_t end);
};

}  // namespace fathom
