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

/// Own points, those along the fold last, then those 1, 2, 3 points in the halo.
void list_water(EllipticPoints& points, const Operator& A, const Topology& t) {
    struct Wet {
        int ring, fold, at;
    };
    std::vector<Wet> wet;
    for (auto& row : A.rows) {
        const bool fold = t.fold && row.ring == 0 && A.blocks[row.block].j0 + row.j == t.ny - 1;
        for (int i = -halo; i < row.nx + halo; ++i)
            if (row.of(A.scale)[i + halo] > 0) {
                const int ring = std::max(row.ring, outside(i, row.nx));
                wet.push_back(
                    {ring, fold && ring == 0, points.blocks[row.block].at + row.j * points.up + i});
            }
    }
    std::ranges::stable_sort(wet, {}, [](const Wet& w) { return std::pair(w.ring, w.fold); });
    for (auto& w : wet) {
        if (w.ring < halo) points.wet.push_back(w.at);
        points.fold += w.ring == 0 && !w.fold;
        for (int ring = w.ring; ring < halo; ++ring) ++points.wet_until[ring];
    }
}

/// Of wet points in the halo, from the edges of the blocks outwards.
void list_copies(EllipticPoints& points, const Plan& plan) {
    const auto place = [&](int block, int row, int column) {
        return points.blocks[block].at + (row - halo) * points.up + column - halo;
    };
    std::vector<std::pair<int, EllipticPoints::Copy>> copies;
    for (auto& message : plan.messages)
        for (auto& r : message.runs)
            for (int n = 0; n < r.count; ++n) {
                const int from = place(r.from_block, r.from_row, r.from_column + n * r.step),
                          to = place(r.to_block, r.to_row, r.to_column + n);
                const auto& [at, nx, ny] = points.blocks[r.to_block];
                if (points.in_double.scale[to] > 0)
                    copies.push_back({std::max(outside(r.to_row - halo, ny),
                                               outside(r.to_column + n - halo, nx)),
                                      {from, to}});
            }
    std::ranges::stable_sort(copies, {}, [](const auto& c) { return c.first; });
    for (auto& [ring, copy] : copies) {
        points.copies.push_back(copy);
        for (int r = ring; r <= halo; ++r) ++points.copies_until[r];
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
                               const Decomposition& d, int rank, int history) {
    EllipticPoints points = elliptic_places(A);
    points.history = history;
    points.in_double = numbers(points, A);
    if (single) points.in_single = numbers(points, *single);
    list_water(points, A, d.topology);
    list_copies(points, halo_plan(d, Horizontal::center, halo, halo, rank));
    return points;
}

}  // namespace fathom
