#include "parallel/ownership/rake.hpp"
#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

struct Processors {
    int nbx;
    std::span<const double> work;
    std::vector<int>& owner;
    std::vector<double> load;
    std::vector<std::vector<int>> blocks;  // of each processor

    void along(std::span<const int> line, bool rows, bool forward) {
        double mean = 0;
        for (int p : line) mean += load[p] / line.size();
        for (std::size_t n = 0; n + 1 < line.size(); ++n) {
            const int p = line[n], next = line[n + 1];
            auto ahead = [&](int b) {
                const int place = rows ? b % nbx : b / nbx;
                return forward ? place : -place;
            };
            std::ranges::sort(blocks[p], [&](int a, int b) {
                return std::pair(ahead(a), a) < std::pair(ahead(b), b);
            });
            while (blocks[p].size() > 1) {
                const int b = blocks[p].back();
                if (std::abs(load[p] - work[b] - mean) >= std::abs(load[p] - mean) ||
                    load[p] <= mean)
                    break;
                blocks[p].pop_back();
                blocks[next].push_back(b);
                owner[b] = next;
                load[p] -= work[b], load[next] += work[b];
            }
        }
    }

    /// Rakes move a block only to the next processor of a line, and leave some empty where there
    /// are few blocks for each. The fullest gives its smallest block to the nearest that becomes
    /// less full than it was, while it has more than half a block above the mean, or one is empty.
    void level(int px) {
        double mean = 0, largest = 0;
        for (double l : load) mean += l / double(load.size());
        for (double w : work) largest = std::max(largest, w);
        for (std::size_t moves = 0; moves < work.size(); ++moves) {
            const bool empty = std::ranges::any_of(blocks, [](auto& of) { return of.empty(); });
            const int from = fullest();
            if (from < 0 || (!empty && load[from] <= mean + largest / 2)) return;
            const auto cost = [&](int n) { return work[n]; };
            const int b = *std::ranges::min_element(blocks[from], {}, cost);
            const int to = nearest(from, work[b], px, empty);
            if (to < 0) return;
            std::erase(blocks[from], b);
            blocks[to].push_back(b);
            owner[b] = to;
            load[from] -= work[b], load[to] += work[b];
        }
    }

private:
    /// Of those with more than one block; -1: there is none.
    int fullest() const {
        int found = -1;
        for (int p = 0; p < int(load.size()); ++p)
            if (blocks[p].size() > 1 && (found < 0 || load[p] > load[found])) found = p;
        return found;
    }
    int nearest(int from, double more, int px, bool empty) const {
        int found = -1, least = 0;
        for (int p = 0; p < int(load.size()); ++p) {
            if (p == from || (empty ? !blocks[p].empty() : load[p] + more >= load[from])) continue;
            const int away = std::abs(p % px - from % px) + std::abs(p / px - from / px);
            if (found < 0 || away < least) found = p, least = away;
        }
        return found;
    }
};

}  // namespace

std::optional<std::vector<int>> rake(int nbx, int nby, int px, int py,
                                     std::span<const double> work) {
    std::vector<int> owner(work.size(), -1);
    Processors all{nbx, work, owner, std::vector<double>(px * py),
                   std::vector<std::vector<int>>(px * py)};
    for (int b = 0; b < int(work.size()); ++b)
        if (work[b] > 0) {
            owner[b] = (b / nbx * py / nby) * px + b % nbx * px / nbx;
            all.load[owner[b]] += work[b];
            all.blocks[owner[b]].push_back(b);
        }
    std::vector<int> line;
    for (int turn = 0; turn < 2; ++turn)
        for (bool rows : {true, false})
            for (int n = 0; n < (rows ? py : px); ++n) {
                line.clear();
                for (int m = 0; m < (rows ? px : py); ++m)
                    line.push_back(rows ? n * px + m : m * px + n);
                for (bool forward : {true, false}) {
                    all.along(line, rows, forward);
                    std::ranges::reverse(line);
                }
            }
    all.level(px);
    if (std::ranges::any_of(all.blocks, [](auto& list) { return list.empty(); })) return {};
    return owner;
}

}  // namespace fathom
