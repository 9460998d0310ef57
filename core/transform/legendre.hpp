/// Legendre: for one zonal wavenumber m, matrix products between coefficients and rows, many fields at once.
///
///   inverse   F(mu) = sum_n P_n^m(mu) S_n              direct   S_n = sum_rows P_n^m(mu) F(mu)        (weights belong to the caller)
///   1/2 integral (P_n^m)^2 dmu = 1,    epsilon_{n+1} P_{n+1} = mu P_n - epsilon_n P_{n-1},    epsilon_n = sqrt((n^2 - m^2) / (4 n^2 - 1)).
///
/// P_n^m(-mu) = (-1)^{n-m} P_n^m(mu): rows come in pairs, even and odd n - m are summed apart, which halves the work:
///   F(+-mu) = sum_even +- sum_odd.
/// Eight pairs of rows make a block, counted from the pole; the blocks end at the equator. Where P stays below the rounding of the sum
/// - small n - m near the poles - nothing is computed: a strip (m, parity, block) begins at its first degree that matters.
#pragma once
#include "grid/gaussian.hpp"
#include "transform/register.hpp"
#include <algorithm>
#include <cstddef>
#include <vector>

namespace fathom {

/// epsilon_n^m
double coupling(int n, int m);

template <class Number> class Legendre {
public:
    using Lanes = Register<Number>;
    static constexpr int pairs = 8;                        ///< of rows in a block

    /// Tables for the zonal wavenumbers `waves`, degrees up to `highest`.
    Legendre(const GaussianGrid&, int highest, std::vector<int> waves);
    /// Largest m that matters on each row from the south pole to the equator, whichever degree: never falling.
    static std::vector<int> waves_of_rows(const GaussianGrid&, int highest);

    int blocks() const { return block_count; }
    int padding() const { return pad; }                    ///< pairs of the first block that do not exist
    std::size_t bytes() const { return table.size() * sizeof(Lanes); }
    double flops(int columns, int highest) const;          ///< of one inverse or direct transform of so many columns (re, im and fields)

    /// Degrees m, m + 2, ... (parity 0) or m + 1, m + 3, ... up to `highest`.
    static int degrees(int m, int parity, int highest) { return std::max(0, (highest - m - parity + 2) / 2); }

    /// S[parity][k][columns], `counts` of k -> put(pair, column, even, odd): sums of two neighbouring columns for a pair of rows.
    template <class Put> void inverse(int wave, const int (&counts)[2], const Lanes* S, int columns, Put put) const;
    /// F[parity][pair][columns], sums and differences of the rows -> S[parity][k][columns].
    void direct(int wave, const int (&counts)[2], const Lanes* F, int columns, Lanes* S) const;

private:
    struct Strip { std::size_t at; int from, first; };     ///< numbers [k - from][pairs]; from: a multiple of 8
    int block_count, pad;
    std::vector<int> waves, first_block;
    std::vector<Strip> strips;                             ///< [wave][parity][block]
    std::vector<Lanes> table;
    const Number* numbers() const { return (const Number*)table.data(); }
    const Strip& strip(int wave, int parity, int block) const { return strips[(std::size_t(wave) * 2 + parity) * block_count + block]; }
};

template <class Number> template <class Put>
void Legendre<Number>::inverse(int wave, const int (&counts)[2], const Lanes* S, int columns, Put put) const {
    const Lanes* const odd = S + std::size_t(counts[0]) * columns;
    for (int b = first_block[wave]; b < block_count; ++b)
        for (int column = 0; column < columns; column += 2) {
            Lanes sum[2][pairs][2];
            for (int parity = 0; parity < 2; ++parity) {
                const Strip& s = strip(wave, parity, b);
                const Number* P = numbers() + s.at + std::size_t(s.first - s.from) * pairs;
                const Lanes* x = (parity ? odd : S) + std::size_t(s.first) * columns + column;
                Lanes acc[pairs][2];
                for (auto& a : acc) a[0] = a[1] = Lanes(Number(0));
                for (int k = s.first; k < counts[parity]; ++k, P += pairs, x += columns) {
                    const Lanes re = x[0], im = x[1];
                    for (int r = 0; r < pairs; ++r) { const Lanes p(P[r]); acc[r][0] = fma(p, re, acc[r][0]), acc[r][1] = fma(p, im, acc[r][1]); }
                }
                for (int r = 0; r < pairs; ++r) sum[parity][r][0] = acc[r][0], sum[parity][r][1] = acc[r][1];
            }
            for (int r = 0; r < pairs; ++r) put(b * pairs + r - pad, column, sum[0][r], sum[1][r]);
        }
}

}  // namespace fathom
