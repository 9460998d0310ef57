#include "transform/legendre.hpp"
#include "base/error.hpp"
#include <cmath>
#include <limits>

namespace fathom {

double coupling(int n, int m) { return n <= m ? 0 : std::sqrt((double(n) - m) * (double(n) + m) / ((2. * n - 1) * (2. * n + 1))); }

namespace {

/// What cannot change a sum in this precision, terms being of order one.
template <class Number> constexpr double negligible = sizeof(Number) == 8 ? 1e-18 : 1e-10;

/// P_m^m ... P_highest^m at one point, in extended precision: recurrences lose digits. Numbers below 2^-8000 count as 0.
class Column {
public:
    Column(int m, int highest) : m(m), coupling_(highest + 2), P(highest - m + 1) {
        for (int n = m + 1; n <= highest + 1; ++n) coupling_[n] = std::sqrt((long double)(n - m) * (n + m) / ((2.L * n - 1) * (2.L * n + 1)));
    }
    const std::vector<double>& at(const GaussianGrid& grid, int row) {
        const long double sine = (long double)grid.sine[row] + grid.sine_rest[row], cosine = std::sqrt((1 - sine) * (1 + sine));
        long double p = 1, before = 0;
        for (int k = 1; k <= m && p > 0x1p-8000L; ++k) p *= cosine * std::sqrt((2.L * k + 1) / (2.L * k));
        if (p <= 0x1p-8000L) p = 0;
        for (std::size_t i = 0; i < P.size(); ++i) {
            const int n = m + int(i);
            P[i] = double(p);
            const long double next = (sine * p - coupling_[n] * before) / coupling_[n + 1];
            before = p, p = next;
        }
        return P;
    }
private:
    int m;
    std::vector<long double> coupling_;
    std::vector<double> P;
};

}  // namespace

template <class Number> std::vector<int> Legendre<Number>::waves_of_rows(const GaussianGrid& grid, int highest) {
    const int half = grid.rows() / 2;
    std::vector<int> waves(half);
    for (int j = 0, m = 0; j < half; ++j) {
        for (; m < highest; ++m) {                         // waves are more the nearer the equator: go on where the last row ended
            Column column(m + 1, highest);
            const auto& P = column.at(grid, grid.rows() - 1 - j);
            if (!std::ranges::any_of(P, [](double p) { return std::abs(p) >= negligible<Number>; })) break;
        }
        waves[j] = m;
    }
    return waves;
}

template <class Number> Legendre<Number>::Legendre(const GaussianGrid& grid, int highest, std::vector<int> given)
    : block_count((grid.rows() / 2 + pairs - 1) / pairs), pad(block_count * pairs - grid.rows() / 2), waves(std::move(given)), first_block(waves.size(), block_count) {
    strips.resize(waves.size() * 2 * block_count);
    auto all = [&](auto act) {                             // act(wave, block, columns of P)
        #pragma omp parallel for schedule(dynamic)
        for (std::size_t w = 0; w < waves.size(); ++w) {
            Column column(waves[w], highest);
            std::vector<std::vector<double>> P(pairs);
            for (int b = 0; b < block_count; ++b) {
                for (int r = 0; r < pairs; ++r) {
                    const int pair = b * pairs + r - pad;
                    if (pair < 0) P[r].assign(highest - waves[w] + 1, 0.0); else P[r] = column.at(grid, grid.rows() - 1 - pair);
                }
                act(int(w), b, P);
            }
        }
    };
    auto count = [&](int w, int parity) { return degrees(waves[w], parity, highest); };
    all([&](int w, int b, const auto& P) {
        for (int parity = 0; parity < 2; ++parity) {
            Strip& s = strips[(std::size_t(w) * 2 + parity) * block_count + b];
            auto matters = [&](int k) { return std::ranges::any_of(P, [&](const auto& p) { return std::abs(p[parity + 2 * k]) >= negligible<Number>; }); };
            s.first = 0;
            const int most = b ? strip(w, parity, b - 1).first : count(w, parity);         // never rising towards the equator
            while (s.first < most && !matters(s.first)) ++s.first;
            if (s.first < count(w, parity)) first_block[w] = std::min(first_block[w], b);
            s.from = s.first / 8 * 8;
        }
    });
    std::size_t size = 0;
    for (std::size_t w = 0; w < waves.size(); ++w) for (int parity = 0; parity < 2; ++parity) for (int b = 0; b < block_count; ++b) {
        Strip& s = strips[(w * 2 + parity) * block_count + b];
        s.at = size;
        size += std::size_t(count(int(w), parity) - s.from) * pairs;
    }
    table.assign((size + 16 * pairs) / Lanes::width + 1, Lanes(Number(0)));
    all([&](int w, int b, const auto& P) {
        for (int parity = 0; parity < 2; ++parity) {
            const Strip& s = strip(w, parity, b);
            Number* to = (Number*)table.data() + s.at;
            for (int k = s.first; k < count(w, parity); ++k) for (int r = 0; r < pairs; ++r) to[(k - s.from) * pairs + r] = Number(P[r][parity + 2 * k]);
        }
    });
}

template <class Number> double Legendre<Number>::flops(int columns, int highest) const {
    double sum = 0;
    for (std::size_t w = 0; w < waves.size(); ++w) for (int parity = 0; parity < 2; ++parity) for (int b = 0; b < block_count; ++b)
        sum += 2. * pairs * columns * std::max(0, degrees(waves[w], parity, highest) - strip(int(w), parity, b).first);
    return sum;
}

namespace {

/// Sums over blocks for `tile` degrees and two columns.
template <int tile, class Number, class Lanes, class Strips>
void sums(const Number* table, const Strips* strips, int first, int blocks, int k, const Lanes* F, int columns, Lanes* S) {
    constexpr int pairs = Legendre<Number>::pairs;
    Lanes acc[tile][2];
    for (auto& a : acc) a[0] = a[1] = Lanes(Number(0));
    for (int b = first; b < blocks; ++b) {
        const Number* P = table + strips[b].at + std::size_t(k - strips[b].from) * pairs;
        const Lanes* x = F + std::size_t(b) * pairs * columns;
        for (int r = 0; r < pairs; ++r, x += columns) {
            const Lanes re = x[0], im = x[1];
            for (int n = 0; n < tile; ++n) { const Lanes p(P[n * pairs + r]); acc[n][0] = fma(p, re, acc[n][0]), acc[n][1] = fma(p, im, acc[n][1]); }
        }
    }
    for (int n = 0; n < tile; ++n) S[n * columns] = acc[n][0], S[n * columns + 1] = acc[n][1];
}

}  // namespace

template <class Number> void Legendre<Number>::direct(int wave, const int (&counts)[2], const Lanes* F, int columns, Lanes* S) const {
    for (int parity = 0; parity < 2; ++parity, F += std::size_t(block_count) * pairs * columns) {
        const Strip* s = &strip(wave, parity, 0);
        for (int k = 0; k < counts[parity]; k += 8) {
            int first = first_block[wave];
            while (first < block_count && s[first].from > k) ++first;
            for (int column = 0; column < columns; column += 2) {
                auto call = [&]<int tile>(std::integral_constant<int, tile>) { sums<tile>(numbers(), s, first, block_count, k, F + column, columns, S + std::size_t(k) * columns + column); };
                switch (std::min(8, counts[parity] - k)) {
                    case 1: call(std::integral_constant<int, 1>()); break;
                    case 2: call(std::integral_constant<int, 2>()); break;
                    case 3: call(std::integral_constant<int, 3>()); break;
                    case 4: call(std::integral_constant<int, 4>()); break;
                    case 5: call(std::integral_constant<int, 5>()); break;
                    case 6: call(std::integral_constant<int, 6>()); break;
                    case 7: call(std::integral_constant<int, 7>()); break;
                    default: call(std::integral_constant<int, 8>());
                }
            }
        }
        S += std::size_t(counts[parity]) * columns;
    }
}

template class Legendre<float>;
template class Legendre<double>;

}  // namespace fathom
