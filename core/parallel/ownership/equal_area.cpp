#include "parallel/ownership/equal_area.hpp"
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

namespace fathom {

namespace {

/// Whole numbers with the same sum as `ideal`. The rounding error of a number is added to the next
/// one. No number is less than one.
std::vector<int> rounded(const std::vector<double>& ideal, int sum) {
    std::vector<int> whole;
    double over = 0;
    for (double x : ideal) {
        whole.push_back(std::max(1, int(std::lround(x + over))));
        over += x - whole.back();
    }
    for (int rest = sum - std::accumulate(whole.begin(), whole.end(), 0); rest;
         rest += rest < 0 ? 1 : -1)
        *std::ranges::max_element(whole) += rest < 0 ? -1 : 1;
    return whole;
}

/// The cuts where the sums are nearest to the wanted ones; each piece is at least 1 long.
/// sum: increasing, the first is 0.
Cuts nearest(const std::vector<double>& sum, const std::vector<double>& wanted) {
    const int n = int(sum.size()) - 1, pieces = int(wanted.size());
    Cuts cuts{0};
    for (int p = 0; p < pieces - 1; ++p) {
        int at = int(std::ranges::lower_bound(sum, wanted[p]) - sum.begin());
        if (at > 0 && wanted[p] - sum[at - 1] < sum[std::min(at, n)] - wanted[p]) --at;
        cuts.push_back(std::clamp(at, cuts.back() + 1, n - (pieces - 1 - p)));
    }
    cuts.push_back(n);
    return cuts;
}

/// The ends of `pieces` pieces whose largest sum is as small as possible.
Cuts even(const std::vector<double>& sum, int pieces) {
    return even_pieces(
        int(sum.size()) - 1, pieces, 1.001 * sum.back(), [&](int begin, double limit) {
            return int(std::ranges::upper_bound(sum, sum[begin] + limit) - sum.begin()) - 1;
        });
}

}  // namespace

std::vector<int> regions_of_collars(int regions) {
    if (regions < 3) return std::vector(regions, 1);
    using std::numbers::pi;
    const double area = 4 * pi / regions, cap = 2 * std::asin(std::sqrt(1. / regions));
    const int collars = std::max(1, int(std::lround((pi - 2 * cap) / std::sqrt(area))));
    const double height = (pi - 2 * cap) / collars;
    std::vector<double> ideal{1};
    for (int c = 0; c < collars; ++c)
        ideal.push_back(2 * pi * (std::cos(cap + c * height) - std::cos(cap + (c + 1) * height)) /
                        area);
    ideal.push_back(1);
    return rounded(ideal, regions);
}

// long: collars, then regions, then their pieces
EqualArea equal_area(int nx, int ny, const std::vector<int>& wet, int ranks, int unit) {
    const std::vector<int> wanted = regions_of_collars(ranks);
    const int collars = int(wanted.size()), units = (nx + unit - 1) / unit;
    if (collars > ny) return {};
    std::vector<double> points(std::size_t(units) * ny), rows{0}, shares;
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i)
            points[std::size_t(j) * units + i / unit] += wet[j * nx + i] > 0;
        const auto* row = &points[std::size_t(j) * units];
        rows.push_back(std::accumulate(row, row + units, rows.back()));
    }
    double share = 0;
    for (int n : wanted) shares.push_back(rows.back() * (share += n) / ranks);
    EqualArea found{{}, nearest(rows, shares), {}};

    std::vector<double> held;
    for (int c = 0; c < collars; ++c)
        held.push_back((rows[found.j[c + 1]] - rows[found.j[c]]) * ranks / rows.back());
    const std::vector<int> regions = rounded(held, ranks);

    std::vector<Cuts> of_collar;
    std::set<int> all;
    for (int c = 0; c < collars; ++c) {
        std::vector<double> sum{0};
        for (int u = 0; u < units; ++u) {
            sum.push_back(sum.back());
            for (int j = found.j[c]; j < found.j[c + 1]; ++j)
                sum.back() += points[std::size_t(j) * units + u];
        }
        while (sum.size() > 1 && sum[sum.size() - 2] == sum.back()) sum.pop_back();  // rows end
        if (regions[c] >= int(sum.size())) return {};
        Cuts cuts = even(sum, regions[c]);
        cuts.back() = units;
        for (int& cut : cuts) all.insert(cut = std::min(cut * unit, nx));
        of_collar.push_back(std::move(cuts));
    }
    found.i.assign(all.begin(), all.end());
    for (int c = 0, first = 0; c < collars; first += regions[c++])
        for (std::size_t i = 0; i + 1 < found.i.size(); ++i)
            found.owners.push_back(first + interval(of_collar[c], found.i[i]));
    return found;
}

}  // namespace fathom
