/// Coefficients <-> entries: operators and Legendre transforms, m by m.
#include <omp.h>
#include <algorithm>
#include <cmath>
#include "machine/threads.hpp"
#include "transform/sphere/spherical_harmonics.hpp"

namespace fathom {

/// The operators: calls act(view, coefficients of an item -> Outer, part -> Inner), with whole
/// registers where possible.
template <class Number>
template <class Act>
void SphericalHarmonics<Number>::operate(int wave, const Batch& batch, Lanes* S, int degrees,
                                         Act act) const {
    const int m = distribution.own_waves[wave];
    auto with = [&]<bool whole>(std::bool_constant<whole>, const Piece& piece) {
        using View = WaveView<Fields<Number, whole>>;
        auto outer = [&](const Coefficients& c) {
            return typename View::Outer{
                c.at ? c.at + 2 * wave_start[wave] * c.stride + piece.level : nullptr, c.stride};
        };
        auto inner = [&](int part) {
            const int lane = piece.lane[part];
            return typename View::Inner{
                (Number*)(S + std::size_t(2 * (lane / width)) * degrees) + lane % width,
                degrees * width};
        };
        act(View{{piece.count}, m, truncation(), highest(batch), epsilon[wave].data()}, *piece.item,
            outer, inner);
    };
    for (int p = batch.first_piece; p < batch.last_piece; ++p)
        if (pieces[p].count == width)
            with(std::true_type(), pieces[p]);
        else
            with(std::false_type(), pieces[p]);
}

/// The places of the rows of own wave i among the entries; rows without this m are `beyond`.
template <class Number>
auto SphericalHarmonics<Number>::rows_of(int i, Lanes* entries, int columns, Lanes* beyond,
                                         Scratch& mine) const -> const Rows* {
    const std::ptrdiff_t* start =
        distribution.wave_side.data() + std::size_t(i) * distribution.ranks;
    const int first = distribution.first_row[distribution.own_waves[i]], pad = legendre.padding(),
              count = int(rows.points.size());
    auto entry = [&](int j) {
        return entries + (start[distribution.row_rank[j]] + distribution.row_index[j]) * columns;
    };
    for (int pair = -pad; pair < count / 2; ++pair)
        mine.rows[pair + pad] =
            pair < first ? Rows{beyond, beyond} : Rows{entry(count - 1 - pair), entry(pair)};
    return mine.rows.data();
}

/// Lists the data that sums fetch meanwhile: coefficients of an own wave for all items in a batch;
/// nothing beyond the last wave.
template <class Number>
void SphericalHarmonics<Number>::coefficients_ahead(std::size_t wave, const Batch& batch,
                                                    Scratch& mine) const {
    if (wave >= distribution.own_waves.size()) return;
    const int rows = 2 * (truncation() - distribution.own_waves[wave] + 1);
    for (auto which : {&Item::first, &Item::second})
        for (int p = batch.first_piece; p < batch.last_piece; ++p) {
            const Coefficients& c = pieces[p].item->*which;
            if (c.at)
                mine.wave_ahead.add(c.at + 2 * wave_start[wave] * c.stride + pieces[p].level,
                                    c.stride * std::ptrdiff_t(sizeof(Number)), rows,
                                    pieces[p].count * int(sizeof(Number)));
        }
}

/// Coefficients -> entries: operators and the inverse Legendre transform, m by m.
template <class Number>
void SphericalHarmonics<Number>::from_waves(const Batch& batch, Side& side, Way way) {
    static const Region here("Legendre transform");
    TimedRegion timer(here, this->spent.within);
    const int columns = 2 * batch.cells;
    const double a = rows.radius;
    const bool transposed = way == Way::direct_adjoint, past = this->entries_beyond_cache(batch);
#pragma omp parallel for schedule(dynamic) num_threads(threads_of(scratch.size()))
    for (std::size_t i = 0; i < distribution.own_waves.size(); ++i) {
        const int m = distribution.own_waves[i], degrees = (highest(batch) - m + 2) / 2 * 2;
        Scratch& mine = scratch[omp_get_thread_num()];
        Lanes* S = mine.spectral.data();
        for (int c = 0; c < columns; ++c)
            S[(c + 1) * degrees - 1] = Lanes(Number(0));  // one degree more than needed
        // lanes without a field
        std::fill_n(S + (columns - 2) * degrees, 2 * degrees, Lanes(Number(0)));
        operate(
            int(i), batch, S, degrees,
            [&](const auto& view, const Item& item, auto outer, auto inner) {
                const double half = transposed && m ? 0.5 : 1;
                if (item.kind != Item::Kind::wind) view.copy_in(outer(item.first), inner(0), half);
                if (item.kind == Item::Kind::gradient && item.north) {
                    const auto north = inner(1);
                    view.wind_in(
                        outer({}), outer(item.first), [&](int) { return -1 / a; }, nullptr, &north);
                }
                if (item.kind == Item::Kind::wind) {
                    const auto U = inner(0), W = inner(1);
                    view.wind_in(
                        outer(item.first), outer(item.second),
                        [&](int n) {
                            return transposed ? half / a : n > 0 ? a / (double(n) * (n + 1)) : 0;
                        },
                        &U, &W);
                }
            });
        mine.wave_ahead.clear();
        legendre.table_ahead(i + threads, mine.wave_ahead);
        coefficients_ahead(i + threads, batch, mine);
        legendre.inverse(int(i), degrees, S, columns,
                         rows_of(int(i), side.wave.data(), columns, mine.nowhere.data(), mine),
                         past, mine.legendre, mine.wave_ahead);
        if (past) stream_fence();
    }
}

/// Entries -> coefficients.
template <class Number>
void SphericalHarmonics<Number>::to_waves(const Batch& batch, Side& side, Way way) {
    static const Region here("Legendre transform");
    TimedRegion timer(here, this->spent.within);
    const int columns = 2 * batch.cells;
    const double a = rows.radius;
    const bool transposed = way == Way::inverse_adjoint;
#pragma omp parallel for schedule(dynamic) num_threads(threads_of(scratch.size()))
    for (std::size_t i = 0; i < distribution.own_waves.size(); ++i) {
        const int m = distribution.own_waves[i], degrees = (highest(batch) - m + 2) / 2 * 2;
        Scratch& mine = scratch[omp_get_thread_num()];
        Lanes* S = mine.spectral.data();
        mine.wave_ahead.clear();
        legendre.table_ahead(i + threads, mine.wave_ahead);
        coefficients_ahead(i, batch, mine);
        legendre.direct(int(i), degrees,
                        rows_of(int(i), side.wave.data(), columns, mine.zeros.data(), mine),
                        columns, S, mine.legendre, mine.wave_ahead);
        operate(int(i), batch, S, degrees,
                [&](const auto& view, const Item& item, auto outer, auto inner) {
                    const double both = transposed && m ? 2 : 1;
                    if (item.kind == Item::Kind::wind) {
                        const auto zeta = outer(item.first), D = outer(item.second);
                        view.curl_out(
                            inner(0), inner(1),
                            [&](int n) {
                                return !transposed ? 1 / a
                                       : n > 0     ? both * a / (double(n) * (n + 1))
                                                   : 0;
                            },
                            &zeta, &D);
                    } else if (item.kind == Item::Kind::gradient && (item.east || item.north)) {
                        const auto f = inner(0);
                        const auto to = outer(item.first);
                        view.curl_out(
                            inner(1), inner(2), [&](int) { return -both / a; }, nullptr, &to, &f,
                            both);
                    } else
                        view.copy_out(inner(0), outer(item.first), both);
                });
    }
}

template void SphericalHarmonics<float>::from_waves(const Batch&, Side&, Way);
template void SphericalHarmonics<float>::to_waves(const Batch&, Side&, Way);
template void SphericalHarmonics<double>::from_waves(const Batch&, Side&, Way);
template void SphericalHarmonics<double>::to_waves(const Batch&, Side&, Way);

}  // namespace fathom
