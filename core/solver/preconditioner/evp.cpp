#include "solver/preconditioner/evp.hpp"
#include <algorithm>
#include <cmath>
#include <map>

namespace fathom {

namespace {

constexpr int wide = 10;  // of a tile with a margin of zeros

constexpr int at(int i, int j) { return (j + 1) * wide + i + 1; }

/// a[row] lane <- a[lane] row: the three bits of both numbers change places one after another.
void transpose(Pack<double, 8>* a) {
    for (int i = 0; i < 8; i += 2) {
        const auto x = a[i].lanes, y = a[i + 1].lanes;
        a[i].lanes = __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14),
        a[i + 1].lanes = __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i : {0, 1, 4, 5}) {
        const auto x = a[i].lanes, y = a[i + 2].lanes;
        a[i].lanes = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13),
        a[i + 2].lanes = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; ++i) {
        const auto x = a[i].lanes, y = a[i + 4].lanes;
        a[i].lanes = __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11),
        a[i + 4].lanes = __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

}  // namespace

/// b - A x at (i,j), x(i+1,j+1) = 0.
inline MarchingBlocks::Eight MarchingBlocks::defect(const double* group, const Eight* b,
                                                    const Eight* x, int i, int j) {
    const int k = j * n + i;
    auto of = [&](int which, int point) {
        return Eight::load(group + (which * points + point) * lanes);
    };
    const Eight* X = x + at(i, j);
    const Eight other = fma(of(east, k), X[1], fma(of(east, k - 1), X[-1], X[0])),
                south = fma(of(north, k - n), X[-wide],
                            fma(of(northeast, k - n - 1), X[-wide - 1],
                                of(northwest, k - n) * X[-wide + 1]));
    return fma(-of(north, k), X[wide],
               (b[k] - (other + south)) - of(northwest, k - 1) * X[wide - 1]);
}

inline void MarchingBlocks::march(const double* group, const Eight* b, Eight* x) {
    for (int j = 0; j < n - 1; ++j)
        for (int i = 0; i < n - 1; ++i)
            x[at(i + 1, j + 1)] = defect(group, b, x, i, j) *
                                  Eight::load(group + (inverse * points + j * n + i) * lanes);
}

inline void MarchingBlocks::defects(const double* group, const Eight* b, const Eight* x, Eight* F) {
    for (int j = 0; j < n; ++j) F[j] = defect(group, b, x, n - 1, j);
    for (int i = 0; i < n - 1; ++i) F[n + i] = defect(group, b, x, i, n - 1);
}

inline void MarchingBlocks::solve(const double* group, const Eight* b, Eight* x) {
    Eight F[guesses];
    for (int k = 0; k < n; ++k) x[at(k, 0)] = x[at(0, k)] = Eight(0.0);
    march(group, b, x);
    defects(group, b, x, F);
    const double* W = group + coefficients * points * lanes;
    for (int g = 0; g < guesses; ++g) {
        Eight even(0.0), odd(0.0), third(0.0);
        for (int k = 0; k < guesses; k += 3, W += 3 * lanes)
            even = fma(Eight::load(W), F[k], even),
            odd = fma(Eight::load(W + lanes), F[k + 1], odd),
            third = fma(Eight::load(W + 2 * lanes), F[k + 2], third);
        x[g < n ? at(g, 0) : at(0, g - n + 1)] = (even + odd) + third;
    }
    march(group, b, x);
}

