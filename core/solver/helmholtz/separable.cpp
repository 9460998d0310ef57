#include "solver/helmholtz/separable.hpp"
#include <cmath>
#include <numbers>
#include "base/error.hpp"
#include "machine/region.hpp"
#include "parallel/meeting.hpp"
#include "solver/helmholtz/packs.hpp"
#include "solver/tridiagonal_modes.hpp"

namespace fathom {

void check_separable(const Topology& t) {
    if (!t.periodic || t.nx < 4)
        throw Error("the separable preconditioner needs rows that are periodic, of 4 points");
}

SeparableRanks::SeparableRanks(const Domain& d)
    : rank(d.rank),
      ranks(d.decomposition.ranks),
      first_mode(ranks + 1),
      first_point(ranks + 1),
      own_side(ranks + 1),
      whole_side(ranks + 1) {
    for (int r = 0; r <= ranks; ++r) first_mode[r] = int(std::size_t(d.levels) * r / ranks);
    for (int r = 0; r < ranks; ++r) {
        first_point[r + 1] = first_point[r];
        for (auto* b : d.decomposition.of(r)) first_point[r + 1] += std::ptrdiff_t(b->nx) * b->ny;
    }
    for (int r = 0; r <= ranks; ++r) {
        own_side[r] = own_points() * first_mode[r];
        whole_side[r] = first_point[r] * own_modes();
    }
}

template <class T>
SeparableSolver<T>::SeparableSolver(const Domain& d)
    : domain(d),
      nx(d.decomposition.topology.nx),
      ny(d.decomposition.topology.ny),
      levels(d.levels),
      waves(nx / 2 + 1),
      ranks(d),
      joined(d.decomposition.topology.periodic_j),
      own(ranks.own_points()),
      fourier(nx) {
    check_separable(d.decomposition.topology);
    std::size_t first = 0;
    for (auto* b : d.blocks) first_own.push_back(first), first += std::size_t(b->nx) * b->ny;
    local.resize(own * levels);
    planes.resize(std::size_t(own_modes()) * nx * ny);
    spectra.resize(std::size_t(2) * waves * ny);
    factor.resize(std::size_t(own_modes()) * ny * waves), above.resize(factor.size());
    below.resize(ny);
    if (!joined) return;
    ring.resize(factor.size()), share.resize(std::size_t(own_modes()) * waves);
    across.resize(waves);
}

/// V = G S / G with S symmetric, G_k+1 / G_k = sqrt(V_k+1,k / V_k,k+1); S = Q lambda Q'.
SeparableModes::SeparableModes(const SeparableColumns& c, bool joined)
    : to_modes(c.up.size() * c.up.size()), from_modes(to_modes.size()) {
    const int K = int(c.up.size()), ny = int(c.per_area.size());
    TridiagonalModes S(K);
    std::vector<double> G(K, 1);
    for (int k = 0; k < K; ++k) {
        S.diagonal[k] = c.centre[k] / c.face[k];
        if (k + 1 == K) break;
        const double down = c.down[k] / c.face[k], up = c.up[k + 1] / c.face[k + 1];
        if (!(down * up > 0))
            throw Error("the mean air of layers ", k, " and ", k + 1,
                        " has no vertical modes: the state has gone bad, or layers are too thick "
                        "for a separable preconditioner, and lines would solve the equation");
        S.beside[k] = -std::sqrt(down * up);
        G[k + 1] = G[k] * std::sqrt(up / down);
    }
    S.solve();
    eigenvalues = S.diagonal;
    for (int m = 0; m < K; ++m)
        for (int k = 0; k < K; ++k) {
            const double q = S.modes[m * K + k];
            to_modes[m * K + k] = q / (G[k] * c.face[k]);
            from_modes[k * K + m] = q * G[k];
        }
    const auto across = [&](int row, int face) {  // the face north of row `face`
        const bool outermost = face < 0 || face == ny - 1;
        return outermost && !joined ? 0 : c.per_area[row] * c.north[(face + ny) % ny];
    };
    for (int j = 0; j < ny; ++j)
        rows.push_back({across(j, j - 1), across(j, j), c.per_area[j] * c.east[j]});
}

std::vector<double> separable_waves(int nx) {
    std::vector<double> along;
    for (int m = 0; m <= nx / 2; ++m) {
        const double sine = std::sin(std::numbers::pi * m / nx);
        along.push_back(4 * sine * sine);
    }
    return along;
}

template <class T> void SeparableSolver<T>::renew(const SeparableColumns& c) {
    const SeparableModes modes(c, joined);
    to_modes.assign(modes.to_modes.begin(), modes.to_modes.end());
    from_modes.assign(modes.from_modes.begin(), modes.from_modes.end());
    factorise(modes);
}

/// The factors of the tridiagonal matrices.
template <class T> void SeparableSolver<T>::factorise(const SeparableModes& modes) {
    const std::size_t plane = std::size_t(ny) * waves;
    const std::vector<double> along = separable_waves(nx);
    std::vector<double> before(waves), corner(waves);
    const SeparableFactors<T> factors{ny, joined};
    for (int j = 0; j < ny; ++j) below[j] = T(factors.south(modes.rows[j], j));
    for (int l = 0; l < own_modes(); ++l) {
        std::fill(before.begin(), before.end(), 0);
        const double eigenvalue = modes.eigenvalues[ranks.first_mode[ranks.rank] + l];
        for (int j = 0; j < ny; ++j) {
            T *f = &factor[l * plane + std::size_t(j) * waves],
              *a = &above[l * plane + std::size_t(j) * waves];
            for (int m = 0; m < waves; ++m)
                factors.row(modes.rows[j], j, eigenvalue, along[m], before[m], corner[m], f[m],
                            a[m]);
        }
        if (joined)
            elimination(l).join(
                modes.rows[0].south, modes.rows[ny - 1].north,
                [&](std::ptrdiff_t m) { return corner[m]; }, each_wave());
    }
}

/// The address of the first own point of a row of a slab.
template <class T> static const T* row_at(const FieldSlab& f, int b, int row, int level, int halo) {
    return (const T*)f.at[b] + (row + halo) * f.row[b] + level * f.level[b] + halo;
}

/// Of all points of a row; from(l), to(k): the first.
template <class T, class From, class To>
static void times_row(const std::vector<T>& matrix, int levels, int count, From from, To to) {
    each_pack<T>(count, [&]<class Real>(Real, int i) {
        for (int k = 0; k < levels; k += separable_together)
            separable_product<Real>(
                matrix.data(), levels, k, [&](int l) { return from(l) + i; },
                [&](int k) { return to(k) + i; });
    });
}

template <class T> template <class Body> void SeparableSolver<T>::each_row(Body body) const {
    for (int b = 0; b < int(domain.blocks.size()); ++b)
#pragma omp parallel for schedule(static)
        for (int row = 0; row < domain.blocks[b]->ny; ++row) {
            const int count = domain.blocks[b]->nx;
            body(b, row, count, first_own[b] + std::size_t(row) * count);
        }
}
template <class T> void SeparableSolver<T>::project(const FieldSlab& from, int halo) {
    each_row([&](int b, int row, int count, std::size_t first) {
        times_row(
            to_modes, levels, count, [&](int k) { return row_at<T>(from, b, row, k, halo); },
            [&](int l) { return &local[l * own + first]; });
    });
}
template <class T> void SeparableSolver<T>::compose(const FieldSlab& to, int halo) const {
    each_row([&](int b, int row, int count, std::size_t first) {
        times_row(
            from_modes, levels, count, [&](int l) { return &local[l * own + first]; },
            [&](int k) { return const_cast<T*>(row_at<T>(to, b, row, k, halo)); });
    });
}

/// Modes of own points <-> own modes of all points: one message between each two ranks.
template <class T> void SeparableSolver<T>::transpose(bool to_planes) {
    static const Region here("transposition", "", "exchange");
    Within within(here);
    struct Pieces {
        std::vector<int> count, at;
        explicit Pieces(const std::vector<std::ptrdiff_t>& begins) {
            for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
                at.push_back(int(begins[r]));
                count.push_back(int(begins[r + 1] - begins[r]));
            }
        }
    };
    const Pieces of_own(ranks.own_side), of_whole(ranks.whole_side);
    const bool alone = ranks.ranks == 1;
    if (!alone) arrived.resize(ranks.whole_side.back());
    // [rank][mode][its own points]
    T* const there = alone ? local.data() : arrived.data();
    const auto sort = [&](auto move) {
        const T* from = there;
        for (int r = 0; r < ranks.ranks; ++r)
            for (int l = 0; l < own_modes(); ++l)
                for (auto* b : domain.decomposition.of(r))
                    for (int j = 0; j < b->ny; ++j, from += b->nx)
                        move(const_cast<T*>(from),
                             &planes[(std::size_t(l) * ny + b->j0 + j) * nx + b->i0], b->nx);
    };
    const auto travel = [&](const void* out, const Pieces& give, void* in, const Pieces& take) {
        if (alone) return;
        Meet meet(domain.comm, double(own * levels * sizeof(T)));
        const MPI_Datatype number = std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE;
        MPI_Alltoallv(out, give.count.data(), give.at.data(), number, in, take.count.data(),
                      take.at.data(), number, domain.comm);
    };
    if (to_planes) {
        travel(local.data(), of_own, arrived.data(), of_whole);
        sort([](T* a, T* plane, int n) { std::copy_n(a, n, plane); });
    } else {
        sort([](T* a, T* plane, int n) { std::copy_n(plane, n, a); });
        travel(arrived.data(), of_whole, local.data(), of_own);
    }
}

