#include "transform/legendre.hpp"
#include "base/error.hpp"
#include <algorithm>
#include <cmath>

namespace fathom {

double coupling(int n, int m) { return n <= m ? 0 : std::sqrt((double(n) - m) * (double(n) + m) / ((2. * n - 1) * (2. * n + 1))); }

namespace {

/// What cannot change a sum in this precision, terms being of order one.
template <class Number> constexpr double negligible = sizeof(Number) == 8 ? 1e-16 : 1e-8;

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

template <class Number> Legendre<Number>::Legendre(const GaussianGrid& grid, int highest, std::vector<int> given, std::size_t most_bytes)
    : block_count((grid.rows() / 2 + pairs - 1) / pairs), pad(block_count * pairs - grid.rows() / 2), waves(std::move(given)), first_block(waves.size(), block_count),
      strips(waves.size() * block_count), square(block_count * pairs) {
    for (int p = pad; p < block_count * pairs; ++p) {
        const long double sine = (long double)grid.sine[p - pad] + grid.sine_rest[p - pad];
        square[p] = double(sine * sine);
    }
    for (int m : waves) {
        count.push_back((highest - m + 2) / 2 * 2), first_step.push_back(steps.size());
        for (int n = m; n < m + count.back(); ++n) {
            const double e0 = coupling(n - 1, m), e1 = coupling(n, m), e2 = coupling(n + 1, m), a = 1 / (e2 * coupling(n + 2, m));
            steps.push_back({a, -(e1 * e1 + e2 * e2) * a, -e0 * e1 * a});
        }
    }
    std::vector<std::vector<double>> starts(strips.size());
    #pragma omp parallel for schedule(dynamic)
    for (std::size_t w = 0; w < waves.size(); ++w) {
        Column column(waves[w], waves[w] + count[w] - 1);
        std::vector<std::vector<double>> P(pairs);
        for (int b = 0; b < block_count; ++b) {
            for (int r = 0; r < pairs; ++r) {
                const int pair = b * pairs + r - pad;
                if (pair < 0) P[r].assign(count[w], 0.0); else P[r] = column.at(grid, grid.rows() - 1 - pair);
            }
            Strip& s = strips[w * block_count + b];
            auto matters = [&](int i) { return std::ranges::any_of(P, [&](const auto& p) { return std::abs(p[i]) >= negligible<Number>; }); };
            const int most = b ? strip(int(w), b - 1).first : count[w];         // never rising towards the equator
            for (s.first = 0; s.first < most && !matters(s.first) && !matters(s.first + 1);) s.first += 2;
            if (s.first < count[w]) first_block[w] = std::min(first_block[w], b);
            for (int i = s.first; i < count[w]; i += stretch)
                for (int n = i - 2; n < i + 2; ++n) for (int r = 0; r < pairs; ++r) starts[w * block_count + b].push_back(n < 0 ? 0 : P[r][n]);
        }
    }
    std::size_t size = 0, of_seeds = 0;
    for (std::size_t n = 0; n < strips.size(); ++n) size += std::size_t(count[n / block_count] - strips[n].first) * pairs, of_seeds += starts[n].size();
    const bool tabulated = size * sizeof(Number) <= most_bytes;
    if (tabulated) table.resize(size); else seeds.resize(of_seeds);
    std::size_t at = 0;
    for (std::size_t n = 0; n < strips.size(); ++n) strips[n].at = at, at += tabulated ? std::size_t(count[n / block_count] - strips[n].first) * pairs : starts[n].size();
    #pragma omp parallel for schedule(dynamic)
    for (std::size_t n = 0; n < strips.size(); ++n) {
        const int w = int(n / block_count), b = int(n % block_count), first = strips[n].first;
        if (!tabulated) std::ranges::copy(starts[n], seeds.begin() + strips[n].at);
        else for (int i = first; i < count[w]; i += stretch)
            recur(w, b, i, std::min(count[w], i + stretch), starts[n].data() + std::size_t(i - first) / stretch * 4 * pairs, table.data() + strips[n].at + std::size_t(i - first) * pairs);
    }
}

/// P of degrees m + from ... m + to - 1.
template <class Number> void Legendre<Number>::recur(int wave, int block, int from, int to, const double* seed, Number* P) const {
    using Eight = Pack<double, pairs>;
    const Eight x = Eight::load(square.data() + block * pairs);
    Eight before[2] = {Eight::load(seed), Eight::load(seed + pairs)}, now[2] = {Eight::load(seed + 2 * pairs), Eight::load(seed + 3 * pairs)};
    const Step* step = steps.data() + first_step[wave] + from;
    for (int i = from; i < to; i += 2)
        for (int parity = 0; parity < 2; ++parity, ++step, P += pairs) {
            const Eight p = now[parity];
            if constexpr (sizeof(Number) == sizeof(double)) p.store(P);
            else for (int r = 0; r < pairs; ++r) P[r] = Number(p.lanes[r]);
            now[parity] = fma(fma(Eight(step->a), x, Eight(step->b)), p, Eight(step->c) * before[parity]);
            before[parity] = p;
        }
}

template <class Number> double Legendre<Number>::flops(int columns, int highest) const {
    double sum = 0;
    for (std::size_t w = 0; w < waves.size(); ++w) for (int b = 0; b < block_count; ++b)
        sum += 2. * pairs * columns * std::max(0, highest - waves[w] + 1 - strip(int(w), b).first);
    return sum;
}

/// act(begin, end, P): degrees of a strip, a stretch at a time; one empty stretch where there are none.
template <class Number> template <class Act> void Legendre<Number>::each_stretch(int wave, int block, int degrees, Scratch& scratch, Act act) const {
    const Strip& s = strip(wave, block);
    int begin = std::min(s.first, degrees);
    do {
        const int end = std::min(begin + stretch, degrees);
        const Number* P = scratch.P.data();
        if (seeds.empty()) P = table.data() + s.at + std::size_t(begin - s.first) * pairs;
        else if (begin < end) recur(wave, block, begin, end, seeds.data() + s.at + std::size_t(begin - s.first) / stretch * 4 * pairs, scratch.P.data());
        act(begin, end, P);
        begin = end;
    } while (begin < degrees);
}

template <class Number> void Legendre<Number>::inverse(int wave, int degrees, const Lanes* S, int columns, const Rows* rows, bool past, Scratch& scratch, Ahead& ahead) const {
    const int share = ahead.share(columns * (block_count - first_block[wave]));
    for (int b = first_block[wave]; b < block_count; ++b) {
        const Rows* const row = rows + b * pairs;
        const int first = std::min(strip(wave, b).first, degrees);
        each_stretch(wave, b, degrees, scratch, [&](int begin, int end, const Number* P) {
            const std::ptrdiff_t next = seeds.empty() ? (end - begin) * pairs : 0;          // the next strip
            for (int c = 0; c < columns; ++c) {
                Lanes even[pairs], odd[pairs];
                Lanes* const sums = scratch.sums.data() + 2 * pairs * c;
                if (begin == first) for (int r = 0; r < pairs; ++r) even[r] = odd[r] = Lanes(Number(0));
                else for (int r = 0; r < pairs; ++r) even[r] = sums[r], odd[r] = sums[pairs + r];
                if (!past && b == first_block[wave]) for (int r = 0; r < pairs; ++r) prefetch(row[r].north + c), prefetch(row[r].south + c);
                if (!past && b + 1 < block_count) for (int r = pairs; r < 2 * pairs; ++r) prefetch(row[r].north + c), prefetch(row[r].south + c);
                ahead.some(share);
                const Lanes* x = S + std::size_t(c) * degrees + begin;
                const Number* p = P;
                for (int i = begin; i < end; i += 2, p += 2 * pairs, x += 2) {
                    const Lanes a = x[0], b = x[1];
                    __builtin_prefetch(p + next), __builtin_prefetch(p + next + pairs);
                    for (int r = 0; r < pairs; ++r) even[r] = fma(Lanes(p[r]), a, even[r]);
                    for (int r = 0; r < pairs; ++r) odd[r] = fma(Lanes(p[pairs + r]), b, odd[r]);
                }
                if (end < degrees) for (int r = 0; r < pairs; ++r) sums[r] = even[r], sums[pairs + r] = odd[r];
                else if (past) for (int r = 0; r < pairs; ++r) (even[r] + odd[r]).stream((Number*)(row[r].north + c)), (even[r] - odd[r]).stream((Number*)(row[r].south + c));
                else for (int r = 0; r < pairs; ++r) row[r].north[c] = even[r] + odd[r], row[r].south[c] = even[r] - odd[r];
            }
        });
    }
}

template <class Number> void Legendre<Number>::direct(int wave, int degrees, const Rows* rows, int columns, Lanes* S, Scratch& scratch, Ahead& ahead) const {
    const int share = ahead.share(columns * (block_count - first_block[wave]));
    std::fill_n(S, std::size_t(degrees) * columns, Lanes(Number(0)));
    for (int b = first_block[wave]; b < block_count; ++b) {
        const Rows* const row = rows + b * pairs;
        each_stretch(wave, b, degrees, scratch, [&](int begin, int end, const Number* P) {
            const std::ptrdiff_t next = seeds.empty() ? (end - begin) * pairs : 0;
            for (int c = 0; c < columns; ++c) {
                Lanes even[pairs], odd[pairs];
                for (int r = 0; r < pairs; ++r) {
                    const Lanes north = row[r].north[c], south = row[r].south[c];
                    even[r] = north + south, odd[r] = north - south;
                }
                if (b + 1 < block_count) for (int r = pairs; r < 2 * pairs; ++r) prefetch(row[r].north + c), prefetch(row[r].south + c);
                ahead.some(share);
                Lanes* x = S + std::size_t(c) * degrees + begin;
                const Number* p = P;
                for (int i = begin; i < end; i += 2, p += 2 * pairs, x += 2) {
                    Lanes a = x[0], b = x[1];
                    __builtin_prefetch(p + next), __builtin_prefetch(p + next + pairs);
                    for (int r = 0; r < pairs; ++r) a = fma(Lanes(p[r]), even[r], a), b = fma(Lanes(p[pairs + r]), odd[r], b);
                    x[0] = a, x[1] = b;
                }
            }
        });
    }
}

template class Legendre<float>;
template class Legendre<double>;

}  // namespace fathom