MarchingBlocks::MarchingBlocks(const PreconditionerParts& p) : space(p.space) {
    const Decomposition& d = *space.how.decomposition;
    const Topology& t = d.topology;
    int rank;
    MPI_Comm_rank(space.how.comm, &rank);
    const int across = (t.nx + n - 1) / n;
    struct Share {
        int owner = -1, block = -1, most = 0;
        bool whole = false;
    };
    std::vector<Share> share(std::size_t(across) * ((t.ny + n - 1) / n));
    for (std::size_t b = 0; b < d.blocks.size(); ++b) {  // a tile belongs to who has most of it
        const Block& block = d.blocks[b];
        if (block.owner < 0) continue;
        for (int tj = block.j0 / n; tj * n < block.j0 + block.ny; ++tj)
            for (int ti = block.i0 / n; ti * n < block.i0 + block.nx; ++ti) {
                const int columns = std::min(block.i0 + block.nx, ti * n + n) -
                                    std::max(block.i0, ti * n),
                          rows = std::min(block.j0 + block.ny, tj * n + n) -
                                 std::max(block.j0, tj * n);
                Share& s = share[std::size_t(tj) * across + ti];
                if (columns * rows > s.most)
                    s = {block.owner, int(b), columns * rows, columns * rows == points};
            }
    }
    std::vector<std::size_t> first_row(space.A.blocks.size());
    for (std::size_t m = space.A.rows.size(); m-- > 0;)
        if (space.A.rows[m].j == 0) first_row[space.A.rows[m].block] = m;
    std::map<int, int> own;
    for (std::size_t b = 0; b < space.A.blocks.size(); ++b) own[space.A.blocks[b].id] = int(b);
    std::vector<Rectangle> all, corners, travelling;
    std::vector<int> field_of_tile;
    std::vector<Tile> inside, outside;
    std::vector<int> field_inside, field_outside;
    int mine = 0, sent = 0;
    for (std::size_t k = 0; k < share.size(); ++k) {
        const Share& s = share[k];
        if (s.owner < 0) continue;
        const int i0 = int(k % across) * n, j0 = int(k / across) * n,
                  columns = std::min(n, t.nx - i0), rows = std::min(n, t.ny - j0);
        all.push_back({i0, j0, columns, rows, s.owner});
        corners.push_back({i0 - 1, j0 - 1, columns + 1, rows + 1, s.owner});
        if (!s.whole) travelling.push_back({i0, j0, columns, rows, s.owner});
        if (s.owner != rank) continue;
        if (s.whole) {
            const int b = own.at(d.blocks[s.block].id);
            inside.push_back({int(first_row[b]) + j0 - space.A.blocks[b].j0,
                              i0 - space.A.blocks[b].i0 + space.lead, -1});
            field_inside.push_back(mine);
        } else
            outside.push_back({-1, 0, sent++}), field_outside.push_back(mine);
        ++mine;
    }
    tiles = inside;
    tiles.insert(tiles.end(), outside.begin(), outside.end());
    field_of_tile = field_inside;
    field_of_tile.insert(field_of_tile.end(), field_outside.begin(), field_outside.end());

    // fields of own tiles: wet, area, scale; depth, dx, dy of corners
    std::vector<std::vector<double>> fields;
    auto collect = [&](const std::vector<Rectangle>& rectangles, Horizontal horizontal,
                       const FieldSlab& from, int halo, int bytes) {
        const int side = horizontal == Horizontal::corner ? n + 1 : n;
        const std::size_t size = std::size_t(side) * side;
        std::vector<double> to(size * mine);
        std::vector<float> single(bytes == 4 ? to.size() : 0);
        FieldSlab slab{{},
                       std::vector<std::ptrdiff_t>(mine, side),
                       std::vector<std::ptrdiff_t>(mine, size),
                       1};
        for (int k = 0; k < mine; ++k)
            slab.at.push_back(bytes == 4 ? (std::byte*)(single.data() + k * size)
                                         : (std::byte*)(to.data() + k * size));
        const Plan plan = gather_plan(d, horizontal, halo, rectangles, rank);
        Exchange exchange(space.how.comm, {&plan, 1}, bytes, {{horizontal, false, 0, 1}});
        exchange.start({&from, 1});
        exchange.finish({&slab, 1});
        std::ranges::copy(single, to.begin());
        fields.push_back(std::move(to));
    };
    collect(all, Horizontal::center, p.fields.wet, p.halo, p.fields.bytes);
    collect(all, Horizontal::center, p.fields.area, p.halo, p.fields.bytes);
    collect(all, Horizontal::center, space.A.slab(space.A.scale), space.lead, 8);
    for (auto* f : {&p.fields.depth, &p.fields.dx, &p.fields.dy})
        collect(corners, Horizontal::corner, *f, p.halo, p.fields.bytes);

    std::size_t kept = 0;  // where there is no water z stays 0
    for (std::size_t k = 0; k < tiles.size(); ++k) {
        const double* d = fields[2].data() + std::size_t(field_of_tile[k]) * points;
        if (std::all_of(d, d + points, [](double x) { return x == 0; })) continue;
        tiles[kept] = tiles[k], field_of_tile[kept++] = field_of_tile[k];
    }
    tiles.resize(kept), field_of_tile.resize(kept);
    own_groups = std::size_t(std::ranges::find_if(tiles, [](const Tile& t) { return t.row < 0; }) -
                             tiles.begin()) /
                 lanes;
    const std::size_t groups = (tiles.size() + lanes - 1) / lanes;
    tiles.resize(groups * lanes, {-1, 0, -1});
    field_of_tile.resize(groups * lanes, -1);
    numbers.assign(2 * points * lanes + groups * group_numbers, 0);
    in_parallel([&] {
#pragma omp for schedule(static)
        for (std::size_t g = 0; g < groups; ++g)
            make_group(g, fields, p.fields.mass, field_of_tile);
    });

    arrived.assign(std::size_t(sent) * points, 0), solved = arrived;
    auto buffers = [&](std::vector<double>& memory) {
        FieldSlab slab{
            {}, std::vector<std::ptrdiff_t>(sent, n), std::vector<std::ptrdiff_t>(sent, points), 1};
        for (int k = 0; k < sent; ++k)
            slab.at.push_back((std::byte*)(memory.data() + std::size_t(k) * points));
        return slab;
    };
    slab_arrived = buffers(arrived), slab_solved = buffers(solved);
    if (travelling.empty()) return;
    const Plan plan = gather_plan(d, Horizontal::center, space.lead, travelling, rank),
               reverse = adjoint(plan);
    there = std::make_unique<Exchange>(
        space.how.comm, std::span(&plan, 1), 8,
        std::vector<Exchange::Item>{{Horizontal::center, false, 0, 1}}, false, space.how.exchange);
    back = std::make_unique<Exchange>(
        space.how.comm, std::span(&reverse, 1), 8,
        std::vector<Exchange::Item>{{Horizontal::center, false, 0, 1}}, false, space.how.exchange);
}