/// Rows of a plane <-> waves [row][wave] and, behind them, their imaginary parts; as many rows at
/// once as a register holds.
template <class T> void SeparableSolver<T>::along_rows(int mode, bool direct) {
    using Lanes = Register<T>;
    T *plane = &planes[std::size_t(mode) * nx * ny], *real = spectra.data(),
      *imaginary = real + std::size_t(waves) * ny;
    const SeparableAlong<Lanes> along{nx};
#pragma omp parallel
    {
        RowAhead nothing;
        nothing.clear();
        std::vector<Lanes> points(fourier.packs());
#pragma omp for schedule(static)
        for (int j0 = 0; j0 < ny; j0 += Lanes::width) {
            const int count = std::min(Lanes::width, ny - j0);
            const auto gather = [&](const T* from, std::size_t row, int n) {
                T lanes[Lanes::width] = {};
                for (int r = 0; r < count; ++r) lanes[r] = from[(j0 + r) * row + n];
                return Lanes::load(lanes);
            };
            const auto scatter = [&](Lanes x, T* to, std::size_t row, int n) {
                T lanes[Lanes::width];
                x.store(lanes);
                for (int r = 0; r < count; ++r) to[(j0 + r) * row + n] = lanes[r];
            };
            if (direct)
                along.direct(
                    [&](int i) { return gather(plane, nx, i); },
                    [&](int m, Lanes re, Lanes im) {
                        scatter(re, real, waves, m), scatter(im, imaginary, waves, m);
                    },
                    points.data(),
                    [&](int most, auto put, Lanes* a) { fourier.direct(most, put, a, nothing); });
            else
                along.inverse(
                    [&](int m) {
                        return typename Fourier<T>::Coefficient{gather(real, waves, m),
                                                                gather(imaginary, waves, m)};
                    },
                    [&](int i, Lanes x) { scatter(x, plane, nx, i); }, points.data(),
                    [&](int most, auto get, Lanes* a) { fourier.inverse(most, get, a, nothing); });
        }
    }
}

template <class T> SeparableElimination<T> SeparableSolver<T>::elimination(int mode) {
    const std::size_t plane = std::size_t(ny) * waves * mode, row = std::size_t(waves) * mode;
    return {ny,
            waves,
            &factor[plane],
            &above[plane],
            below.data(),
            joined ? &ring[plane] : nullptr,
            joined ? &share[row] : nullptr};
}
template <class T> void SeparableSolver<T>::across_rows(int mode) {
    for (int part = 0; part < 2; ++part)
        elimination(mode).solve(
            spectra.data() + std::size_t(part) * ny * waves, waves,
            [&](std::ptrdiff_t m) -> T& { return across[m]; }, each_wave());
}

template <class T>
void SeparableSolver<T>::solve(const FieldSlab& right_side, int halo_of_right_side,
                               const FieldSlab& x, int halo_of_x) {
    project(right_side, halo_of_right_side);
    transpose(true);
    {
        static const Region here("planes of vertical modes");
        Within within(here);
        for (int l = 0; l < own_modes(); ++l)
            along_rows(l, true), across_rows(l), along_rows(l, false);
    }
    transpose(false);
    compose(x, halo_of_x);
}

template class SeparableSolver<double>;
template class SeparableSolver<float>;

}  // namespace fathom
