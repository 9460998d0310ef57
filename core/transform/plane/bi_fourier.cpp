#include "transform/plane/bi_fourier.hpp"
#include <omp.h>
#include <algorithm>
#include <cmath>
#include <numbers>
#include "base/error.hpp"
#include "machine/threads.hpp"

namespace fathom {

namespace {

int rank_of(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

const BiFourierPlane& checked(const BiFourierPlane& p) {
    if (p.points < 1 || p.rows < 1) throw Error("a plane of ", p.points, " × ", p.rows, " points");
    if (p.east < 1 || p.north < 1)
        throw Error("a truncation of ", p.east, " × ", p.north, " waves; at least 1 each way");
    if (2 * p.east >= p.points)
        throw Error("truncation ", p.east, " on rows of ", p.points, " points; at least ",
                    2 * p.east + 1, " are needed");
    if (2 * p.north >= p.rows)
        throw Error("truncation ", p.north, " on ", p.rows, " rows; at least ", 2 * p.north + 1,
                    " are needed");
    if (!(p.length_x > 0 && p.length_y > 0))
        throw Error("a plane of ", p.length_x, " m × ", p.length_y, " m");
    return p;
}

TransformRows rows_of(const BiFourierPlane& p) {
    return {std::vector<int>(p.rows, p.points), std::vector<double>(p.rows, 1. / p.rows),
            std::vector<double>(p.rows, 1), p.length_x / (2 * std::numbers::pi)};
}

const Region& columns_transform() {
    static const Region here("Fourier transform of columns");
    return here;
}

}  // namespace

int BiFourierPlane::most_north(int m) const {
    if (m == 0) return north;
    const double e = double(east);
    return int(1e-10 + north / e * std::sqrt(e * e - double(m) * m));
}

template <class Number>
BiFourier<Number>::BiFourier(MPI_Comm comm, const BiFourierPlane& given, const Decomposition& d,
                             TransformWork how)
    : Base(comm, fathom::rows_of(checked(given)),
           Distribution(fathom::rows_of(checked(given)).points, given.east,
                        std::vector<int>((given.rows + 1) / 2, given.east), d, rank_of(comm)),
           d, how),
      plane(given),
      along_y(given.rows),
      rows_of_rank(d.ranks),
      scratch(threads) {
    for (int m : distribution.own_waves)
        this->list_waves(m, m ? -plane.most_north(m) : 0, plane.most_north(m));
    for (int rank : distribution.row_rank) ++rows_of_rank[rank];
    for (auto& s : scratch) s.columns.resize(along_y.packs() * this->most_cells);
}

/// A complex transform of n numbers counts 5 n log2 n.
template <class Number> double BiFourier<Number>::flops_of_field() const {
    return distribution.own_waves.size() * 5. * plane.rows * std::log2(double(plane.rows));
}

/// The operators: calls act(view, item, coefficients -> Outer, part -> Inner).
template <class Number>
template <class Act>
void BiFourier<Number>::operate(std::size_t wave, const Batch& batch, Lanes* columns,
                                Act act) const {
    const int m = distribution.own_waves[wave], most = plane.most_north(m);
    const double turn = 2 * std::numbers::pi;
    auto with = [&]<bool whole>(std::bool_constant<whole>, const Piece& piece) {
        using View = PlaneView<Fields<Number, whole>>;
        auto outer = [&](const Coefficients& c) {
            return typename View::Outer{
                c.at ? c.at + 2 * wave_start[wave] * c.stride + piece.level : nullptr, c.stride};
        };
        auto inner = [&](int part) {
            const int lane = piece.lane[part];
            return typename View::Inner{(Number*)(columns + lane / width * along_y.packs()) +
                                        lane % width};
        };
        act(View{{piece.count},
                 m,
                 m ? -most : 0,
                 most,
                 turn * m / plane.length_x,
                 turn / plane.length_y,
                 along_y.place.data(),
                 plane.rows},
            *piece.item, outer, inner);
    };
    for (int p = batch.first_piece; p < batch.last_piece; ++p)
        if (pieces[p].count == width)
            with(std::true_type(), pieces[p]);
        else
            with(std::false_type(), pieces[p]);
}

template <class Number>
auto BiFourier<Number>::entry(Side& side, std::size_t wave, int row, int columns, int cell) const
    -> Lanes* {
    const std::ptrdiff_t start =
        distribution.wave_side[wave * distribution.ranks + distribution.row_rank[row]];
    return side.wave.data() + (start + distribution.row_index[row]) * columns + 2 * cell;
}

/// Coefficients and entries that a thread will probably need for its next wavenumber.
template <class Number>
void BiFourier<Number>::wave_ahead(std::size_t wave, const Batch& batch, Side& side,
                                   RowAhead& ahead) const {
    ahead.clear();
    if (wave >= distribution.own_waves.size()) return;
    const int most = plane.most_north(distribution.own_waves[wave]),
              count = 2 * (distribution.own_waves[wave] ? 2 * most + 1 : most + 1),
              columns = 2 * batch.cells;
    for (auto which : {&Item::first, &Item::second})
        for (int p = batch.first_piece; p < batch.last_piece; ++p) {
            const Coefficients& c = pieces[p].item->*which;
            if (c.at)
                ahead.add(c.at + 2 * wave_start[wave] * c.stride + pieces[p].level,
                          c.stride * std::ptrdiff_t(sizeof(Number)), count,
                          pieces[p].count * int(sizeof(Number)));
        }
    const std::ptrdiff_t* start = &distribution.wave_side[wave * distribution.ranks];
    for (int rank = 0; rank < distribution.ranks; ++rank)
        ahead.add(side.wave.data() + start[rank] * columns, columns * sizeof(Lanes),
                  rows_of_rank[rank], columns * int(sizeof(Lanes)));
    ahead.pace(batch.cells * along_y.steps());
}

template <class Number>
void BiFourier<Number>::from_waves(const Batch& batch, Side& side, Way way) {
    TimedRegion timer(columns_transform(), this->spent.within);
    const bool transposed = way == Way::direct_adjoint;
    using Kind = Item::Kind;
#pragma omp parallel for schedule(dynamic) num_threads(threads_of(scratch.size()))
    for (std::size_t i = 0; i < distribution.own_waves.size(); ++i) {
        Scratch& mine = scratch[omp_get_thread_num()];
        Lanes* const columns = mine.columns.data();
        std::fill_n(columns, along_y.packs() * batch.cells, Lanes(Number(0)));
        operate(i, batch, columns, [&](const auto& view, const Item& item, auto outer, auto inner) {
            // the transpose of reading one of two equal numbers of a field
            auto half = [&](int n) { return transposed && !view.mean(n) ? 0.5 : 1; };
            if (item.kind == Kind::wind)
                view.wind_in(
                    outer(item.first), outer(item.second),
                    [&](int n) { return transposed ? 0.5 : view.inverse_laplacian(n); }, inner(0),
                    inner(1));
            else
                view.copy(outer(item.first), inner(0), half);
            if (item.kind == Kind::gradient && item.north)
                view.north_in(outer(item.first), inner(1));
        });
        wave_ahead(i + threads, batch, side, mine.ahead);
        for (int cell = 0; cell < batch.cells; ++cell) {
            Lanes* const z = columns + cell * along_y.packs();
            along_y.backward(z, mine.ahead);
            for (int j = 0; j < plane.rows; ++j) {
                Lanes* const to = entry(side, i, j, 2 * batch.cells, cell);
                to[0] = z[2 * j], to[1] = z[2 * j + 1];
            }
        }
    }
}

template <class Number> void BiFourier<Number>::to_waves(const Batch& batch, Side& side, Way way) {
    TimedRegion timer(columns_transform(), this->spent.within);
    const bool transposed = way == Way::inverse_adjoint;
    using Kind = Item::Kind;
#pragma omp parallel for schedule(dynamic) num_threads(threads_of(scratch.size()))
    for (std::size_t i = 0; i < distribution.own_waves.size(); ++i) {
        Scratch& mine = scratch[omp_get_thread_num()];
        Lanes* const columns = mine.columns.data();
        wave_ahead(i + threads, batch, side, mine.ahead);
        for (int cell = 0; cell < batch.cells; ++cell) {
            Lanes* const z = columns + cell * along_y.packs();
            for (int j = 0; j < plane.rows; ++j) {
                const Lanes* const from = entry(side, i, j, 2 * batch.cells, cell);
                z[2 * j] = from[0], z[2 * j + 1] = from[1];
            }
            along_y.forward(z, mine.ahead);
        }
        operate(i, batch, columns, [&](const auto& view, const Item& item, auto outer, auto inner) {
            auto both = [&](int n) { return transposed && !view.mean(n) ? 2. : 1.; };
            if (item.kind == Kind::wind)
                view.curl_out(
                    inner(0), inner(1),
                    [&](int n) { return transposed ? 2 * view.inverse_laplacian(n) : 1; },
                    outer(item.first), outer(item.second));
            else if (item.kind == Kind::gradient && (item.east || item.north))
                view.gradient_out(inner(0), inner(1), inner(2), outer(item.first), both);
            else
                view.copy(inner(0), outer(item.first), both);
        });
    }
}

template class BiFourier<float>;
template class BiFourier<double>;

}  // namespace fathom
