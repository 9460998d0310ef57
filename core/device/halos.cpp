/// Halos in memory of a device: a thread for each point of each level of all fields of an exchange.
#include <cstdint>
#include <limits>
#include "base/error.hpp"
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "machine/launch.hpp"
#include "parallel/halo/mover.hpp"

namespace fathom {

namespace {

constexpr int most = 32;  // fields of a launch: their addresses are its arguments

/// Several lists numbered consecutively: finds the list of number n, and the position in it.
template <class List> struct Lists {
    std::array<List, most> list;
    struct Found {
        const List& list;
        unsigned level, point;
    };
    constexpr Found find(std::size_t n) const {
        int which = 0;
        std::size_t begin = 0;
        while (n >= list[which].end) begin = list[which++].end;
        const unsigned in_list = unsigned(n - begin), points = list[which].points;
        return {list[which], in_list / points, in_list % points};
    }
};

/// Numbers are copied as integers: so a change of sign flips one bit, even of a NaN.
template <class Bits> struct Copy {
    struct List {
        std::size_t end;  // number of the first point after this list
        unsigned points;
        Bits sign;  // of a vector
        const PointMoves::Copied* point;
        FieldAt<const Bits> from;
        FieldAt<Bits> to;
    };
    Lists<List> lists;
    constexpr void operator()(std::size_t n) const {
        const auto [list, level, point] = lists.find(n);
        const PointMoves::Copied p = list.point[point];
        list.to(p.to_block, p.to_row, p.to_column, level) =
            list.from(p.from_block, p.from_row, p.from_column, level) ^
            (p.flipped ? list.sign : Bits(0));
    }
};

/// Copies between fields and a buffer.
template <class Bits, bool pack> struct Carry {
    struct List {
        std::size_t end;
        unsigned points;
        Bits sign;
        const PointMoves::Packed* point;
        FieldAt<Bits> field;
    };
    Lists<List> lists;
    Bits* buffer;
    constexpr void operator()(std::size_t n) const {
        const auto [list, level, point] = lists.find(n);
        const PointMoves::Packed p = list.point[point];
        Bits& in_field = list.field(p.block, p.row, p.column, level);
        Bits& in_buffer = buffer[p.at + p.apart * level];
        if constexpr (pack)
            in_buffer = in_field ^ (p.flipped ? list.sign : Bits(0));
        else
            in_field = in_buffer;
    }
};

template <class Bits> class Halos final : public Mover {
public:
    Halos(std::shared_ptr<Device> given, const PointMoves& moves)
        : device(std::move(given)),
          items(moves.items),
          copied(on_device(device, moves.copied.data(), moves.copied.size())),
          packed(on_device(device, moves.packed.data(), moves.packed.size())),
          unpacked(on_device(device, moves.unpacked.data(), moves.unpacked.size())),
          outgoing(device, moves.outgoing + 1),
          incoming(device, moves.incoming + 1),
          blocks(device) {
        for (auto& item : items)
            for (auto& part : {item.copied, item.packed, item.unpacked})
                if (part.count * item.levels > std::numeric_limits<unsigned>::max())
                    throw Error("a halo of ", part.count, " points of ", item.levels,
                                " levels is too much for one launch");
        device->wait();
    }

    void expect(std::span<const FieldSlab> fields) override {
        for (auto& f : fields) blocks.operator()<Bits>(f);
    }

    void copy(std::span<const FieldSlab> from, std::span<const FieldSlab> to) override {
        launch_all<Copy<Bits>>({}, &PointMoves::Item::copied, [&](int n, auto& list) {
            list.point = (const PointMoves::Copied*)copied.at + items[n].copied.first;
            list.from = blocks.operator()<const Bits>(from[n]);
            list.to = blocks.operator()<Bits>(to[n]);
        });
    }

    void pack(std::span<const FieldSlab> fields, std::byte* to) override {
        carry<true>(fields, packed, outgoing, &PointMoves::Item::packed);
        device->copy(to, outgoing.at, outgoing.bytes - 1, Device::Way::to_host);
    }

    void unpack(std::span<const FieldSlab> fields, const std::byte* from) override {
        device->copy(incoming.at, from, incoming.bytes - 1, Device::Way::to_device);
        carry<false>(fields, unpacked, incoming, &PointMoves::Item::unpacked);
    }

private:
    std::shared_ptr<Device> device;
    std::vector<PointMoves::Item> items;
    DeviceMemory copied, packed, unpacked, outgoing, incoming;
    BlockTables blocks;
    using Part = PointMoves::Part PointMoves::Item::*;

    /// Each launch takes as many fields as it has room for. Calls fill(item, its list).
    template <class Kernel, class Fill> void launch_all(Kernel kernel, Part part, Fill fill) {
        std::size_t count = 0;
        int lists = 0;
        const auto go = [&] {
            launch::each(count, kernel);
            count = 0, lists = 0;
        };
        for (int n = 0; n < int(items.size()); ++n) {
            const auto points = (items[n].*part).count;
            if (points == 0) continue;
            if (lists == most) go();
            auto& list = kernel.lists.list[lists++];
            list.end = count += points * items[n].levels;
            list.points = unsigned(points);
            list.sign = items[n].vector ? Bits(1) << (8 * sizeof(Bits) - 1) : 0;
            fill(n, list);
        }
        go();
    }

    template <bool pack>
    void carry(std::span<const FieldSlab> fields, const DeviceMemory& points,
               const DeviceMemory& buffer, Part part) {
        Carry<Bits, pack> kernel{};
        kernel.buffer = (Bits*)buffer.at;
        launch_all(kernel, part, [&](int n, auto& list) {
            list.point = (const PointMoves::Packed*)points.at + (items[n].*part).first;
            list.field = blocks.operator()<Bits>(fields[n]);
        });
    }
};

std::unique_ptr<Mover> halos_of(std::shared_ptr<Device> device, const PointMoves& moves) {
    if (moves.number == 4) return std::make_unique<Halos<std::uint32_t>>(std::move(device), moves);
    return std::make_unique<Halos<std::uint64_t>>(std::move(device), moves);
}

const Registered halos(halos_of);

}  // namespace

}  // namespace fathom
