#include "trajectory/give_back.hpp"
#include <algorithm>
#include <cstring>

namespace fathom {

template <class T>
GiveBack<T>::GiveBack(MPI_Comm comm, const Decomposition& d, int halo, const Influence<T>& from)
    : comm(comm),
      ranks(d.ranks),
      halo(halo),
      longest(*std::ranges::max_element(from.points)),
      influence(from),
      owners(from.ny) {
    MPI_Comm_rank(comm, &rank);
    for (auto& b : d.blocks)
        for (int j = b.j0; b.owner >= 0 && j < b.j0 + b.ny; ++j)
            if (b.i0 < from.points[j])
                owners[j].push_back({b.i0, std::min(b.i0 + b.nx, from.points[j]), b.owner});
}

/// Of its arrival point on the globe.
template <class T> std::int64_t GiveBack<T>::number(const Point& p) const {
    return (std::int64_t(p.of.row) * influence.levels + p.of.level) * longest + p.of.column;
}

/// The ranks that own any of the points around.
template <class T> std::vector<bool> GiveBack<T>::reached(const Point& p) const {
    std::vector<bool> all(ranks);
    const int below = influence.row_of(p.of);
    for (int b = 0; b < 4; ++b) {
        const int row = below - 1 + b, j = influence.row_across(row), n = influence.points[j];
        const int first =
            influence.along(p.of, row, Interpolation::linear).i - 1 + (j == row ? 0 : n / 2);
        for (int m = 0; m < 4; ++m)
            for (auto& part : owners[j])
                if (const int i = (first + m + n) % n; i >= part.i0 && i < part.i1)
                    all[part.owner] = true;
    }
    return all;
}

/// All points that reach this rank, in their order on the globe.
template <class T>
std::vector<typename GiveBack<T>::Point> GiveBack<T>::exchange(
    const std::vector<Point>& own) const {
    std::vector<std::vector<Point>> to(ranks);
    for (auto& p : own) {
        const auto all = reached(p);
        for (int r = 0; r < ranks; ++r)
            if (all[r]) to[r].push_back(p);
    }
    std::vector<int> sends(ranks), receives(ranks), first_sent(ranks + 1), first_got(ranks + 1);
    std::vector<Point> outgoing;
    for (int r = 0; r < ranks; ++r) {
        sends[r] = int(to[r].size() * sizeof(Point));
        first_sent[r + 1] = first_sent[r] + sends[r];
        outgoing.insert(outgoing.end(), to[r].begin(), to[r].end());
    }
    MPI_Alltoall(sends.data(), 1, MPI_INT, receives.data(), 1, MPI_INT, comm);
    for (int r = 0; r < ranks; ++r) first_got[r + 1] = first_got[r] + receives[r];
    std::vector<Point> all(first_got[ranks] / sizeof(Point));
    MPI_Alltoallv(outgoing.data(), sends.data(), first_sent.data(), MPI_BYTE, all.data(),
                  receives.data(), first_got.data(), MPI_BYTE, comm);
    return all;
}

/// What reaches each row of the globe, in the order of the points.
template <class T>
std::vector<std::vector<typename GiveBack<T>::Reach>> GiveBack<T>::by_row(
    const std::vector<Point>& all, Interpolation kind) const {
    std::vector<std::vector<Reach>> rows(influence.ny);
    const int rim = kind == Interpolation::linear;
    for (std::size_t n = 0; n < all.size(); ++n) {
        const int j = influence.row_of(all[n].of);
        for (int b = rim; b < 4 - rim; ++b)
            rows[influence.row_across(j - 1 + b)].push_back({int(n), b});
    }
    return rows;
}

template <class T>
void GiveBack<T>::add(std::vector<Point> own, Interpolation kind, bool vector,
                      std::span<const FieldSlab> to) {
    auto all = ranks > 1 ? exchange(own) : std::move(own);
    const auto place = [&](const Point& p) { return number(p); };
    if (!std::ranges::is_sorted(all, {}, place)) std::ranges::sort(all, {}, place);
    const auto rows = by_row(all, kind);
    std::vector<std::pair<int, int>> mine;  // block, row of it
    for (std::size_t b = 0; b < influence.blocks.size(); ++b)
        for (int r = 0; r < influence.blocks[b].ny; ++r) mine.emplace_back(int(b), r);
#pragma omp parallel for schedule(dynamic, 1)
    for (std::size_t n = 0; n < mine.size(); ++n) {
        const auto [b, r] = mine[n];
        add_row(b, r, rows[influence.blocks[b].j0 + r], all, kind, vector, to);
    }
}

template <class T>
void GiveBack<T>::add_row(int block, int row, const std::vector<Reach>& list,
                          const std::vector<Point>& all, Interpolation kind, bool vector,
                          std::span<const FieldSlab> to) const {
    using Four = typename Influence<T>::Four;
    const auto& b = influence.blocks[block];
    const int j = b.j0 + row, n = influence.points[j], end = std::min(b.i0 + b.nx, n);
    for (const Reach& reach : list) {
        const Point& p = all[reach.point];
        const auto near = influence.around_of(p.of, kind);
        const bool across = near.j - 1 + reach.row != j, turned = across && vector;
        influence.each_level(kind, p.of, near, reach.row, [&](int level, int first, Four weights) {
            first = (first + (across ? n / 2 : 0) + n) % n;
            const bool whole = first >= b.i0 && first + 4 <= end;
            for (std::size_t f = 0; f < to.size(); ++f) {
                T* x = (T*)to[f].at[block] + (row + halo) * to[f].row[block] +
                       level * to[f].level[block] - b.i0 + halo;
                const Four given = weights * (turned && f < 2 ? -p.value[f] : p.value[f]);
                if (whole) {
                    Four sum;
                    std::memcpy(&sum, x + first, sizeof sum);
                    sum += given;
                    std::memcpy(x + first, &sum, sizeof sum);
                } else
                    for (int m = 0; m < 4; ++m)
                        if (const int i = (first + m) % n; i >= b.i0 && i < end) x[i] += given[m];
            }
        });
    }
}

template class GiveBack<double>;
template class GiveBack<float>;

}  // namespace fathom
