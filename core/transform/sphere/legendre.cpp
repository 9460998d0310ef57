#include "transform/sphere/legendre.hpp"
#include <algorithm>
#include <cmath>
#include "base/error.hpp"
#include "base/groups.hpp"
#include "transform/sphere/in_register.hpp"

namespace fathom {

double coupling(int n, int m) {
    return n <= m ? 0
                  : std::sqrt((double(n) - m) * (double(n) + m) / ((2. * n - 1) * (2. * n + 1)));
}

namespace {

/// Smaller terms cannot change a sum in this precision, if its other terms are of order one.
template <class Number> constexpr double negligible = sizeof(Number) == 8 ? 1e-16 : 1e-8;

/// P_m^m ... P_highest^m at one point, in extended precision: recurrences lose digits. Numbers
/// below 2^-8000 count as 0.
class Column {
public:
    Column(int m, int highest) : m(m), coupling_(highest + 2), P(highest - m + 1) {
        for (int n = m + 1; n <= highest + 1; ++n)
            coupling_[n] =
                std::sqrt((long double)(n - m) * (n + m) / ((2.L * n - 1) * (2.L * n + 1)));
    }
    const std::vector<double>& at(const GaussianGrid& grid, int row) {
        const long double sine = (long double)grid.sine[row] + grid.sine_rest[row],
                          cosine = std::sqrt((1 - sine) * (1 + sine));
        long double p = 1, before = 0;
        for (int k = 1; k <= m && p > 0x1p-8000L; ++k)
            p *= cosine * std::sqrt((2.L * k + 1) / (2.L * k));
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

template <class Number>
std::vector<int> Legendre<Number>::waves_of_rows(const GaussianGrid& grid, int highest) {
    const int half = grid.rows() / 2;
    std::vector<int> waves(half);
    for (int j = 0, m = 0; j < half; ++j) {
        for (; m < highest;
             ++m) {  // rows nearer to the equator have more waves: continue from the last row
            Column column(m + 1, highest);
            const auto& P = column.at(grid, grid.rows() - 1 - j);
            if (!std::ranges::any_of(P, [](double p) { return std::abs(p) >= negligible<Number>; }))
                break;
        }
        waves[j] = m;
    }
    return waves;
}

template <class Number>
Legendre<Number>::Legendre(const GaussianGrid& grid, int highest, std::vector<int> given,
                           std::size_t most_bytes)
    : block_count((grid.rows() / 2 + pairs - 1) / pairs),
      pad(block_count * pairs - grid.rows() / 2),
      waves(std::move(given)),
      first_block(waves.size(), block_count),
      strips(waves.size() * block_count),
      square(block_count * pairs) {
    for (int p = pad; p < block_count * pairs; ++p) {
        const long double sine = (long double)grid.sine[p - pad] + grid.sine_rest[p - pad];
        square[p] = double(sine * sine);
    }
    make_steps(highest);
    std::vector<std::vector<double>> starts(strips.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t w = 0; w < waves.size(); ++w) make_strips(grid, int(w), starts);
    keep(starts, most_bytes);
}

template <class Number> void Legendre<Number>::make_steps(int highest) {
    for (int m : waves) {
        count.push_back((highest - m + 2) / 2 * 2), first_step.push_back(steps.size());
        for (int n = m; n < m + count.back(); ++n) {
            const double e0 = coupling(n - 1, m), e1 = coupling(n, m), e2 = coupling(n + 1, m),
                         a = 1 / (e2 * coupling(n + 2, m));
            steps.push_back({a, -(e1 * e1 + e2 * e2) * a, -e0 * e1 * a});
        }
    }
}

/// The degrees where the strips of a wave begin, and the numbers from which stretches start.
template <class Number>
void Legendre<Number>::make_strips(const GaussianGrid& grid, int w,
                                   std::vector<std::vector<double>>& starts) {
    Column column(waves[w], waves[w] + count[w] - 1);
    std::vector<std::vector<double>> P(pairs);
    for (int b = 0; b < block_count; ++b) {
        for (int r = 0; r < pairs; ++r) {
            const int pair = b * pairs + r - pad;
            if (pair < 0)
                P[r].assign(count[w], 0.0);
            else
                P[r] = column.at(grid, grid.rows() - 1 - pair);
        }
        auto matters = [&](int i) {
            return std::ranges::any_of(
                P, [&](const auto& p) { return std::abs(p[i]) >= negligible<Number>; });
        };
        Strip& s = strips[std::size_t(w) * block_count + b];
        const int most = b ? strip(w, b - 1).first : count[w];  // never rising towards the equator
        for (s.first = 0; s.first < most && !matters(s.first);) ++s.first;
        if (s.first < count[w])
            s.first -= s.first % 2, first_block[w] = std::min(first_block[w], b);
        auto& start = starts[std::size_t(w) * block_count + b];
        for (int i = s.first; i < count[w]; i = next_stretch(i))
            for (int n = i - 2; n < i + 2; ++n)
                for (int r = 0; r < pairs; ++r) start.push_back(n < 0 ? 0 : P[r][n]);
    }
}

/// Keeps the table, or only the seeds if it would be too large.
template <class Number>
void Legendre<Number>::keep(const std::vector<std::vector<double>>& starts,
                            std::size_t most_bytes) {
    auto table_size = [&](std::size_t n) {
        return std::size_t(count[n / block_count] - strips[n].first) * pairs;
    };
    std::size_t in_table = 0, of_seeds = 0;
    for (std::size_t n = 0; n < strips.size(); ++n)
        in_table += table_size(n), of_seeds += starts[n].size();
    const bool tabulated = in_table * sizeof(Number) <= most_bytes;
    if (tabulated)
        table.resize(in_table);
    else
        seeds.resize(of_seeds);
    std::size_t at = 0;
    for (std::size_t n = 0; n < strips.size(); ++n) {
        strips[n].at = at;
        at += tabulated ? table_size(n) : starts[n].size();
    }
#pragma omp parallel for schedule(dynamic)
    for (std::size_t n = 0; n < strips.size(); ++n)
        if (tabulated)
            tabulate(n, starts[n].data());
        else
            std::ranges::copy(starts[n], seeds.begin() + strips[n].at);
}

template <class Number> void Legendre<Number>::tabulate(std::size_t n, const double* start) {
    const int w = int(n / block_count), b = int(n % block_count), first = strips[n].first;
    for (int i = first; i < count[w]; i = next_stretch(i), start += 4 * pairs)
        recur(w, b, i, std::min(count[w], next_stretch(i)), start,
              table.data() + strips[n].at + std::size_t(i - first) * pairs);
}

/// P of degrees m + from ... m + to - 1.
template <class Number>
void Legendre<Number>::recur(int wave, int block, int from, int to, const double* seed,
                             Number* P) const {
    using Wide = Register<double>;
    using Narrow = Pack<Number, Wide::width>;
    constexpr int parts = pairs / Wide::width;
    Wide x[parts], before[2][parts], now[2][parts];
    for (int k = 0; k < parts; ++k) {
        x[k] = Wide::load(square.data() + block * pairs + k * Wide::width);
        for (int parity = 0; parity < 2; ++parity) {
            const double* const s = seed + parity * pairs + k * Wide::width;
            before[parity][k] = Wide::load(s), now[parity][k] = Wide::load(s + 2 * pairs);
        }
    }
    const Step* step = steps.data() + first_step[wave] + from;
#pragma GCC unroll 1
    for (int i = from; i < to; i += 2, step += 2)
        for (int parity = 0; parity < 2; ++parity) {
            const Wide a(step[parity].a), b(step[parity].b), c(step[parity].c);
            for (int k = 0; k < parts; ++k, P += Wide::width) {
                const Wide p = now[parity][k];
                Narrow rounded;
                rounded.lanes = __builtin_convertvector(p.lanes, typename Narrow::Storage);
                rounded.store(P);
                now[parity][k] = fma(fma(a, x[k], b), p, c * before[parity][k]);
                before[parity][k] = p;
            }
        }
}

template <class Number> double Legendre<Number>::flops(int columns, int highest) const {
    double sum = 0;
    for (std::size_t w = 0; w < waves.size(); ++w)
        for (int b = 0; b < block_count; ++b)
            sum +=
                2. * pairs * columns * std::max(0, highest - waves[w] + 1 - strip(int(w), b).first);
    return sum;
}

template <class Number> auto Legendre<Number>::scratch(int columns) const -> Scratch {
    const bool several = !count.empty() && std::ranges::max(count) > stretch;
    return {LargeVector<Number>(table.empty() ? stretch * pairs * most_blocks : 0),
            LargeVector<Lanes>(several ? std::size_t(2 * pairs) * most_blocks * columns : 0),
            std::vector<const Number*>(block_count)};
}

/// P of the strips of blocks b0 ... b1 - 1, from degree m + begin, or where they begin, to m + end.
template <class Number>
void Legendre<Number>::functions(int wave, int begin, int end, int b0, int b1,
                                 Scratch& scratch) const {
    Number* P = scratch.P.data();
    for (int b = b0; b < b1; ++b) {
        const Strip& s = strip(wave, b);
        const int from = std::max(begin, s.first);
        if (from >= end) continue;
        if (seeds.empty())
            scratch.strips[b] = table.data() + s.at + std::size_t(from - s.first) * pairs;
        else {
            recur(wave, b, from, end,
                  seeds.data() + s.at + std::size_t(from / stretch - s.first / stretch) * 4 * pairs,
                  P);
            scratch.strips[b] = P;
            P += std::size_t(end - from) * pairs;
        }
    }
}

template <class Number>
void Legendre<Number>::table_ahead(std::size_t wave, WaveAhead& ahead) const {
    if (wave >= waves.size() || table.empty()) return;
    const std::size_t begin = strip(int(wave), 0).at,
                      end = wave + 1 < waves.size() ? strip(int(wave) + 1, 0).at : table.size();
    ahead.add(table.data() + begin, 0, 1, int((end - begin) * sizeof(Number)));
}

/// Calls act(begin, end, b0, b1) for one stretch of degrees after the other, of some blocks after
/// the others, when their P are known. Each tile also fetches a part of the data ahead.
template <class Number>
template <class Act>
void Legendre<Number>::each_part(int wave, int degrees, int columns, Scratch& scratch,
                                 WaveAhead& ahead, Act act) const {
    const int blocks = block_count - first_block[wave], most = columns > together ? most_blocks : 1,
              parts = (blocks + most - 1) / most;
    ahead.pace(2l * blocks * ((columns + together - 1) / together) *
               ((degrees + stretch - 1) / stretch));
    for (int k = 0; k < parts; ++k)
        for (int begin = 0; begin < degrees; begin += stretch) {
            const int end = std::min(begin + stretch, degrees),
                      b0 = first_block[wave] + blocks * k / parts,
                      b1 = first_block[wave] + blocks * (k + 1) / parts;
            functions(wave, begin, end, b0, b1, scratch);
            act(begin, end, b0, b1);
        }
}

namespace {

/// Sums of one parity over four pairs of rows and some columns, in registers: loops over them have
/// one index, or the compiler leaves them in memory.
template <class V, int columns> struct Tile {
    static constexpr int size = 4 * columns;
    V sum[size];
    [[gnu::always_inline]] static Tile zeros() {
        Tile t;
        for (int q = 0; q < size; ++q) t.sum[q] = V(typename V::Number(0));
        return t;
    }
    [[gnu::always_inline]] static Tile load(const V* from) {
        Tile t;
        for (int q = 0; q < size; ++q) t.sum[q] = from[q];
        return t;
    }
    [[gnu::always_inline]] void store(V* to) const {
        for (int q = 0; q < size; ++q) to[q] = sum[q];
    }
};

/// The memory from which a tile is read, or to which it is written.
template <int columns, class Rows>
[[gnu::always_inline]] inline void prefetch_rows(const Rows* row, int c) {
    for (int r = 0; r < 4; ++r)
        for (int k : {0, columns - 1})
            prefetch(row[r].north + c + k), prefetch(row[r].south + c + k);
}

/// sum[pair][column] + sum over every second degree of P S: four pairs out of the eight of a
/// strip.
template <int columns, class Number, class V>
[[gnu::always_inline]] inline Tile<V, columns> sum_degrees(const Number* p, const V* x,
                                                           std::ptrdiff_t column, int degrees,
                                                           Tile<V, columns> t) {
#pragma GCC unroll 1
    for (; degrees > 0; degrees -= 2, p += 16, x += 2) {
        V a[columns];
        for (int c = 0; c < columns; ++c) a[c] = in_register(x[c * column]);
        for (int r = 0; r < 4; ++r) {
            const V b = in_register(V(p[r]));
            for (int c = 0; c < columns; ++c)
                t.sum[r * columns + c] = fma(b, a[c], t.sum[r * columns + c]);
        }
    }
    return t;
}

/// The transpose: S += sums over four pairs of P times sums (even) or differences (odd) of rows.
template <int columns, class Number, class V>
[[gnu::always_inline]] inline void sum_pairs(const Number* p, V* x, std::ptrdiff_t column,
                                             int degrees, const Tile<V, columns>& tile) {
#pragma GCC unroll 1
    for (; degrees > 0; degrees -= 2, p += 16, x += 2) {
        V a[columns];
        for (int c = 0; c < columns; ++c) a[c] = x[c * column];
        for (int r = 0; r < 4; ++r) {
            const V b = in_register(V(p[r]));
            for (int c = 0; c < columns; ++c) a[c] = fma(b, tile.sum[r * columns + c], a[c]);
        }
        for (int c = 0; c < columns; ++c) x[c * column] = a[c];
    }
}

/// even + odd to northern, even - odd to southern rows.
template <int group, class V, class Rows>
[[gnu::always_inline]] inline void write(const Tile<V, group>& even, const Tile<V, group>& odd,
                                         const Rows* row, int c, bool past) {
    using Number = typename V::Number;
    for (int q = 0; q < 4 * group; ++q) {
        V *const north = row[q / group].north + c + q % group, *const south = row[q / group].south +
                                                                              c + q % group;
        const V n = even.sum[q] + odd.sum[q], s = even.sum[q] - odd.sum[q];
        if (past)
            n.stream((Number*)north), s.stream((Number*)south);
        else
            *north = n, *south = s;
    }
}

}  // namespace

template <class Number>
void Legendre<Number>::inverse(int wave, int degrees, const Lanes* S, int columns, const Rows* rows,
                               bool past, Scratch& scratch, WaveAhead& ahead) const {
    each_part(wave, degrees, columns, scratch, ahead, [&](int begin, int end, int b0, int b1) {
        const bool last = end == degrees;
        each_group<together>(columns, [&]<int group>(int c, std::integral_constant<int, group>) {
            for (int b = b0; b < b1; ++b) {
                const int first = strip(wave, b).first, from = std::max(begin, first);
                if (from >= end && !last) continue;
                for (int half = 0; half < 2; ++half) {
                    using T = Tile<Lanes, group>;
                    const Rows* const row = rows + b * pairs + 4 * half;
                    const Number* const P = scratch.strips[b] + 4 * half;
                    const Lanes* const x = S + std::size_t(c) * degrees + from;
                    if (!past && last && b + 1 < b1) prefetch_rows<group>(row + pairs, c);
                    ahead.some();
                    auto sum = [&](int parity, const T& before) __attribute__((always_inline)) {
                        return sum_degrees<group>(P + 8 * parity, x + parity, degrees, end - from,
                                                  before);
                    };
                    if (begin <= first && last) {
                        const T even = sum(0, T::zeros());
                        write(even, sum(1, T::zeros()), row, c, past);
                        continue;
                    }
                    Lanes* const kept =
                        scratch.sums.data() + (std::size_t(2 * (b - b0) + half) * columns + c) * 8;
                    auto go_on = [&](int parity) __attribute__((always_inline)) {
                        return sum(parity,
                                   begin <= first ? T::zeros() : T::load(kept + T::size * parity));
                    };
                    const T even = go_on(0);
                    if (last)
                        write(even, go_on(1), row, c, past);
                    else
                        even.store(kept), go_on(1).store(kept + T::size);
                }
            }
        });
    });
}

template <class Number>
void Legendre<Number>::direct(int wave, int degrees, const Rows* rows, int columns, Lanes* S,
                              Scratch& scratch, WaveAhead& ahead) const {
    std::fill_n(S, std::size_t(degrees) * columns, Lanes(Number(0)));
    each_part(wave, degrees, columns, scratch, ahead, [&](int begin, int end, int b0, int b1) {
        each_group<together>(columns, [&]<int group>(int c, std::integral_constant<int, group>) {
            for (int b = b0; b < b1; ++b) {
                const int from = std::max(begin, strip(wave, b).first);
                if (from >= end) continue;
                for (int half = 0; half < 2; ++half) {
                    const Rows* const row = rows + b * pairs + 4 * half;
                    if (b + 1 < b1) prefetch_rows<group>(row + pairs, c);
                    ahead.some();
                    for (int parity = 0; parity < 2; ++parity) {
                        Tile<Lanes, group> tile;
                        for (int q = 0; q < tile.size; ++q) {
                            const Lanes north = row[q / group].north[c + q % group],
                                        south = row[q / group].south[c + q % group];
                            tile.sum[q] = parity ? north - south : north + south;
                        }
                        sum_pairs<group>(scratch.strips[b] + 8 * parity + 4 * half,
                                         S + std::size_t(c) * degrees + from + parity, degrees,
                                         end - from, tile);
                    }
                }
            }
        });
    });
}

template class Legendre<float>;
template class Legendre<double>;

}  // namespace fathom
