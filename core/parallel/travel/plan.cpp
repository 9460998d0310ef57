#include "parallel/travel/plan.hpp"
#include <algorithm>

namespace fathom {

namespace {

/// Collects runs for one target after the other; messages are made when all are there.
struct Collector {
    const Decomposition& d;
    Horizontal horizontal;
    int halo, rank;
    std::vector<int> position;  // of each block in its owner's list
    struct Sent {
        int from, to;
        Run run;
    };
    std::vector<Sent> sent;

    Collector(const Decomposition& d, Horizontal h, int halo, int rank)
        : d(d), horizontal(h), halo(halo), rank(rank) {
        std::vector<int> count(d.ranks);
        for (auto& b : d.blocks) position.push_back(b.owner < 0 ? -1 : count[b.owner]++);
    }

    /// Points i_begin <= i < i_end of row j, which go to rank `to`, its list's entry `to_block`,
    /// from (to_row, to_column) on. Points that are already at their place (`self` owns them) are
    /// left out.
    void row(int j, int i_begin, int i_end, int to, int to_block, int to_row, int to_column,
             const Block* self) {
        const Topology& t = d.topology;
        for (int i = i_begin; i < i_end;) {
            const auto s = t.source(horizontal, i, j);
            if (!s.inside ||
                (self && s.i == i && s.j == j && i >= self->i0 && i < self->i0 + self->nx)) {
                ++i;
                continue;
            }
            const Block* b = last && s.i >= last->i0 && s.i < last->i0 + last->nx &&
                                     s.j >= last->j0 && s.j < last->j0 + last->ny
                                 ? last
                                 : d.at(s.i, s.j);
            if (!b) {
                ++i;
                continue;
            }
            last = b;
            const int step = s.flipped ? -1 : 1;
            int count = 1;
            for (; i + count < i_end; ++count) {
                const auto n = t.source(horizontal, i + count, j);
                if (n.i != s.i + step * count || n.j != s.j || n.flipped != s.flipped ||
                    n.i < b->i0 || n.i >= b->i0 + b->nx)
                    break;
                if (self && n.i == i + count && n.j == j && n.i >= self->i0 &&
                    n.i < self->i0 + self->nx)
                    break;
            }
            if (rank < 0 || b->owner == rank || to == rank)
                sent.push_back({b->owner,
                                to,
                                {position[b->id], to_block, s.j - b->j0 + halo, s.i - b->i0 + halo,
                                 to_row, to_column + i - i_begin, count, step, s.flipped}});
            i += count;
        }
    }
    const Block* last = nullptr;

