/// Mover: moves the numbers of an exchange between fields and buffers, where the fields are not in
/// memory of the processor. It gets the moves of a Packing, point by point.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
#include "parallel/halo/packing.hpp"

namespace fathom {

/// Points of fields: blocks by their position in the list of the rank, rows and columns from the
/// corner of the stored block, halo included. Fields at the same place share a list.
struct PointMoves {
    /// From one point to another, on this rank.
    struct Copied {
        int from_block, from_row, from_column, to_block, to_row, to_column;
        int flipped;  ///< a vector component changes its sign
        int unused;
    };
    /// Level k of a point lies at `at + k apart` of a buffer, in numbers.
    struct Packed {
        int block, row, column, flipped;
        std::int64_t at, apart;
    };
    /// Points of a list.
    struct Part {
        std::size_t first, count;
    };
    struct Item {
        bool vector;
        int levels;
        Part copied, packed, unpacked;
    };
    int number;  ///< bytes
    std::vector<Item> items;
    std::vector<Copied> copied;
    std::vector<Packed> packed, unpacked;
    std::size_t outgoing, incoming;  ///< bytes of the buffers
};

/// Fields are given by their addresses in the memory of the mover; buffers are in memory of the
/// processor.
class Mover {
public:
    virtual ~Mover() = default;
    /// Announces fields with these strides, and blocks that lie so far apart: the first time costs
    /// something. Addresses cost nothing.
    virtual void expect(std::span<const FieldSlab>) = 0;
    virtual void pack(std::span<const FieldSlab>, std::byte* outgoing) = 0;
    /// Copies points that stay on this rank.
    virtual void copy(std::span<const FieldSlab> from, std::span<const FieldSlab> to) = 0;
    virtual void unpack(std::span<const FieldSlab>, const std::byte* incoming) = 0;
};

}  // namespace fathom
