/// Distribution: who owns which rows and which zonal wavenumbers, and the messages between them.
///
///   rows    as the blocks of the decomposition lie; where several blocks share a row (SQUARE), the
///           ranks of a strip of blocks share the strip's rows
///   waves   pairs (m, N - m), all of equal work, distributed one by one
/// An entry belongs to one m and one row. Entries go from rank to rank as one piece: [m of the
/// one][row of the other]. Rows too near the poles to contain m have no entry.
#pragma once
#include <vector>
#include "parallel/halo/plan.hpp"

namespace fathom {

struct Distribution {
    /// points: of each row, the same south and north of the middle. waves_of_half: the largest m
    /// that matters on each row from the southernmost to the middle.
    Distribution(const std::vector<int>& points, int truncation,
                 const std::vector<int>& waves_of_half, const Decomposition&, int rank);

    int truncation, rank, ranks;
    std::vector<int> waves;      ///< largest m of each row
    std::vector<int> first_row;  ///< of each m, in the southern half; its last is the mirror image
    std::vector<int> row_rank, row_index;  ///< of each row: owner, place in the owner's list
    std::vector<int> own_rows, own_waves;  ///< of this rank; rows from south to north
    bool square;                           ///< rows have to be put together from several blocks
    std::vector<Rectangle> rectangles;     ///< square: rows of each rank, in one piece each

    /// Entry (own wave i, row j) is number wave_side[i ranks + rank of j] + row_index[j] here, and
    /// number row_side[m] + row_index[j] there.
    std::vector<std::ptrdiff_t> wave_side, row_side;
    /// Where the entries of each other rank begin; the last element is their number.
    std::vector<std::ptrdiff_t> wave_block, row_block;
    static std::vector<int> waves_of_rank(int truncation, int ranks, int rank);
    /// Messages of this rank, wave side to row side: one run each, `numbers` per entry.
    Plan to_rows(int numbers) const;

private:
    void limit_waves(const std::vector<int>& points, const std::vector<int>& half);
    void deal_rows(const Decomposition&);
    static std::vector<int> owners_of_strip(const Decomposition&, std::size_t strip);
    std::pair<int, int> rows_that_know(int m, int rank) const;
    void number_entries();
};

}  // namespace fathom