    Plan plan() {
        std::ranges::stable_sort(sent, {}, [](const Sent& s) { return std::pair(s.from, s.to); });
        Plan plan;
        for (std::size_t n = 0; n < sent.size();) {
            std::size_t end = n, points = 0;
            while (end < sent.size() && sent[end].from == sent[n].from &&
                   sent[end].to == sent[n].to)
                points += sent[end++].run.count;
            Message m{sent[n].from, sent[n].to, {}, points};
            m.runs.reserve(end - n);
            for (; n < end; ++n) m.runs.push_back(sent[n].run);
            plan.messages.push_back(std::move(m));
        }
        return plan;
    }
};

/// Blocks that may take part in the exchange of `rank`: its own, and those they touch. One point
/// more than the halo's width, because corners mirror one point further than centers do.
std::vector<bool> touched(const Decomposition& d, int width, int rank) {
    std::vector<bool> yes(d.blocks.size(), rank < 0);
    if (rank < 0) return yes;
    const int w = width + 1, rows = int(d.j_cuts.size()) - 1, columns = int(d.i_cuts.size()) - 1;
    auto interval = [](const std::vector<int>& cuts, int x) {
        return int(std::ranges::upper_bound(cuts, x) - cuts.begin()) - 1;
    };
    for (auto& b : d.blocks)
        if (b.owner == rank)
            for (int j = b.j0 - w; j < b.j0 + b.ny + w; ++j)
                for (int i = b.i0 - w; i < b.i0 + b.nx + w; ++i) {
                    const auto s = d.topology.source(Horizontal::center, i, j);
                    if (!s.inside) continue;
                    const int row = interval(d.j_cuts, s.j), column = interval(d.i_cuts, s.i);
                    if (row < rows && column < columns)
                        yes[std::size_t(row) * columns + column] = true;
                    if (j >= b.j0 && j < b.j0 + b.ny && i == b.i0)
                        i = b.i0 + b.nx - 1;  // its own interior
                }
    return yes;
}

}  // namespace

Plan halo_plan(const Decomposition& d, Horizontal horizontal, int halo, int width, int rank) {
    Collector c(d, horizontal, halo, rank);
    const bool seam = d.topology.fold &&
                      (horizontal == Horizontal::corner || horizontal == Horizontal::north_face);
    const auto target = touched(d, width, rank);
    for (auto& b : d.blocks) {
        if (b.owner < 0 || !target[b.id]) continue;
        auto rows = [&](int j_begin, int j_end, int i_begin, int i_end) {
            for (int j = j_begin; j < j_end; ++j)
                c.row(b.j0 + j, b.i0 + i_begin, b.i0 + i_end, b.owner, c.position[b.id], j + halo,
                      i_begin + halo, j >= 0 && j < b.ny ? &b : nullptr);
        };
        const int sides =
            seam && b.j0 + b.ny == d.topology.ny
                ? b.ny - 1
                : b.ny;  // strip by strip: what lies below each other is moved together
        rows(-width, 0, -width, b.nx + width);
        rows(0, sides, -width, 0);
        rows(0, sides, b.nx, b.nx + width);
        rows(sides, b.ny + width, -width, b.nx + width);
    }
    return c.plan();
}

Plan gather_plan(const Decomposition& d, Horizontal horizontal, int halo,
                 std::span<const Rectangle> rectangles, int rank) {
    Collector c(d, horizontal, halo, rank);
    std::vector<int> count;
    auto own = rank < 0 || rank >= d.ranks ? std::vector<const Block*>() : d.of(rank);
    std::ranges::stable_sort(own, {}, &Block::i0);
    for (auto& r : rectangles) {
        if (r.owner >= int(count.size())) count.resize(r.owner + 1);
        const int n = count[r.owner]++;
        // centers inside the grid are nobody's mirror: only the points of own blocks concern a rank
        // that does not collect
        const bool plain = horizontal == Horizontal::center && r.i0 >= 0 && r.j0 >= 0 &&
                           r.i0 + r.nx <= d.topology.nx && r.j0 + r.ny <= d.topology.ny;
        if (rank < 0 || r.owner == rank || !plain)
            for (int j = 0; j < r.ny; ++j)
                c.row(r.j0 + j, r.i0, r.i0 + r.nx, r.owner, n, j, 0, nullptr);
        else
            for (int j = 0; j < r.ny; ++j)
                for (auto* b : own)
                    if (r.j0 + j >= b->j0 && r.j0 + j < b->j0 + b->ny) {
                        const int i = std::max(r.i0, b->i0),
                                  end = std::min(r.i0 + r.nx, b->i0 + b->nx);
                        if (i < end) c.row(r.j0 + j, i, end, r.owner, n, j, i - r.i0, nullptr);
                    }
    }
    return c.plan();
}

std::vector<bool> outer_blocks(const Plan& plan, int rank, std::size_t blocks) {
    std::vector<bool> outer(blocks);
    for (auto& m : plan.messages)
        if (m.to_rank == rank && m.from_rank != rank)
            for (auto& run : m.runs) outer[run.to_block] = true;
    return outer;
}

Plan adjoint(const Plan& plan) {
    Plan back;
    for (auto& m : plan.messages) {
        Message b{m.to_rank, m.from_rank, {}, m.points};
        for (auto& r :
             // runs are written from west to east: start at the other end of a mirrored one
             m.runs) {
            const bool mirrored = r.step < 0;
            b.runs.push_back({r.to_block, r.from_block, r.to_row,
                              mirrored ? r.to_column + r.count - 1 : r.to_column, r.from_row,
                              mirrored ? r.from_column - (r.count - 1) : r.from_column, r.count,
                              r.step, r.flipped});
        }
        back.messages.push_back(std::move(b));
    }
    std::ranges::stable_sort(back.messages, {},
                             [](const Message& m) { return std::pair(m.from_rank, m.to_rank); });
    return back;
}

}  // namespace fathom
