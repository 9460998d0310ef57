#include "semi_lagrangian/adjoint/give_back.hpp"
#include <algorithm>
#include <cstring>
#include <tuple>
#include "parallel/meeting.hpp"
#include "semi_lagrangian/adjoint/points_around_plane.hpp"
#include "semi_lagrangian/adjoint/points_around_sphere.hpp"

namespace fathom {

template <class Rows>
GiveBack<Rows>::GiveBack(MPI_Comm comm, const Decomposition& d, Rows& rows)
    : comm(comm), ranks(d.ranks), around(rows), owners(rows.ny) {
    MPI_Comm_rank(comm, &rank);
    for (auto& b : d.blocks)
        for (int j = b.j0; b.owner >= 0 && j < std::min(b.j0 + b.ny, rows.ny); ++j)
            if (b.i0 < rows.points[j])
                owners[j].push_back({b.i0, std::min(b.i0 + b.nx, rows.points[j]), b.owner});
    for (int j = -rows.beyond; j < rows.ny + rows.beyond; ++j)
        wanted.push_back(std::ranges::any_of(owners[rows.row_across(j)],
                                             [&](const Part& p) { return p.owner == rank; }));
}

/// The ranks that own any of the points around.
template <class Rows>
void GiveBack<Rows>::mark(const Trajectory& t, std::vector<char>& reached) const {
    const int below = around.row_of(t.y);
    for (int row = below - 1; row < below + 3; ++row) {
        const auto& parts = owners[around.row_across(row)];
        around.each_column(t, row, [&](int i) {
            for (auto& part : parts)
                if (i >= part.i0 && i < part.i1) reached[part.owner] = true;
        });
    }
}

template <class Rows>
typename GiveBack<Rows>::Points GiveBack<Rows>::here(const Points& own, const Ways& ways) const {
    return ranks == 1 ? own : Points{{ways.here.data()}, 0};
}
/// The index of the coordinate x of its first point.
template <class Rows> std::size_t GiveBack<Rows>::place(const Piece& p, const Points& from) {
    return p.first * from.number + (p.point - p.first);
}

/// A piece, divided by the bands of its departure points.
template <class Rows>
void GiveBack<Rows>::cut(const Piece& whole, const Points& numbers,
                         std::vector<std::vector<Piece>>& bands) const {
    std::vector<T> scratch(whole.count);
    const T* y =
        numbers.numbers.get(place(whole, numbers) + whole.stride, whole.count, scratch.data());
    const auto band_of = [&](int n) { return (around.row_of(y[n]) + 1) / band; };
    for (int n = 0; n < whole.count;) {
        const int of = band_of(n), first = n;
        while (n < whole.count && band_of(n) == of) ++n;
        Piece p = whole;
        p.column += first, p.point += first, p.count = n - first;
        bands[of].push_back(p);
    }
}

/// Arrival row, level, column of a point, and its departure point.
template <class T> struct Traveller {
    int row, level, column;
    T x, y, z;
};

template <class Rows>
void GiveBack<Rows>::travel(const Points& own, Ways& ways, std::vector<Piece>& pieces) const {
    std::vector<std::vector<Traveller<T>>> to(ranks);
    std::vector<std::vector<int>> which(ranks);
    std::vector<char> reached(ranks);
    int point = 0;
    for (auto& item : around.items) {
        const auto& b = around.blocks[item.block];
        T scratch[3 * Rows::tile];
        const T* places = own.numbers.get(std::size_t(point) * own.number, 3 * item.count, scratch);
        for (int n = 0; n < item.count; ++n) {
            const T* at = places + n;
            const Traveller<T> t{b.j0 + item.row, item.level,     b.i0 + item.column + n,
                                 at[0],           at[item.count], at[2 * item.count]};
            std::ranges::fill(reached, false);
            mark({t.row, t.column, t.x, t.y, t.z}, reached);
            for (int r = 0; r < ranks; ++r)
                if (reached[r]) to[r].push_back(t), which[r].push_back(point + n);
        }
        point += item.count;
    }
    ways.sends.assign(ranks, 0), ways.receives.assign(ranks, 0), ways.sent.clear();
    std::vector<int> sends(ranks), receives(ranks), first_sent(ranks + 1), first_got(ranks + 1);
    std::vector<Traveller<T>> outgoing;
    for (int r = 0; r < ranks; ++r) {
        ways.sends[r] = int(to[r].size()), sends[r] = int(to[r].size() * sizeof(Traveller<T>));
        first_sent[r + 1] = first_sent[r] + sends[r];
        outgoing.insert(outgoing.end(), to[r].begin(), to[r].end());
        ways.sent.insert(ways.sent.end(), which[r].begin(), which[r].end());
    }
    MPI_Alltoall(sends.data(), 1, MPI_INT, receives.data(), 1, MPI_INT, comm);
    for (int r = 0; r < ranks; ++r) {
        first_got[r + 1] = first_got[r] + receives[r];
        ways.receives[r] = int(receives[r] / sizeof(Traveller<T>));
    }
    std::vector<Traveller<T>> all(first_got[ranks] / sizeof(Traveller<T>));
    MPI_Alltoallv(outgoing.data(), sends.data(), first_sent.data(), MPI_BYTE, all.data(),
                  receives.data(), first_got.data(), MPI_BYTE, comm);
    const std::size_t count = all.size();
    ways.here.resize(3 * count);
    for (std::size_t n = 0; n < count; ++n) {
        const auto& t = all[n];
        ways.here[n] = t.x, ways.here[count + n] = t.y, ways.here[2 * count + n] = t.z;
        Piece* last = pieces.empty() ? nullptr : &pieces.back();
        if (last && last->row == t.row && last->level == t.level &&
            last->column + last->count == t.column)
            ++last->count;
        else
            pieces.push_back({t.row, t.level, t.column, 1, int(count), 0, n});
    }
}

template <class Rows> void GiveBack<Rows>::find(const Points& own, Ways& ways) const {
    std::vector<Piece> pieces;
    if (ranks == 1) {
        std::size_t point = 0;
        for (auto& item : around.items) {
            const auto& b = around.blocks[item.block];
            pieces.push_back({b.j0 + item.row, item.level, b.i0 + item.column, item.count,
                              item.count, point, point});
            point += item.count;
        }
    } else
        travel(own, ways, pieces);
    const auto place = [](const Piece& p) { return std::tuple(p.row, p.level, p.column); };
    if (!std::ranges::is_sorted(pieces, {}, place)) std::ranges::sort(pieces, {}, place);
    std::vector<std::vector<Piece>> bands((around.ny + band) / band + 1);
    for (auto& p : pieces) cut(p, here(own, ways), bands);
    ways.pieces.clear(), ways.bands.assign(1, 0);
    for (auto& of : bands) {
        ways.pieces.insert(ways.pieces.end(), of.begin(), of.end());
        ways.bands.push_back(ways.pieces.size());
    }
}

template <class Rows>
template <Interpolation kind>
void GiveBack<Rows>::add_band(const Ways& ways, int number, const Points& from,
                              const T* values) const {
    for (std::size_t n = ways.bands[number]; n < ways.bands[number + 1]; ++n) {
        const Piece& p = ways.pieces[n];
        constexpr int tile = Rows::tile;
        T scratch[3][tile];
        for (int i = 0; i < p.count; i += tile) {
            const int count = std::min(tile, p.count - i);
            const auto coordinate = [&](int d) {
                return from.numbers.get(place(p, from) + i + d * std::size_t(p.stride), count,
                                        scratch[d]);
            };
            around.template give<kind>(
                {p.row, p.column + i, count, coordinate(0), coordinate(1), coordinate(2)},
                values + 4 * (p.point + i), wanted);
        }
    }
}

/// Sends four values of each own point to the ranks whose rows it reaches; returns those received.
template <class Rows>
auto GiveBack<Rows>::exchange(const Ways& ways, const std::vector<T>& values) -> const T* {
    if (ranks == 1) return values.data();
    static const Region travel("values at departure points", "", "exchange");
    const Within within(travel);
    std::vector<int> sends(ranks), receives(ranks), first_sent(ranks + 1), first_got(ranks + 1);
    Meetings::Partners partners;
    double bytes = 0;
    for (int r = 0; r < ranks; ++r) {
        sends[r] = int(4 * ways.sends[r] * sizeof(T));
        receives[r] = int(4 * ways.receives[r] * sizeof(T));
        first_sent[r + 1] = first_sent[r] + sends[r];
        first_got[r + 1] = first_got[r] + receives[r];
        if (r != rank && sends[r]) partners.to.push_back(r), bytes += sends[r];
        if (r != rank && receives[r]) partners.from.push_back(r);
    }
    outgoing.resize(4 * ways.sent.size());
    for (std::size_t n = 0; n < ways.sent.size(); ++n)
        std::memcpy(&outgoing[4 * n], &values[4 * ways.sent[n]], 4 * sizeof(T));
    arrived.resize(first_got[ranks] / sizeof(T));
    const double began = seconds_now();
    MPI_Alltoallv(outgoing.data(), sends.data(), first_sent.data(), MPI_BYTE, arrived.data(),
                  receives.data(), first_got.data(), MPI_BYTE, comm);
    const long messages = long(partners.to.size());
    meetings.note(comm, meetings.partners(std::move(partners)), began, began, seconds_now(), 0,
                  messages, bytes);
    return arrived.data();
}

static const Region& giving() {
    static const Region here("giving back");
    return here;
}

template <class Rows> void GiveBack<Rows>::begin() {
    const Within within(giving());
    clear(around, wanted);
}
template <class Rows>
void GiveBack<Rows>::give(const Points& own, const Ways& ways, const std::vector<T>& values,
                          Interpolation kind) {
    const Within within(giving(), 0);
    const T* given = exchange(ways, values);
    const int bands = int(ways.bands.size()) - 1;
    const Points from = here(own, ways);
    for (int odd = 0; odd < 2; ++odd) {
#pragma omp parallel for schedule(dynamic, 1)
        for (int b = odd; b < bands; b += 2)
            kind == Interpolation::linear ? add_band<Interpolation::linear>(ways, b, from, given)
                                          : add_band<Interpolation::cubic>(ways, b, from, given);
    }
}
template <class Rows>
void GiveBack<Rows>::finish(bool vector, bool mapped, std::span<const FieldSlab> to) {
    const Within within(giving(), 0);
    fold(around, wanted, vector);
    add_to(around, to, mapped);
}

template class GiveBack<SphereAround<double>>;
template class GiveBack<SphereAround<float>>;
template class GiveBack<PlaneAround<double>>;
template class GiveBack<PlaneAround<float>>;

}  // namespace fathom
