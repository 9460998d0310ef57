#include "transform/sphere/distribution.hpp"
#include <algorithm>
#include "base/error.hpp"

namespace fathom {

std::vector<int> Distribution::waves_of_rank(int truncation, int ranks, int rank) {
    std::vector<int> own;
    for (int m = rank; m <= truncation - m; m += ranks) {
        own.push_back(m);
        if (truncation - m != m) own.push_back(truncation - m);
    }
    std::ranges::sort(own);
    return own;
}

Distribution::Distribution(const GaussianGrid& grid, int truncation, std::vector<int> half,
                           const Decomposition& d, int rank)
    : truncation(truncation),
      rank(rank),
      ranks(d.ranks),
      waves(grid.rows()),
      first_row(truncation + 1),
      row_rank(grid.rows(), -1),
      row_index(grid.rows()),
      own_waves(waves_of_rank(truncation, d.ranks, rank)) {
    if (d.topology.ny != grid.rows() || d.topology.nx != grid.longest())
        throw Error("a decomposition of ", d.topology.nx, " × ", d.topology.ny,
                    " points for a Gaussian grid of ", grid.rows(), " rows of up to ",
                    grid.longest(), " points");
    limit_waves(grid, half);
    square = d.i_cuts.size() > 2;
    deal_rows(d);
    number_entries();
}

/// A row of 2h points knows m < h; none knows fewer than one nearer to the pole.
void Distribution::limit_waves(const GaussianGrid& grid, const std::vector<int>& half) {
    const int rows = grid.rows();
    for (int j = 0, most = 0; j < rows / 2; ++j) {
        most = std::max(most, std::min({truncation, half[j], grid.points[j] / 2 - 1}));
        if (most > grid.points[j] / 2 - 1)
            throw Error("rows of a Gaussian grid become shorter towards the equator: row ", j,
                        " has ", grid.points[j], " points");
        waves[j] = waves[rows - 1 - j] = most;
    }
    if (waves[rows / 2 - 1] < truncation)
        throw Error("truncation ", truncation, " on rows of ", grid.longest(), " points; at least ",
                    2 * truncation + 2, " are needed");
    if (rows <= truncation)
        throw Error("truncation ", truncation, " on ", rows, " rows; at least ", truncation + 1,
                    " are needed");
    for (int m = 0; m <= truncation; ++m)
        first_row[m] = int(std::ranges::lower_bound(waves.begin(), waves.begin() + rows / 2, m) -
                           waves.begin());
}

/// Rows of a strip of blocks are shared out among those who have blocks there.
void Distribution::deal_rows(const Decomposition& d) {
    for (std::size_t strip = 0; strip + 1 < d.j_cuts.size(); ++strip) {
        const auto owners = owners_of_strip(d, strip);
        const int first = d.j_cuts[strip], count = d.j_cuts[strip + 1] - first,
                  sharing = int(owners.size());
        for (int o = 0; o < sharing; ++o) {
            const int begin = first + count * o / sharing, end = first + count * (o + 1) / sharing;
            for (int j = begin; j < end; ++j) row_rank[j] = owners[o];
            if (square && end > begin)
                rectangles.push_back({0, begin, d.topology.nx, end - begin, owners[o]});
        }
    }
    std::vector<int> count(ranks);
    for (int j = 0; j < int(row_rank.size()); ++j) {
        row_index[j] = count[row_rank[j]]++;
        if (row_rank[j] == rank) own_rows.push_back(j);
    }
}

/// From west to east.
std::vector<int> Distribution::owners_of_strip(const Decomposition& d, std::size_t strip) {
    const int columns = int(d.i_cuts.size()) - 1;
    std::vector<int> owners;
    for (int c = 0; c < columns; ++c) {
        const int owner = d.blocks[strip * columns + c].owner;
        if (owner >= 0 && std::ranges::find(owners, owner) == owners.end()) owners.push_back(owner);
    }
    if (owners.empty())
        throw Error("rows ", d.j_cuts[strip], " to ", d.j_cuts[strip + 1] - 1,
                    " of the Gaussian grid have no owner");
    return owners;
}

/// Rows of a rank that know m: the first in its list, and how many entries they get. An odd number:
/// a row's entries, one for each m, would else share few sets of the caches.
std::pair<int, int> Distribution::rows_that_know(int m, int r) const {
    const int rows = int(row_rank.size());
    int first = -1, number = 0;
    for (int j = first_row[m]; j < rows - first_row[m]; ++j)
        if (row_rank[j] == r) {
            if (first < 0) first = row_index[j];
            ++number;
        }
    return {first, number | 1};
}

void Distribution::number_entries() {
    std::ptrdiff_t entries = 0;
    wave_side.resize(own_waves.size() * ranks);
    for (int r = 0; r < ranks; ++r) {
        wave_block.push_back(entries);
        for (std::size_t i = 0; i < own_waves.size(); ++i) {
            const auto [first, number] = rows_that_know(own_waves[i], r);
            wave_side[i * ranks + r] = entries - first;
            entries += number;
        }
    }
    wave_block.push_back(entries);
    entries = 0;
    row_side.resize(truncation + 1);
    for (int r = 0; r < ranks; ++r) {
        row_block.push_back(entries);
        for (int m : waves_of_rank(truncation, ranks, r)) {
            const auto [first, number] = rows_that_know(m, rank);
            row_side[m] = entries - first;
            entries += number;
        }
    }
    row_block.push_back(entries);
}

Plan Distribution::to_rows(int numbers) const {
    Plan plan;
    auto message = [&](int from, int to, std::ptrdiff_t entries) {
        const std::size_t points = std::size_t(entries) * numbers;
        if (points > 0x7fffffff)
            throw Error("a message of ", points,
                        " numbers to one rank; use more ranks or fewer fields at once");
        if (entries)
            plan.messages.push_back(
                {from, to, {{to, from, 0, 0, 0, 0, int(points), 1, false}}, points});
    };
    for (int r = 0; r < ranks; ++r)
        if (r != rank) message(rank, r, wave_block[r + 1] - wave_block[r]);
    for (int r = 0; r < ranks; ++r)
        if (r != rank) message(r, rank, row_block[r + 1] - row_block[r]);
    std::ranges::stable_sort(plan.messages, {},
                             [](const Message& m) { return std::pair(m.from_rank, m.to_rank); });
    return plan;
}

}  // namespace fathom
