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
    if (std::ranges::any_of(all.blocks, [](auto& list) { return list.empty(); })) return {};
    return owner;
}

}  // namespace fathom
