/// Cuts of [0, n): 0, ..., n, increasing.
#pragma once
#include <algorithm>
#include <vector>

namespace fathom {

using Cuts = std::vector<int>;

/// The piece that holds x.
inline int interval(const Cuts& cuts, int x) {
    return int(std::ranges::upper_bound(cuts, x) - cuts.begin()) - 1;
}

/// Pieces of the same size; the last may be smaller.
inline Cuts uniform(int length, int size) {
    Cuts cuts;
    for (int x = 0; x < length; x += size) cuts.push_back(x);
    cuts.push_back(length);
    return cuts;
}

/// The smallest threshold for which `pieces` consecutive pieces of [0, n) suffice: `furthest(begin,
/// limit)` is how far a piece may reach. Leaves at least one for each later piece. `most`: a
/// threshold that certainly suffices.
template <class Furthest> Cuts even_pieces(int n, int pieces, double most, Furthest furthest) {
    auto cut = [&](double limit, Cuts& cuts) {
        cuts.assign(1, 0);
        for (int p = pieces; p > 0; --p) {
            const int reach = std::min(furthest(cuts.back(), limit), n - p + 1);
            if (reach <= cuts.back()) return false;
            cuts.push_back(reach);
        }
        return cuts.back() == n;
    };
    Cuts best, trial;
    double low = 0, high = most;
    cut(high, best);
    while (high - low > 1e-4 * high) {
        const double middle = 0.5 * (low + high);
        if (cut(middle, trial))
            high = middle, best = trial;
        else
            low = middle;
    }
    return best;
}

}  // namespace fathom
