/// Priority flood (Barnes, Lehman & Mulla 2014, Comput. Geosci. 62, 117-127): from the shores
/// inward, the lowest cell first, of equal ones the one that was reached first,
///   z' = max(z, z' of the cell that it is reached from).
/// So no cell of z' is a sink, and a flat drains the near way.
#pragma once
#include <cstdint>
#include <vector>

namespace fathom {

/// A graph of cells: height [m], neighbours of each one after another, -1 where there is none, and
/// whether it lies at a shore.
struct Terrain {
    std::vector<double> height;
    std::vector<std::int64_t> neighbours;
    std::vector<std::uint8_t> shore;
};
struct Flooded {
    std::vector<double> height;        ///< z'
    std::vector<std::int64_t> source;  ///< the cell that it was reached from, -1 at a shore
    std::vector<std::int64_t> order;   ///< cells in the order of the flood: those that it reaches
};
Flooded flood(const Terrain&);

}  // namespace fathom
