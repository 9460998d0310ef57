#include "parallel/ownership/domain.hpp"
#include <algorithm>

namespace fathom {

Domain::Domain(MPI_Comm comm, Topology topology, int levels, std::vector<int> wet,
               DecompositionOptions options)
    : comm(comm), levels(levels), halo(options.halo), wet_levels(std::move(wet)) {
    int ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    decomposition = decompose(topology, wet_levels, ranks, options);
    for (int& n : wet_levels) n = std::max(n, 0);
    blocks = decomposition.of(rank);
}

int Domain::wet(Horizontal h, int i, int j) const {
    const Topology& t = decomposition.topology;
    auto center = [&](int i, int j) {
        const auto s = t.source(Horizontal::center, i, j);
        return s.inside ? wet_levels[std::size_t(s.j) * t.nx + s.i] : 0;
    };
    if (h == Horizontal::corner)
        return std::min({center(i, j), center(i + 1, j), center(i, j + 1), center(i + 1, j + 1)});
    if (h == Horizontal::east_face) return std::min(center(i, j), center(i + 1, j));
    if (h == Horizontal::north_face) return std::min(center(i, j), center(i, j + 1));
    return center(i, j);
}

}  // namespace fathom
