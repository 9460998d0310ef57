#include "transform/rows/distribution.hpp"
#include <algorithm>
#include "base/error.hpp"
#include "parallel/halo/pieces.hpp"

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

Distribution::Distribution(const std::vector<int>& points, int truncation,
                           const std::vector<int>& half, const Decomposition& d, int rank)
    : truncation(truncation),
      rank(rank),
      ranks(d.ranks),
      waves(points.size()),
      first_row(truncation + 1),
      row_rank(points.size(), -1),
      row_index(points.size()),
      own_waves(waves_of_rank(truncation, d.ranks, rank)) {
    const int longest = *std::ranges::max_element(points);
    if (d.topology.ny != int(points.size()) || d.topology.nx != longest)
        throw Error("a decomposition of ", d.topology.nx, " × ", d.topology.ny,
                    " points for a grid of ", points.size(), " rows of up to ", longest, " points");
    limit_waves(points, half);
    square = d.i_cuts.size() > 2;
    deal_rows(d);
    number_entries();
}

/// A row of p points knows m < p/2; no row knows fewer than a row nearer to the edge.
void Distribution::limit_waves(const std::vector<int>& points, const std::vector<int>& half) {
    const int rows = int(points.size()), middle = (rows + 1) / 2;
    for (int j = 0, most = 0; j < middle; ++j) {
        const int known = (points[j] - 1) / 2;
        most = std::max(most, std::min({truncation, half[j], known}));
        if (most > known)
            throw Error("rows become shorter towards the middle: row ", j, " has ", points[j],
                        " points");
        waves[j] = waves[rows - 1 - j] = most;
    }
    if (waves[middle - 1] < truncation)
        throw Error("truncation ", truncation, " on rows of ", points[middle - 1],
                    " points; at least ", 2 * truncation + 1, " are needed");
    for (int m = 0; m <= truncation; ++m)
        first_row[m] =
            int(std::ranges::lower_bound(waves.begin(), waves.begin() + middle, m) - waves.begin());
}

/// The ranks that have blocks in a strip share the rows of the strip.
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

/// The owners of a strip's blocks, from west to east.
std::vector<int> Distribution::owners_of_strip(const Decomposition& d, std::size_t strip) {
    const int columns = int(d.i_cuts.size()) - 1;
    std::vector<int> owners;
    for (int c = 0; c < columns; ++c) {
        const int owner = d.blocks[strip * columns + c].owner;
        if (owner >= 0 && std::ranges::find(owners, owner) == owners.end()) owners.push_back(owner);
    }
    if (owners.empty())
        throw Error("rows ", d.j_cuts[strip], " to ", d.j_cuts[strip + 1] - 1, " have no owner");
    return owners;
}

/// Rows of a rank that know m: the first in its list, and how many entries they get. An odd number,
/// because otherwise a row's entries, one for each m, would share few sets of the caches.
std::pair<int, int> Distribution::rows_that_know(int m, int r) const {
    const int rows = int(row_rank.size());
    int first = -1, number = 0;
    for (int j = first_row[m]; j < rows - first_row[m]; ++j)
        if (row_rank[j] == r) {
            if (first < 0) first = row_index[j];
            ++number;
        }
    return {first, number ? number | 1 : 0};
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
    return pieces_plan(rank, wave_block, row_block, numbers);
}

}  // namespace fathom