/// Coefficients of eight tiles, scaled to a unit diagonal, and the inverse of how the last row and
/// column depend on the first.
void MarchingBlocks::make_group(std::size_t g, const std::vector<std::vector<double>>& fields,
                                double mass, std::span<const int> field_of_tile) {
    double* to = group(g);
    auto put = [&](int which, int point, int lane) -> double& {
        return to[(which * points + point) * lanes + lane];
    };
    double* whole = to + (coefficients * points + guesses * guesses) *
                             lanes;  // 1 where a tile is left to the diagonal
    for (int lane = 0; lane < lanes; ++lane) {
        const int tile = field_of_tile[g * lanes + lane];
        for (int k = 0; k < points; ++k) put(inverse, k, lane) = 1;
        if (tile < 0) continue;
        const double *wet = &fields[0][std::size_t(tile) * points],
                     *area = &fields[1][std::size_t(tile) * points],
                     *d = &fields[2][std::size_t(tile) * points];
        constexpr int side = n + 1;
        const std::size_t corner = std::size_t(tile) * side * side;
        double sum[side * side] = {}, difference[side * side] = {}, mean = 0, mean_area = 0;
        int wet_corners = 0, wet_cells = 0;
        for (int k = 0; k < side * side; ++k) {
            const double H = fields[3][corner + k], x = fields[4][corner + k],
                         y = fields[5][corner + k];
            const double a = 0.25 * H * y / x, b = 0.25 * H * x / y;
            if (!(H > 0) || !std::isfinite(a + b)) continue;
            sum[k] = a + b, difference[k] = a - b, mean += a + b, ++wet_corners;
        }
        for (int k = 0; k < points; ++k)
            if (wet[k] != 0 && d[k] > 0) mean_area += area[k], ++wet_cells;
        if (wet_cells == 0) continue;
        mean_area /= wet_cells;
        const double fill = wet_corners ? 0.1 * mean / wet_corners : mass * mean_area;
        for (double& c : sum)
            if (c == 0) c = fill;
        double scale[points];
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const double* c = sum + (j + 1) * side + i + 1;
                const int k = j * n + i;
                const double diagonal = mass * (wet[k] != 0 && d[k] > 0 ? area[k] : mean_area) +
                                        ((c[-side - 1] + c[-side]) + (c[-1] + c[0]));
                scale[k] = 1 / std::sqrt(diagonal);
            }
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const double *c = sum + (j + 1) * side + i + 1,
                             *e = difference + (j + 1) * side + i + 1;
                const int k = j * n + i;
                const bool has_east = i < n - 1, has_north = j < n - 1;
                put(east, k, lane) = has_east ? -(e[0] + e[-side]) * scale[k] * scale[k + 1] : 0;
                put(north, k, lane) = has_north ? (e[0] + e[-1]) * scale[k] * scale[k + n] : 0;
                put(northeast, k, lane) =
                    has_east && has_north ? -c[0] * scale[k] * scale[k + n + 1] : 0;
                put(northwest, k, lane) =
                    has_east && has_north ? -c[0] * scale[k + 1] * scale[k + n] : 0;
                put(inverse, k, lane) = has_east && has_north ? 1 / put(northeast, k, lane) : 1;
                put(weight, k, lane) = wet[k] != 0 && d[k] > 0 ? scale[k] / d[k] : 0;
            }
    }
    Eight none[points], x[wide * wide], F[guesses];
    for (auto& b : none) b = Eight(0.0);
    for (auto& v : x) v = Eight(0.0);
    std::vector<double> W(std::size_t(lanes) * guesses * 2 *
                          guesses);  // of each lane: the matrix, and beside it the unit matrix
    auto entry = [&](int lane, int row, int column) -> double& {
        return W[(std::size_t(lane) * guesses + row) * 2 * guesses + column];
    };
    for (int c = 0; c < guesses; ++c) {
        for (int k = 0; k < guesses; ++k)
            x[k < n ? at(k, 0) : at(0, k - n + 1)] = Eight(k == c ? 1.0 : 0.0);
        march(to, none, x);
        defects(to, none, x, F);
        for (int row = 0; row < guesses; ++row)
            for (int lane = 0; lane < lanes; ++lane)
                entry(lane, row, c) = -F[row].lanes[lane], entry(lane, row, guesses + c) = row == c;
    }
    for (int lane = 0; lane < lanes; ++lane) {  // Gauss & Jordan, the largest pivot of each column
        for (int c = 0; c < guesses; ++c) {
            int pivot = c;
            for (int row = c + 1; row < guesses; ++row)
                if (std::abs(entry(lane, row, c)) > std::abs(entry(lane, pivot, c))) pivot = row;
            for (int k = 0; k < 2 * guesses; ++k)
                std::swap(entry(lane, c, k), entry(lane, pivot, k));
            const double by = 1 / entry(lane, c, c);
            for (int k = c; k < 2 * guesses; ++k) entry(lane, c, k) *= by;
            for (int row = 0; row < guesses; ++row)
                if (row != c) {
                    const double factor = entry(lane, row, c);
                    for (int k = c; k < 2 * guesses; ++k)
                        entry(lane, row, k) -= factor * entry(lane, c, k);
                }
        }
        for (int row = 0; row < guesses; ++row)
            for (int c = 0; c < guesses; ++c)
                to[(coefficients * points + row * guesses + c) * lanes + lane] =
                    entry(lane, row, guesses + c);
    }
    Eight b[points];  // a right-hand side of all wavelengths
    for (int k = 0; k < points; ++k) b[k] = Eight(double((k * 37 + k * k * 11) % 64) / 32 - 1);
    solve(to, b, x);
    Eight worst(0.0);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const Eight ne = i < n - 1 && j < n - 1
                                 ? Eight::load(to + (northeast * points + j * n + i) * lanes) *
                                       x[at(i + 1, j + 1)]
                                 : Eight(0.0);
            worst = larger(worst, abs(defect(to, b, x, i, j) - ne));
            for (int lane = 0; lane < lanes; ++lane)
                if (!std::isfinite(x[at(i, j)].lanes[lane])) worst.lanes[lane] = 1;
        }
    for (int lane = 0; lane < lanes; ++lane) {
        if (worst.lanes[lane] < 1e-6) continue;
        whole[lane] = 1;
        for (int k = 0; k < points; ++k) {
            for (int which : {east, north, northeast, northwest, weight}) put(which, k, lane) = 0;
            put(inverse, k, lane) = 1;
        }
        for (int k = 0; k < guesses * guesses; ++k)
            to[(coefficients * points + k) * lanes + lane] = 0;
    }
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
        apply(from, to, 0, own_groups);
        Within within(regions_of_solver().halo, 0);
        there->finish({&slab_arrived, 1});
    }
    apply(from, to, overlaps ? own_groups : 0, tiles.size() / lanes);
    if (back) {
        Within within(regions_of_solver().halo);
        back->start({&slab_solved, 1});
        back->finish({&space.slab(to), 1});
    }
}

