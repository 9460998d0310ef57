#include "solver/on_device.hpp"
#include <algorithm>
#include <climits>
#include "base/error.hpp"
#include "solver/elliptic.hpp"

namespace fathom {

namespace {

using Operator = EllipticOperator<double>;
constexpr int halo = EllipticPoints::halo;
static_assert(halo == Operator::halo);

/// The distance in points of a column or row from the block; 0 inside.
int outside(int n, int count) { return std::max({-n, n - count + 1, 0}); }

template <class Number>
EllipticPoints::Numbers<Number> numbers(const EllipticPoints& points,
                                        const EllipticOperator<Number>& A) {
    EllipticPoints::Numbers<Number> all;
    all.compact = Number(A.compact);
    for (auto [which, to] : {std::pair(A.sum, &all.sum), std::pair(A.difference, &all.difference),
                             std::pair(A.square, &all.square), std::pair(A.scale, &all.scale)}) {
        to->assign(points.numbers, which == A.square);
        for (auto& row : A.rows) {
            const auto first = points.blocks[row.block].at + row.j * points.up - halo;
            std::copy_n(row.of(which), row.nx + 2 * halo, to->begin() + first);
        }
    }
    return all;
}

/// Own points, those along the fold last.
void list_water(EllipticPoints& points, const Operator& A, const Topology& t) {
    struct Wet {
        bool fold;
        int at;
    };
    std::vector<Wet> wet;
    for (auto& row : A.rows) {
        if (row.ring > 0) continue;
        const bool fold = t.fold && A.blocks[row.block].j0 + row.j == t.ny - 1;
        for (int i = 0; i < row.nx; ++i)
            if (row.of(A.scale)[i + halo] > 0)
                wet.push_back({fold, points.blocks[row.block].at + row.j * points.up + i});
    }
    std::ranges::stable_sort(wet, {}, &Wet::fold);
    for (auto& w : wet) points.wet.push_back(w.at), points.fold += !w.fold;
}

/// Where the runs of a message put wet points: body(run, point of the run, its place).
template <class F> void each_put(const EllipticPoints& points, const Message& message, F body) {
    for (auto& r : message.runs)
        for (int n = 0; n < r.count; ++n) {
            const int to = points.place(r.to_block, r.to_row, r.to_column + n);
            if (points.in_double.scale[to] > 0) body(r, n, to);
        }
}

/// Lists copies of wet points into the halo, from the edges of the blocks outwards, and finds where
/// each point gets its value: itself if it is wet and own, the point it copies, or itself if it
/// comes from another rank.
void list_copies(EllipticPoints& points, const Plan& plan, int rank) {
    std::vector<std::pair<int, EllipticPoints::Copy>> copies;
    points.source.assign(points.numbers, -1);
    for (int n : points.wet) points.source[n] = n;
    for (auto& message : plan.messages) {
        if (message.to_rank != rank) continue;
        each_put(points, message, [&](const Run& r, int n, int to) {
            if (message.from_rank != rank) return void(points.source[to] = to);
            const auto& [at, nx, ny] = points.blocks[r.to_block];
            const int from = points.place(r.from_block, r.from_row, r.from_column + n * r.step),
                      ring = std::max(outside(r.to_row - halo, ny),
                                      outside(r.to_column + n - halo, nx));
            copies.push_back({ring, {from, to}});
            points.source[to] = from;
        });
    }
    std::ranges::stable_sort(copies, {}, [](const auto& c) { return c.first; });
    for (auto& [ring, copy] : copies) {
        points.copies.push_back(copy);
        for (int r = ring; r <= halo; ++r) ++points.copies_until[r];
    }
}

/// Lists tiles of nearly equal size for each block; those without water are left out.
void list_tiles(EllipticPoints& points, const Operator& A, const Topology& t) {
    using Tile = EllipticPoints::Tile;
    const auto count = [](int n, int most) { return (n + most - 1) / most; };
    for (std::size_t block = 0; block < points.blocks.size(); ++block) {
        const auto [at, nx, ny] = points.blocks[block];
        const bool fold = t.fold && A.blocks[block].j0 + ny == t.ny;
        const int along = count(nx, Tile::most_columns), across = count(ny, Tile::most_rows);
        for (int n = 0; n < along * across; ++n) {
            const int i = nx * (n % along) / along, j = ny * (n / along) / across;
            const int end = ny * (n / along + 1) / across;
            const Tile tile{at + j * points.up + i, nx * (n % along + 1) / along - i, end - j,
                            end - j - (fold && end == ny)};
            bool wet = false;
            for (int row = 0; row < tile.rows; ++row)
                for (int column = 0; column < tile.columns; ++column)
                    wet |= points.source[tile.at + row * points.up + column] >= 0;
            if (wet) points.tiles.push_back(tile);
        }
    }
}

}  // namespace

EllipticPoints elliptic_places(const Operator& A) {
    EllipticPoints points;
    for (auto& b : A.blocks) points.up = std::max(points.up, b.nx + 2 * halo);
    std::ptrdiff_t end = 0;
    for (auto& b : A.blocks) {
        points.blocks.push_back({int(end) + halo * points.up + halo, b.nx, b.ny});
        end += std::ptrdiff_t(points.up) * (b.ny + 2 * halo);
        if (end > INT_MAX) throw Error("elliptic solver: more points than a device can count");
    }
    points.numbers = int(end);
    return points;
}

EllipticPoints elliptic_points(const Operator& A, const EllipticOperator<float>* single,
                               const Decomposition& d, int rank) {
    EllipticPoints points = elliptic_places(A);
    points.in_double = numbers(points, A);
    if (single) points.in_single = numbers(points, *single);
    list_water(points, A, d.topology);
    list_copies(points, halo_plan(d, Horizontal::center, halo, halo, rank), rank);
    list_tiles(points, A, d.topology);
    return points;
}

}  // namespace fathom
