#include "solver/preconditioner/evp.hpp"
#include <algorithm>

namespace fathom {

namespace {

using Eight = TileGroup::Eight;

/// a[row] lane <- a[lane] row: swaps the three bits of row and lane one after another.
void transpose(Eight* a) {
    for (int i = 0; i < 8; i += 2) {
        const auto x = a[i].lanes, y = a[i + 1].lanes;
        a[i].lanes = __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1].lanes = __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i : {0, 1, 4, 5}) {
        const auto x = a[i].lanes, y = a[i + 2].lanes;
        a[i].lanes = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
        a[i + 2].lanes = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; ++i) {
        const auto x = a[i].lanes, y = a[i + 4].lanes;
        a[i].lanes = __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11);
        a[i + 4].lanes = __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/// Points that two intervals have in common.
int overlap(int begin_a, int size_a, int begin_b, int size_b) {
    return std::min(begin_a + size_a, begin_b + size_b) - std::max(begin_a, begin_b);
}

/// A field stored as squares, one after another.
FieldSlab slab_of_squares(std::byte* at, std::size_t count, int side, int bytes) {
    const std::ptrdiff_t size = std::ptrdiff_t(side) * side;
    FieldSlab slab{
        {}, std::vector<std::ptrdiff_t>(count, side), std::vector<std::ptrdiff_t>(count, size), 1};
    for (std::size_t k = 0; k < count; ++k) slab.at.push_back(at + k * size * bytes);
    return slab;
}

}  // namespace

/// Which block has most of a tile: its owner solves it.
struct MarchingBlocks::Share {
    int owner = -1, block = -1, points = 0;
    bool whole = false;  // the block contains the whole tile
};

/// Rectangles of the tiles of all ranks; with_corners: one more point in the west and south.
struct MarchingBlocks::Rectangles {
    std::vector<Rectangle> all, with_corners, travelling;
};

/// Fields of this rank's tiles, one tile after another.
struct MarchingBlocks::Fields {
    std::vector<double> wet, area, scale, depth, dx, dy;

    TileFields of(int tile, const EllipticFields& of) const {
        const std::size_t point = std::size_t(tile) * points,
                          corner = std::size_t(tile) * (side + 1) * (side + 1);
        return {&wet[point], &area[point], &scale[point], &depth[corner],
                &dx[corner], &dy[corner],  of.mass,       of.compactness};
    }
    bool dry(int tile) const {
        const auto first = scale.begin() + std::size_t(tile) * points;
        return std::all_of(first, first + points, [](double d) { return d == 0; });
    }
};

/// The places of the eight tiles of a group in memory: first point, and stride from row to row.
struct MarchingBlocks::Places {
    static constexpr double zeros[points] = {};
    const double* in[lanes];
    double* out[lanes];
    std::ptrdiff_t up[lanes];
    double unused[points];
};

MarchingBlocks::MarchingBlocks(const PreconditionerParts& p) : space(p.space) {
    int rank;
    MPI_Comm_rank(space.how.comm, &rank);
    std::vector<int> field_of_tile;
    const Rectangles rectangles = list_tiles(shares(*space.how.decomposition), rank, field_of_tile);
    const Fields fields = gather(p, rectangles, rank, tiles.size());
    leave_out_dry_tiles(fields, field_of_tile);
    make_groups(fields, field_of_tile, p.fields);
    plan_travel(rectangles, rank);
}

/// For each tile of the grid, row by row, the block that has most of it.
std::vector<MarchingBlocks::Share> MarchingBlocks::shares(const Decomposition& d) {
    const int across = (d.topology.nx + side - 1) / side, up = (d.topology.ny + side - 1) / side;
    std::vector<Share> shares(std::size_t(across) * up);
    for (std::size_t b = 0; b < d.blocks.size(); ++b) {
        const Block& block = d.blocks[b];
        if (block.owner < 0) continue;
        for (int j = block.j0 / side; j * side < block.j0 + block.ny; ++j)
            for (int i = block.i0 / side; i * side < block.i0 + block.nx; ++i) {
                const int common = overlap(block.i0, block.nx, i * side, side) *
                                   overlap(block.j0, block.ny, j * side, side);
                Share& share = shares[std::size_t(j) * across + i];
                if (common > share.points) share = {block.owner, int(b), common, common == points};
            }
    }
    return shares;
}

/// Own tiles, first those that lie in one block; field_of_tile: their numbers in the order of the
/// grid, in which fields are gathered.
MarchingBlocks::Rectangles MarchingBlocks::list_tiles(const std::vector<Share>& shares, int rank,
                                                      std::vector<int>& field_of_tile) {
    const Decomposition& d = *space.how.decomposition;
    const Topology& t = d.topology;
    const int across = (t.nx + side - 1) / side;
    Rectangles list;
    std::vector<Tile> travelling;
    std::vector<int> field_of_travelling;
    int own = 0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
        const Share& share = shares[k];
        if (share.owner < 0) continue;
        const int i0 = int(k % across) * side, j0 = int(k / across) * side,
                  nx = std::min(side, t.nx - i0), ny = std::min(side, t.ny - j0);
        list.all.push_back({i0, j0, nx, ny, share.owner});
        list.with_corners.push_back({i0 - 1, j0 - 1, nx + 1, ny + 1, share.owner});
        if (!share.whole) list.travelling.push_back({i0, j0, nx, ny, share.owner});
        if (share.owner != rank) continue;
        if (share.whole) {
            tiles.push_back(tile_in_block(d.blocks[share.block].id, i0, j0));
            field_of_tile.push_back(own++);
        } else {
            travelling.push_back({-1, 0, int(travelling.size())});
            field_of_travelling.push_back(own++);
        }
    }
    arrived.assign(travelling.size() * points, 0), solved = arrived;
    tiles.insert(tiles.end(), travelling.begin(), travelling.end());
    field_of_tile.insert(field_of_tile.end(), field_of_travelling.begin(),
                         field_of_travelling.end());
    return list;
}

