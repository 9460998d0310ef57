#include "parallel/halo/plan.hpp"
#include <algorithm>

namespace fathom {

namespace {

/// Collects runs for one target after the other. Messages are made after the last one.
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

    /// Points i_begin <= i < i_end of row j. They are sent to rank `to`, to entry `to_block` of its
    /// list, beginning at (to_row, to_column). Points that are already in place (`self` owns them)
    /// are left out.
    void row(int j, int i_begin, int i_end, int to, int to_block, int to_row, int to_column,
             const Block* self) {
        for (int i = i_begin; i < i_end;) {
            const auto source = d.topology.source(horizontal, i, j);
            const Block* block = source.inside && !in_place(source, i, j, self)
                                     ? owner(source.i, source.j)
                                     : nullptr;
            if (!block) {
                ++i;
                continue;
            }
            const int count = length(source, i, i_end, j, *block, self);
            if (rank < 0 || block->owner == rank || to == rank) {
                const Run run{position[block->id],
                              to_block,
                              source.j - block->j0 + halo,
                              source.i - block->i0 + halo,
                              to_row,
                              to_column + i - i_begin,
                              count,
                              source.flipped ? -1 : 1,
                              source.flipped};
                sent.push_back({block->owner, to, run});
            }
            i += count;
        }
    }

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

private:
    const Block* last = nullptr;

    static bool in_place(const Topology::Source& source, int i, int j, const Block* self) {
        return self && source.i == i && source.j == j && i >= self->i0 && i < self->i0 + self->nx;
    }
    /// The block of a point; it is most likely that of the previous point.
    const Block* owner(int i, int j) {
        const bool same = last && i >= last->i0 && i < last->i0 + last->nx && j >= last->j0 &&
                          j < last->j0 + last->ny;
        if (same) return last;
        const Block* found = d.at(i, j);
        if (found) last = found;
        return found;
    }
    /// The number of points from i on that are contiguous in the block, too.
    int length(const Topology::Source& first, int i, int i_end, int j, const Block& block,
               const Block* self) const {
        const int step = first.flipped ? -1 : 1;
        int count = 1;
        for (; i + count < i_end; ++count) {
            const auto next = d.topology.source(horizontal, i + count, j);
            if (next.i != first.i + step * count || next.j != first.j ||
                next.flipped != first.flipped)
                break;
            if (next.i < block.i0 || next.i >= block.i0 + block.nx) break;
            if (in_place(next, i + count, j, self)) break;
        }
        return count;
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
        // strip by strip: rows of a strip are moved together
        const int sides = seam && b.j0 + b.ny == d.topology.ny ? b.ny - 1 : b.ny;
        rows(-width, 0, -width, b.nx + width);
        rows(0, sides, -width, 0);
        rows(0, sides, b.nx, b.nx + width);
        rows(sides, b.ny + width, -width, b.nx + width);
    }
    return c.plan();
}

namespace {

/// Whether all points are centers inside the grid, of which no other point is a mirror image.
bool is_plain(const Topology& t, Horizontal horizontal, const Rectangle& r) {
    return horizontal == Horizontal::center && r.i0 >= 0 && r.j0 >= 0 && r.i0 + r.nx <= t.nx &&
           r.j0 + r.ny <= t.ny;
}

/// The part of row j (of the grid) of a plain rectangle that lies in these blocks.
void add_own_parts(Collector& c, const std::vector<const Block*>& own, const Rectangle& r,
                   int position, int j) {
    for (auto* b : own) {
        if (j < b->j0 || j >= b->j0 + b->ny) continue;
        const int i = std::max(r.i0, b->i0), end = std::min(r.i0 + r.nx, b->i0 + b->nx);
        if (i < end) c.row(j, i, end, r.owner, position, j - r.j0, i - r.i0, nullptr);
    }
}

}  // namespace

Plan gather_plan(const Decomposition& d, Horizontal horizontal, int halo,
                 std::span<const Rectangle> rectangles, int rank) {
    Collector c(d, horizontal, halo, rank);
    std::vector<int> count;
    auto own = rank < 0 || rank >= d.ranks ? std::vector<const Block*>() : d.of(rank);
    std::ranges::stable_sort(own, {}, &Block::i0);
    for (auto& r : rectangles) {
        if (r.owner >= int(count.size())) count.resize(r.owner + 1);
        const int position = count[r.owner]++;
        // only the points of own blocks concern a rank that does not collect
        const bool whole = rank < 0 || r.owner == rank || !is_plain(d.topology, horizontal, r);
        for (int j = r.j0; j < r.j0 + r.ny; ++j)
            if (whole)
                c.row(j, r.i0, r.i0 + r.nx, r.owner, position, j - r.j0, 0, nullptr);
            else
                add_own_parts(c, own, r, position, j);
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
        // runs are written from west to east: a mirrored one starts at its other end
        for (auto& r : m.runs) {
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
