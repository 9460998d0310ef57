/// How many columns of a group pass through it at once. The second-level cache gives a size. If
/// measured, the first steps use in turn half this size, the size, twice and four times it; another
/// size is kept only if it is faster by 5 %. Results do not depend on it.
#pragma once
#include <algorithm>
#include <vector>

namespace fathom {

class Tiles {
public:
    struct Trial {
        int tile;
        double seconds;
    };  ///< the least time of a group in a step with that tile
    int now = 0, widest = 0;  ///< columns; widest: of all that may come
    std::vector<Trial> trials;

    void fix(int tile) { now = widest = tile; }
    /// fit: by the cache; row: the largest number of columns; cell: a tile is a multiple of it.
    void measure(int fit, int row, int cell) {
        for (const int tile : {fit, fit / 2, 2 * fit, 4 * fit}) {
            const int whole = std::max(std::min(tile, row) / cell, 1) * cell;
            if (std::ranges::none_of(trials, [&](auto& t) { return t.tile == whole; }))
                trials.push_back({whole, unknown});
        }
        now = trials[0].tile;
        widest = std::ranges::max_element(trials, {}, &Trial::tile)->tile;
    }
    bool open() const { return trials.size() > 1 && tried < turns * int(trials.size()); }
    void next() { now = trials[tried % trials.size()].tile; }
    void learn(double seconds) {
        auto& t = trials[tried++ % trials.size()];
        t.seconds = std::min(t.seconds, seconds);
        if (open()) return;
        const auto best = std::ranges::min_element(trials, {}, &Trial::seconds);
        now = best->seconds < gain * trials[0].seconds ? best->tile : trials[0].tile;
    }
    static bool known(const Trial& t) { return t.seconds < unknown; }

private:
    static constexpr int turns = 4;  // of each tile that is tried
    static constexpr double gain = 0.95, unknown = 1e30;
    int tried = 0;
};

}  // namespace fathom