MarchingBlocks::Tile MarchingBlocks::tile_in_block(int id, int i0, int j0) const {
    const auto& A = space.A;
    const auto block = std::ranges::find(A.blocks, id, &Block::id);
    const auto first = std::ranges::find_if(A.rows, [&](const auto& row) {
        return row.j == 0 && row.block == block - A.blocks.begin();
    });
    return {int(first - A.rows.begin()) + j0 - block->j0, i0 - block->i0 + space.lead, -1};
}

MarchingBlocks::Fields MarchingBlocks::gather(const PreconditionerParts& p,
                                              const Rectangles& rectangles, int rank,
                                              std::size_t own) const {
    auto gathered = [&](Horizontal horizontal, const FieldSlab& from, int halo, int bytes) {
        const bool corner = horizontal == Horizontal::corner;
        const int width = corner ? side + 1 : side;
        std::vector<double> numbers(own * width * width);
        std::vector<float> single(bytes == 4 ? numbers.size() : 0);
        const FieldSlab to = slab_of_squares(
            bytes == 4 ? (std::byte*)single.data() : (std::byte*)numbers.data(), own, width, bytes);
        const Plan plan = gather_plan(*space.how.decomposition, horizontal, halo,
                                      corner ? rectangles.with_corners : rectangles.all, rank);
        Exchange exchange(space.how.comm, {&plan, 1}, bytes, {{horizontal, false, 0, 1}});
        exchange.start({&from, 1});
        exchange.finish({&to, 1});
        std::ranges::copy(single, numbers.begin());
        return numbers;
    };
    const auto& f = p.fields;
    Fields all;  // one after another: each is a message to all ranks
    all.wet = gathered(Horizontal::center, f.wet, p.halo, f.bytes);
    all.area = gathered(Horizontal::center, f.area, p.halo, f.bytes);
    all.scale = gathered(Horizontal::center, space.A.slab(space.A.scale), space.lead, 8);
    all.depth = gathered(Horizontal::corner, f.depth, p.halo, f.bytes);
    all.dx = gathered(Horizontal::corner, f.dx, p.halo, f.bytes);
    all.dy = gathered(Horizontal::corner, f.dy, p.halo, f.bytes);
    return all;
}

/// Removes tiles without water; z stays 0 there.
void MarchingBlocks::leave_out_dry_tiles(const Fields& fields, std::vector<int>& field_of_tile) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < tiles.size(); ++k)
        if (!fields.dry(field_of_tile[k])) {
            tiles[kept] = tiles[k];
            field_of_tile[kept++] = field_of_tile[k];
        }
    tiles.resize(kept), field_of_tile.resize(kept);
}

