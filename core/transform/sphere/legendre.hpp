/// Legendre: for one zonal wavenumber m, matrix products between coefficients and rows, many fields
/// at once.
///
///   inverse   F(mu) = sum_n P_n^m(mu) S_n
///   direct    S_n = sum_rows P_n^m(mu) F(mu)          (weights belong to the caller)
///   1/2 integral (P_n^m)^2 dmu = 1,     epsilon_{n+1} P_{n+1} = mu P_n - epsilon_n P_{n-1},
///                                       epsilon_n = sqrt((n^2 - m^2) / (4 n^2 - 1)).
///
/// P_n^m(-mu) = (-1)^{n-m} P_n^m(mu): rows come in pairs, even and odd n - m are summed separately,
/// which halves the work:
///   F(+-mu) = sum_even +- sum_odd.
/// Eight pairs of rows make a block, counted from the pole; the blocks end at the equator. Where P
/// stays below the rounding of the sum (small n - m near the poles) nothing is computed: a strip
/// (m, block) begins at its first degree that matters. Registers hold a tile: one parity of four
/// pairs and three columns, twelve sums, three coefficients and one P, which are sixteen registers.
/// It reads seven numbers for twelve multiply-adds; processors read as many in a cycle as they
/// multiply. A stretch of degrees of the three columns stays in the first-level cache while P and
/// the tiles of all pairs pass through it.
///
/// P comes from a table or, if that would be larger than `most_bytes`, is computed again for every
/// batch of fields, one stretch of degrees at a time, in steps of two degrees for eight pairs of
/// rows at once,
///   epsilon_{n+1} epsilon_{n+2} P_{n+2}
///       = (mu^2 - epsilon_n^2 - epsilon_{n+1}^2) P_n - epsilon_{n-1} epsilon_n P_{n-2},
/// from numbers kept at the beginning of each stretch. The table holds the same numbers, so that
/// bits do not depend on its size.
#pragma once
#include <cstddef>
#include <span>
#include <vector>
#include "grid/gaussian.hpp"
#include "machine/ahead.hpp"
#include "machine/memory.hpp"
#include "transform/fourier/register.hpp"

namespace fathom {

using WaveAhead = Ahead<1>;  ///< coefficients and P of the next wavenumber

/// epsilon_n^m
double coupling(int n, int m);

template <class Number> class Legendre {
public:
    using Lanes = Register<Number>;
    static constexpr int pairs = 8;      ///< of rows in a block
    static constexpr int stretch = 128;  ///< degrees that are summed at once
    /// Blocks that are summed at once: their P stay in the L2 cache, those of one block in L1.
    static constexpr int most_blocks = 8;
    /// Columns of a tile.
    static constexpr int together = 3;

    /// For the zonal wavenumbers `waves`, degrees up to `highest`.
    Legendre(const GaussianGrid&, int highest, std::vector<int> waves, std::size_t most_bytes);
    /// Largest m that matters on each row from the south pole to the equator, for any degree: never
    /// decreasing.
    static std::vector<int> waves_of_rows(const GaussianGrid&, int highest);

    int blocks() const { return block_count; }
    int padding() const { return pad; }  ///< pairs of the first block that do not exist
    int first(int wave) const { return first_block[wave]; }  ///< block where m begins to matter
    /// first: n - m of the first degree; at: where P begins or, four degrees for each stretch, its
    /// seeds.
    struct Strip {
        int first;
        std::size_t at;
    };
    const std::vector<Strip>& all_strips() const { return strips; }  ///< [wave][block]
    /// If the table is complete: of each strip [n - m - first][pairs].
    std::span<const Number> all_functions() const { return {table.data(), table.size()}; }
    std::size_t bytes() const {
        return table.size() * sizeof(Number) + seeds.size() * sizeof(double);
    }
    /// For one inverse or direct transform of this many columns (re, im and fields).
    double flops(int columns, int highest) const;

    /// Pairs of rows of all blocks, from the poles to the equator; missing pairs point to unused
    /// memory (inverse) or to zeros (direct).
    struct Rows {
        Lanes *north, *south;
    };
    struct Scratch {
        LargeVector<Number> P;
        LargeVector<Lanes> sums;
        std::vector<const Number*> strips;
    };
    Scratch scratch(int columns) const;

    /// S[column][n - m] with an even number of degrees (with a zero at the end if needed) <->
    /// rows[pair][column]. Sums leave the memory idle: `ahead` fetches meanwhile. Rows `past` the
    /// caches are streamed; the caller must set a fence.
    void inverse(int wave, int degrees, const Lanes* S, int columns, const Rows* rows, bool past,
                 Scratch&, WaveAhead&) const;
    void direct(int wave, int degrees, const Rows* rows, int columns, Lanes* S, Scratch&,
                WaveAhead&) const;
    /// P of a wave will be needed soon.
    void table_ahead(std::size_t wave, WaveAhead&) const;

private:
    /// P_{n+2} = (a mu^2 + b) P_n + c P_{n-2}
    struct Step {
        double a, b, c;
    };
    int block_count, pad;
    std::vector<int> waves, count, first_block;  ///< count: degrees, an even number
    std::vector<Strip> strips;                   ///< [wave][block]
    LargeVector<Number> table;                   ///< of each strip [n - m - first][pairs]
    LargeVector<double> seeds;   ///< of each stretch [P_{n-2}, P_{n-1}, P_n, P_{n+1}][pairs]
    std::vector<double> square;  ///< mu^2 of all pairs
    std::vector<Step> steps;
    std::vector<std::size_t> first_step;  ///< of each wave
    const Strip& strip(int wave, int block) const {
        return strips[std::size_t(wave) * block_count + block];
    }
    static int next_stretch(int degree) { return (degree / stretch + 1) * stretch; }
    void make_steps(int highest);
    void make_strips(const GaussianGrid&, int wave, std::vector<std::vector<double>>& starts);
    void keep(const std::vector<std::vector<double>>& starts, std::size_t most_bytes);
    void tabulate(std::size_t strip, const double* start);
    void recur(int wave, int block, int from, int to, const double* seeds, Number* P) const;
    void functions(int wave, int begin, int end, int b0, int b1, Scratch&) const;
    template <class Act>
    void each_part(int wave, int degrees, int columns, Scratch&, WaveAhead&, Act) const;
};

}  // namespace fathom
