/// Estimated work of any rectangle of the grid in constant time, from summed-area tables: the
/// search for a decomposition needs it millions of times. Units and formula: decomposition.hpp.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>
#include "parallel/ownership/topology.hpp"

namespace fathom {

class WorkTable {
public:
    /// Measured for the ocean, with a unit of about 45 ns: two-dimensional work of a column (the
    /// barotropic solver), start of a row of a block, a coast where a run of water begins, a halo
    /// point for each level and for the solver, a message to a neighbour in all exchanges of a
    /// step.
    static constexpr double column = 4, row = 20, coast = 600, point_level = 0.25, point = 3,
                            message = 1700;

    WorkTable(Topology, std::span<const int> wet_levels, int halo);
    bool water(int i0, int j0, int nx, int ny) const;    ///< within the rectangle itself
    double block(int i0, int j0, int nx, int ny) const;  ///< time of a block without messages
    double edges(int nx, int ny) const {  ///< the part of it that does not depend on water
        return row * (ny + 2) + 2. * halo * (nx + ny + 2 * halo) * (point_level * deepest + point);
    }

private:
    /// Of packs that start at first, first + 8, ...
    struct Packs {
        int first = 0, count = 0;
        std::vector<double> sum;
    };
    Topology topology;
    std::span<const int> wet;
    int halo, deepest = 0;
    std::vector<int> wet_sum;            // [j][i]: wet columns south and west
    mutable std::array<Packs, 8> packs;  // by alignment of the block, made when first needed
    const Packs& aligned(int alignment) const;
};

}  // namespace fathom