void MarchingBlocks::make_groups(const Fields& fields, const std::vector<int>& field_of_tile,
                                 const EllipticFields& of) {
    const auto travels = [](const Tile& tile) { return tile.row < 0; };
    own_groups = std::size_t(std::ranges::find_if(tiles, travels) - tiles.begin()) / lanes;
    const std::size_t groups = (tiles.size() + lanes - 1) / lanes;
    tiles.resize(groups * lanes, {-1, 0, -1});
    numbers.assign(2 * points * lanes + groups * TileGroup::size, 0);
    in_parallel([&] {
#pragma omp for schedule(static)
        for (std::size_t g = 0; g < groups; ++g) {
            TileGroup of_eight = group(g);
            for (int lane = 0; lane < lanes; ++lane) {
                const std::size_t k = g * lanes + lane;
                if (k < field_of_tile.size())
                    of_eight.assemble(lane, fields.of(field_of_tile[k], of));
                else
                    of_eight.assemble_nothing(lane);
            }
            of_eight.invert_influence();
            of_eight.leave_failures_to_diagonal();
        }
    });
}

void MarchingBlocks::plan_travel(const Rectangles& rectangles, int rank) {
    const std::size_t own = arrived.size() / points;
    slab_arrived = slab_of_squares((std::byte*)arrived.data(), own, side, 8);
    slab_solved = slab_of_squares((std::byte*)solved.data(), own, side, 8);
    if (rectangles.travelling.empty()) return;
    const Plan plan = gather_plan(*space.how.decomposition, Horizontal::center, space.lead,
                                  rectangles.travelling, rank),
               reverse = adjoint(plan);
    const std::vector<Exchange::Item> item{{Horizontal::center, false, 0, 1}};
    auto exchange = [&](const Plan& plan) {
        return std::make_unique<Exchange>(space.how.comm, std::span(&plan, 1), 8, item, false,
                                          space.how.exchange);
    };
    there = exchange(plan);
    back = exchange(reverse);
}

void MarchingBlocks::apply(int from, int to, double) {
    Within within(regions_of_solver().preconditioner);
    const bool overlaps = there && there->overlaps();
    if (there) {
        Within within(regions_of_solver().halo);
        there->start({&space.slab(from), 1});
        if (!overlaps) there->finish({&slab_arrived, 1});
    }
    if (overlaps) {
        solve(from, to, 0, own_groups);
        Within within(regions_of_solver().halo, 0);
        there->finish({&slab_arrived, 1});
    }
    solve(from, to, overlaps ? own_groups : 0, tiles.size() / lanes);
    if (back) {
        Within within(regions_of_solver().halo);
        back->start({&slab_solved, 1});
        back->finish({&space.slab(to), 1});
    }
}

/// Solves groups [begin, end) of tiles.
void MarchingBlocks::solve(int from, int to, std::size_t begin, std::size_t end) {
    in_parallel([&] {
#pragma omp for schedule(static)
        for (std::size_t g = begin; g < end; ++g) solve_group(g, from, to);
    });
}

/// z = inverse(A) r in the scaling of the solver; z = r in tiles that are left to the diagonal.
void MarchingBlocks::solve_group(std::size_t g, int from, int to) {
    const TileGroup of_eight = group(g);
    Places place;
    find_places(g, from, to, place);
    Eight r[points], b[points];
    for (int j = 0; j < side; ++j) {
        for (int lane = 0; lane < lanes; ++lane)
            r[j * side + lane] = Eight::load(place.in[lane] + j * place.up[lane]);
        transpose(r + j * side);
    }
    for (int k = 0; k < points; ++k) b[k] = r[k] * of_eight.of(TileGroup::rescaling, k);
    TileGroup::Unknowns x;
    x.clear_margin();
    of_eight.solve(b, x);
    const Eight diagonal = of_eight.left_to_diagonal();
    Eight* const z = b;  // in the same memory, which is in the L1 cache
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            const int k = j * side + i;
            z[k] = fma(diagonal, r[k], of_eight.of(TileGroup::rescaling, k) * x(i, j));
        }
    for (int j = 0; j < side; ++j) {
        transpose(z + j * side);
        for (int lane = 0; lane < lanes; ++lane)
            z[j * side + lane].store(place.out[lane] + j * place.up[lane]);
    }
}

void MarchingBlocks::find_places(std::size_t g, int from, int to, Places& place) {
    for (int lane = 0; lane < lanes; ++lane) {
        const Tile& tile = tiles[g * lanes + lane];
        place.up[lane] = side;
        if (tile.row >= 0) {
            const auto& row = space.A.rows[tile.row];
            place.in[lane] = row.of(from) + tile.column;
            place.out[lane] = row.of(to) + tile.column;
            place.up[lane] = row.up;
        } else if (tile.travelling >= 0) {
            place.in[lane] = &arrived[std::size_t(tile.travelling) * points];
            place.out[lane] = &solved[std::size_t(tile.travelling) * points];
        } else {
            place.in[lane] = Places::zeros;
            place.out[lane] = place.unused;
        }
    }
}

}  // namespace fathom
