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

/// Points between a column or row and the block.
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
                               const Decomposition& d, int rank, int history) {
    EllipticPoints points = elliptic_places(A);
    points.history = history;
    points.in_double = numbers(points, A);
    if (single) points.in_single = numbers(points, *single);

    struct Wet {
        int ring, fold, at;
    };
    std::vector<Wet> wet;
    for (auto& row : A.rows) {
        const Block& b = A.blocks[row.block];
        const bool fold = d.topology.fold && b.j0 + row.j == d.topology.ny - 1;
        for (int i = -halo; i < row.nx + halo; ++i)
            if (row.of(A.scale)[i + halo] > 0)
                wet.push_back({std::max(row.ring, outside(i, row.nx)), fold,
                               points.blocks[row.block].at + row.j * points.up + i});
    }
    std::ranges::stable_sort(wet, {}, [](const Wet& w) {
        return std::pair(w.ring, w.ring == 0 && w.fold);
    });
    for (auto& w : wet) {
        if (w.ring < halo) points.wet.push_back(w.at);
        points.fold += w.ring == 0 && !w.fold;
        for (int ring = w.ring; ring < halo; ++ring) ++points.wet_until[ring];
    }

    std::vector<std::pair<int, EllipticPoints::Copy>> copies;
    const auto place = [&](int block, int row, int column) {
        return points.blocks[block].at + (row - halo) * points.up + column - halo;
    };
    for (auto& message : halo_plan(d, Horizontal::center, halo, halo, rank).messages)
        for (auto& run : message.runs)
            for (int n = 0; n < run.count; ++n) {
                const int to = place(run.to_block, run.to_row, run.to_column + n);
                if (!(points.in_double.scale[to] > 0)) continue;
                const Block& b = A.blocks[run.to_block];
                const int ring = std::max(outside(run.to_row - halo, b.ny),
                                          outside(run.to_column + n - halo, b.nx));
                copies.push_back({ring, {place(run.from_block, run.from_row,
                                               run.from_column + n * run.step),
                                         to}});
            }
    std::ranges::stable_sort(copies, {}, [](const auto& c) { return c.first; });
    for (auto& [ring, copy] : copies) {
        points.copies.push_back(copy);
        for (int r = ring; r <= halo; ++r) ++points.copies_until[r];
    }
    return points;
}

}  // namespace fathom