/// Groups [begin, end) of tiles.
void MarchingBlocks::apply(int from, int to, std::size_t begin, std::size_t end) {
    in_parallel([&] {
#pragma omp for schedule(static)
        for (std::size_t g = begin; g < end; ++g) {
            const double* coefficient = group(g);
            const double* in[lanes];
            double* out[lanes];
            std::ptrdiff_t up[lanes];
            static constexpr double zeros[points] = {};
            double unused[points];
            for (int lane = 0; lane < lanes; ++lane) {
                const Tile& tile = tiles[g * lanes + lane];
                if (tile.row >= 0) {
                    const auto& row = space.A.rows[tile.row];
                    in[lane] = row.of(from) + tile.column, out[lane] = row.of(to) + tile.column,
                    up[lane] = row.up;
                } else if (tile.travelling >= 0)
                    in[lane] = &arrived[std::size_t(tile.travelling) * points],
                    out[lane] = &solved[std::size_t(tile.travelling) * points], up[lane] = n;
                else
                    in[lane] = zeros, out[lane] = unused, up[lane] = n;
            }
            Eight r[points], b[points], x[wide * wide];
            for (int j = 0; j < n; ++j) {
                for (int lane = 0; lane < lanes; ++lane)
                    r[j * n + lane] = Eight::load(in[lane] + j * up[lane]);
                transpose(r + j * n);
            }
            for (int k = 0; k < points; ++k)
                b[k] = r[k] * Eight::load(coefficient + (weight * points + k) * lanes);
            for (int k = 0; k < wide; ++k)
                x[k] = x[wide * (wide - 1) + k] = x[k * wide] = x[k * wide + wide - 1] = Eight(0.0);
            solve(coefficient, b, x);
            const Eight whole =
                Eight::load(coefficient + (coefficients * points + guesses * guesses) * lanes);
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i)
                    b[j * n + i] =
                        fma(whole, r[j * n + i],
                            Eight::load(coefficient + (weight * points + j * n + i) * lanes) *
                                x[at(i, j)]);
            for (int j = 0; j < n; ++j) {
                transpose(b + j * n);
                for (int lane = 0; lane < lanes; ++lane)
                    b[j * n + lane].store(out[lane] + j * up[lane]);
            }
        }
    });
}

}  // namespace fathom
