/// Arrays of Python as the blocks of fields, and the catalogues as lists: the common part of
/// several bindings.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <string>
#include <utility>
#include <vector>
#include "base/error.hpp"
#include "parallel/halo/packing.hpp"
#include "parallel/ownership/decomposition.hpp"

namespace fathom {

/// Blocks as arrays (rows, columns) or (rows, levels, columns), point fastest.
using BlockArray = nanobind::ndarray<nanobind::numpy, nanobind::device::cpu>;

inline void check_block(const BlockArray& a, int bytes) {
    namespace nb = nanobind;
    const std::size_t dims = a.ndim();
    if (dims < 2 || dims > 3 ||
        a.dtype() != (bytes == 4 ? nb::dtype<float>() : nb::dtype<double>()) ||
        a.stride(dims - 1) != 1)
        throw Error("a block is an array (rows, columns) or (rows, levels, columns) of ",
                    bytes == 4 ? "float32" : "float64");
}

inline FieldSlab slab(const std::vector<BlockArray>& blocks, int bytes) {
    FieldSlab s{{}, {}, {}, 1};
    for (const BlockArray& a : blocks) {
        check_block(a, bytes);
        s.at.push_back((std::byte*)a.data());
        s.row.push_back(a.stride(0));
        s.level.push_back(a.ndim() == 3 ? a.stride(1) : 0);
        if (a.ndim() == 3) s.levels = int(a.shape(1));
    }
    return s;
}

/// For the blocks of a rank: they must be large enough.
inline FieldSlab slab(const std::vector<BlockArray>& blocks, int bytes, const Decomposition& d,
                      int rank, int halo) {
    const auto own = d.of(rank);
    if (own.size() != blocks.size())
        throw Error(blocks.size(), " arrays for ", own.size(), " blocks");
    for (std::size_t n = 0; n < blocks.size(); ++n) {
        check_block(blocks[n], bytes);
        const int rows = int(blocks[n].shape(0)),
                  columns = int(blocks[n].shape(blocks[n].ndim() - 1));
        if (rows < own[n]->ny + 2 * halo || columns < own[n]->nx + 2 * halo)
            throw Error("block ", own[n]->id, " needs ", own[n]->ny + 2 * halo, " rows of ",
                        own[n]->nx + 2 * halo, " columns; given ", rows, " of ", columns);
    }
    return slab(blocks, bytes);
}

/// (name, text) of the entries of a catalogue.
template <class Kinds> std::vector<std::pair<std::string, std::string>> names(const Kinds& kinds) {
    std::vector<std::pair<std::string, std::string>> list;
    for (auto& k : kinds) list.emplace_back(k.name, k.text);
    return list;
}

}  // namespace fathom
