#include "solver/helmholtz/separable.hpp"
#include <cmath>
#include <numbers>
#include "base/error.hpp"
#include "machine/region.hpp"
#include "parallel/meeting.hpp"
#include "solver/helmholtz/packs.hpp"
#include "solver/tridiagonal_modes.hpp"

namespace fathom {

template <class T>
SeparableSolver<T>::SeparableSolver(const Domain& d)
    : domain(d),
      nx(d.decomposition.topology.nx),
      ny(d.decomposition.topology.ny),
      levels(d.levels),
      waves(nx / 2 + 1),
      ranks(d.decomposition.ranks),
      joined(d.decomposition.topology.periodic_j),
      fourier(nx) {
    if (!d.decomposition.topology.periodic || nx < 4)
        throw Error("the separable preconditioner needs rows that are periodic, of 4 points");
    for (int r = 0; r <= ranks; ++r) first_mode.push_back(int(std::size_t(levels) * r / ranks));
    for (auto* b : d.blocks) first_own.push_back(own), own += std::size_t(b->nx) * b->ny;
    local.resize(own * levels);
    planes.resize(std::size_t(own_modes()) * nx * ny);
    spectra.resize(std::size_t(2) * waves * ny);
    to_modes.resize(levels * levels), from_modes.resize(levels * levels);
    factor.resize(std::size_t(own_modes()) * ny * waves), above.resize(factor.size());
    below.resize(ny);
    if (!joined) return;
    ring.resize(factor.size()), share.resize(std::size_t(own_modes()) * waves);
    across.resize(waves);
}

template <class T> void SeparableSolver<T>::renew(const SeparableColumns& c) {
    std::vector<double> eigenvalues(levels);
    vertical_modes(c, eigenvalues);
    rows_of(c, eigenvalues);
}

/// V = G S / G with S symmetric, G_k+1 / G_k = sqrt(V_k+1,k / V_k,k+1); S = Q lambda Q'.
template <class T>
void SeparableSolver<T>::vertical_modes(const SeparableColumns& c,
                                        std::vector<double>& eigenvalues) {
    const int K = levels;
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
    for (int m = 0; m < K; ++m) {
        eigenvalues[m] = S.diagonal[m];
        for (int k = 0; k < K; ++k) {
            const double q = S.modes[m * K + k];
            to_modes[m * K + k] = T(q / (G[k] * c.face[k]));
            from_modes[k * K + m] = T(q * G[k]);
        }
    }
}

/// The factors of the tridiagonal matrices (Thomas).
template <class T>
void SeparableSolver<T>::rows_of(const SeparableColumns& c,
                                 const std::vector<double>& eigenvalues) {
    const std::size_t plane = std::size_t(ny) * waves;
    std::vector<double> along(waves), before(waves), corner(waves);
    for (int m = 0; m < waves; ++m) {
        const double sine = std::sin(std::numbers::pi * m / nx);
        along[m] = 4 * sine * sine;
    }
    // of the first and last row, if rows are joined: contribution of the matrix's corners
    const auto of_corner = [&](int j, double south, double north, double centre, double& share) {
        if (j == 0) share = south / centre;
        return j == 0 ? centre : j + 1 == ny ? north * share : 0;
    };
    for (int l = 0; l < own_modes(); ++l) {
        std::fill(before.begin(), before.end(), 0);
        const double eigenvalue = eigenvalues[first_mode[domain.rank] + l];
        for (int j = 0; j < ny; ++j) {
            const double south = across_face(c, j, j - 1), north = across_face(c, j, j),
                         east = c.per_area[j] * c.east[j], own = eigenvalue + south + north,
                         inner = j ? south : 0, outer = j + 1 < ny ? north : 0;
            below[j] = T(inner);
            T *f = &factor[l * plane + std::size_t(j) * waves],
              *a = &above[l * plane + std::size_t(j) * waves];
            for (int m = 0; m < waves; ++m) {
                double centre = own + along[m] * east;
                if (joined) centre += of_corner(j, south, north, centre, corner[m]);
                const double inverse = 1 / (centre - inner * before[m]);
                before[m] = outer * inverse;
                f[m] = T(inverse), a[m] = T(before[m]);
            }
        }
        if (joined) join(l, corner, across_face(c, 0, -1), across_face(c, ny - 1, ny - 1));
    }
}

/// The coefficient of a row for the face north of row `face`; the first row's south face is -1.
template <class T>
double SeparableSolver<T>::across_face(const SeparableColumns& c, int row, int face) const {
    const bool outermost = face < 0 || face == ny - 1;
    return outermost && !joined ? 0 : c.per_area[row] * c.north[(face + ny) % ny];
}

/// The address of the first own point of a row of a slab.
template <class T> static const T* row_at(const FieldSlab& f, int b, int row, int level, int halo) {
    return (const T*)f.at[b] + (row + halo) * f.row[b] + level * f.level[b] + halo;
}

/// to_k = sum over l of matrix_kl from_l, at the points of a register, a few sums at a time;
/// from(l), to(k): the first point.
template <class Real, class T, class From, class To>
static void times(const std::vector<T>& matrix, int levels, From from, To to) {
    constexpr int together = 8;
    for (int k0 = 0; k0 < levels; k0 += together) {
        Real sum[together];
        const T* row[together];
        for (int n = 0; n < together; ++n) {
            sum[n] = Real(T(0));
            row[n] = &matrix[std::size_t(std::min(k0 + n, levels - 1)) * levels];
        }
        for (int l = 0; l < levels; ++l) {
            const Real x = Real::load(from(l));
            for (int n = 0; n < together; ++n) sum[n] = fma(Real(row[n][l]), x, sum[n]);
        }
        for (int n = 0; n < std::min(together, levels - k0); ++n) sum[n].store(to(k0 + n));
    }
}
template <class T, class From, class To>
static void times_row(const std::vector<T>& matrix, int levels, int count, From from, To to) {
    each_pack<T>(count, [&]<class Real>(Real, int i) {
        times<Real>(
            matrix, levels, [&](int l) { return from(l) + i; }, [&](int k) { return to(k) + i; });
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
    std::vector<int> points(ranks), give(ranks), take(ranks), give_at(ranks), take_at(ranks);
    const auto each_block = [&](int rank, auto body) {
        for (auto* b : domain.decomposition.of(rank)) body(*b);
    };
    std::size_t all = 0;
    for (int r = 0; r < ranks; ++r) {
        each_block(r, [&](const Block& b) { points[r] += b.nx * b.ny; });
        give[r] = int(own) * modes_of(r) * int(sizeof(T));
        take[r] = points[r] * own_modes() * int(sizeof(T));
        give_at[r] = r ? give_at[r - 1] + give[r - 1] : 0;
        take_at[r] = int(all * sizeof(T));
        all += std::size_t(points[r]) * own_modes();
    }
    const bool alone = ranks == 1;
    if (!alone) arrived.resize(all);
    // [rank][mode][its own points]
    T* const there = alone ? local.data() : arrived.data();
    const auto sort = [&](auto move) {
        const T* from = there;
        for (int r = 0; r < ranks; ++r)
            for (int l = 0; l < own_modes(); ++l)
                each_block(r, [&](const Block& b) {
                    for (int j = 0; j < b.ny; ++j, from += b.nx)
                        move(const_cast<T*>(from),
                             &planes[(std::size_t(l) * ny + b.j0 + j) * nx + b.i0], b.nx);
                });
    };
    const auto travel = [&](void* out, std::vector<int>& counts, std::vector<int>& at, void* in,
                            std::vector<int>& counts_in, std::vector<int>& at_in) {
        if (alone) return;
        Meet meet(domain.comm, double(own * levels * sizeof(T)));
        MPI_Alltoallv(out, counts.data(), at.data(), MPI_BYTE, in, counts_in.data(), at_in.data(),
                      MPI_BYTE, domain.comm);
    };
    if (to_planes) {
        travel(local.data(), give, give_at, arrived.data(), take, take_at);
        sort([](T* a, T* plane, int n) { std::copy_n(a, n, plane); });
    } else {
        sort([](T* a, T* plane, int n) { std::copy_n(plane, n, a); });
        travel(arrived.data(), take, take_at, local.data(), give, give_at);
    }
}

/// Rows of a plane <-> waves [row][wave] and, behind them, their imaginary parts; as many rows at
/// once as a register holds. The shortest wave of an even row has no imaginary part.
template <class T> void SeparableSolver<T>::along_rows(int mode, bool direct) {
    using Lanes = Register<T>;
    T *plane = &planes[std::size_t(mode) * nx * ny], *real = spectra.data(),
      *imaginary = real + std::size_t(waves) * ny;
    const bool even = nx % 2 == 0;
    const int most = (nx - 1) / 2;
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
            Lanes shortest(T(0));
            if (direct) {
                for (int i = 0; i < nx; ++i) {
                    points[i] = gather(plane, nx, i);
                    shortest = i % 2 ? shortest - points[i] : shortest + points[i];
                }
                fourier.direct(
                    most,
                    [&](int m, Lanes re, Lanes im) {
                        scatter(re, real, waves, m), scatter(im, imaginary, waves, m);
                    },
                    points.data(), nothing);
                if (even) {
                    scatter(shortest, real, waves, nx / 2);
                    scatter(Lanes(T(0)), imaginary, waves, nx / 2);
                }
                continue;
            }
            if (even) shortest = gather(real, waves, nx / 2);
            fourier.inverse(
                most,
                [&](int m) {
                    return typename Fourier<T>::Coefficient{gather(real, waves, m),
                                                            gather(imaginary, waves, m)};
                },
                points.data(), nothing);
            const Lanes scale(T(1. / nx));
            for (int i = 0; i < nx; ++i)
                scatter(scale * (i % 2 ? points[i] - shortest : points[i] + shortest), plane, nx,
                        i);
        }
    }
}

/// Forward and backward through the rows of a plane of waves (Thomas).
template <class T> void SeparableSolver<T>::eliminate(int mode, T* y) const {
    const std::size_t plane = std::size_t(ny) * waves;
    const T *f = &factor[mode * plane], *a = &above[mode * plane];
    for (int m = 0; m < waves; ++m) y[m] *= f[m];
    for (int j = 1; j < ny; ++j) {
        T* row = y + std::size_t(j) * waves;
        const T *before = row - waves, *own = f + std::size_t(j) * waves;
        for (int m = 0; m < waves; ++m) row[m] = own[m] * (row[m] + below[j] * before[m]);
    }
    for (int j = ny - 2; j >= 0; --j) {
        T* row = y + std::size_t(j) * waves;
        const T *after = row + waves, *share = a + std::size_t(j) * waves;
        for (int m = 0; m < waves; ++m) row[m] += share[m] * after[m];
    }
}

/// The matrix is T + u v', u = (-b_0, 0 ..., -north_last), v = (1, 0 ..., corner), T tridiagonal:
/// ring = T^-1 u / (1 + v' T^-1 u), and x = y - ring v' y.
template <class T>
void SeparableSolver<T>::join(int mode, const std::vector<double>& corner, double south,
                              double north) {
    const std::size_t plane = std::size_t(ny) * waves;
    T* z = &ring[mode * plane];
    std::fill_n(z, plane, T(0));
    for (int m = 0; m < waves; ++m) z[m] = T(-south / corner[m]), z[plane - waves + m] = T(-north);
    eliminate(mode, z);
    for (int m = 0; m < waves; ++m) {
        const T c = share[std::size_t(mode) * waves + m] = T(corner[m]);
        const T scale = 1 / (1 + z[m] + c * z[plane - waves + m]);
        for (int j = 0; j < ny; ++j) z[std::size_t(j) * waves + m] *= scale;
    }
}

template <class T> void SeparableSolver<T>::across_rows(int mode) {
    const std::size_t plane = std::size_t(ny) * waves;
    for (T* y : {spectra.data(), spectra.data() + plane}) {
        eliminate(mode, y);
        if (!joined) continue;
        const T *z = &ring[mode * plane], *corner = &share[std::size_t(mode) * waves];
        for (int m = 0; m < waves; ++m) across[m] = y[m] + corner[m] * y[plane - waves + m];
        for (int j = 0; j < ny; ++j)
            for (int m = 0; m < waves; ++m) {
                const std::size_t n = std::size_t(j) * waves + m;
                y[n] -= z[n] * across[m];
            }
    }
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
