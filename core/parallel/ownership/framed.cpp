#include "parallel/ownership/neighbours.hpp"

namespace fathom {

namespace {

/// Blocks of a lattice, at most one for each rank.
struct Lattice {
    const Decomposition& d;
    int columns, rows;
    explicit Lattice(const Decomposition& d)
        : d(d), columns(int(d.i_cuts.size()) - 1), rows(int(d.j_cuts.size()) - 1) {}

    int owner(int i, int j) const { return d.blocks[j * columns + i].owner; }
    static bool border(int a, int b) { return a >= 0 && b >= 0 && a != b; }

    /// For each cut in i: whether it separates two ranks anywhere.
    std::vector<bool> borders_in_i() const {
        std::vector<bool> west(columns + 1);
        for (int i = 0; i <= columns; ++i) {
            if ((i == 0 || i == columns) && !d.topology.periodic) continue;
            for (int j = 0; j < rows; ++j)
                if (border(owner((i + columns - 1) % columns, j), owner(i % columns, j)))
                    west[i] = true;
        }
        return west;
    }
    std::vector<bool> borders_in_j() const {
        std::vector<bool> south(rows + 1);
        for (int j = 0; j <= rows; ++j) {
            if ((j == 0 || j == rows) && !d.topology.periodic_j) continue;
            for (int i = 0; i < columns; ++i)
                if (border(owner(i, (j + rows - 1) % rows), owner(i, j % rows))) south[j] = true;
        }
        if (d.topology.fold)
            for (int i = 0; i < columns; ++i)
                for_neighbours(d, d.blocks[(rows - 1) * columns + i], [&](const Block& b) {
                    if (border(owner(i, rows - 1), b.owner)) south[rows] = true;
                });
        return south;
    }
};

/// Cuts off strips of `width` along borders, if a piece is at least four times as wide.
Cuts with_strips(const Cuts& cuts, const std::vector<bool>& border, int width) {
    Cuts finer{0};
    for (std::size_t n = 1; n < cuts.size(); ++n) {
        const int from = cuts[n - 1], to = cuts[n];
        if (border[n - 1] && to - from >= 4 * width) finer.push_back(from + width);
        if (border[n] && to - from >= 4 * width) finer.push_back(to - width);
        finer.push_back(to);
    }
    return finer;
}

bool one_block_a_rank(const Decomposition& d) {
    std::vector<int> count(d.ranks);
    for (auto& b : d.blocks)
        if (b.owner >= 0) ++count[b.owner];
    return std::ranges::none_of(count, [](int n) { return n > 1; });
}

}  // namespace

Decomposition framed(const Decomposition& d, int width_i, int width_j) {
    if (!one_block_a_rank(d)) return d;
    const Lattice lattice(d);
    Decomposition finer{d.topology,
                        d.ranks,
                        {},
                        with_strips(d.i_cuts, lattice.borders_in_i(), width_i),
                        with_strips(d.j_cuts, lattice.borders_in_j(), width_j),
                        d.load};
    for (std::size_t j = 1; j < finer.j_cuts.size(); ++j)
        for (std::size_t i = 1; i < finer.i_cuts.size(); ++i) {
            const int i0 = finer.i_cuts[i - 1], j0 = finer.j_cuts[j - 1];
            finer.blocks.push_back({int(finer.blocks.size()), i0, j0, finer.i_cuts[i] - i0,
                                    finer.j_cuts[j] - j0,
                                    lattice.owner(interval(d.i_cuts, i0), interval(d.j_cuts, j0))});
        }
    return finer;
}

}  // namespace fathom
