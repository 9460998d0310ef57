#include "solver/helmholtz/columns.hpp"
#include <array>
#include <cmath>
#include "base/error.hpp"
#include "machine/region.hpp"
#include "solver/helmholtz/packs.hpp"
#include "solver/helmholtz/row_sums.hpp"

namespace fathom {

static constexpr HelmholtzChoice known[] = {
    {"lines", "a tridiagonal solve in each column"},
    {"separable", "mean columns, by vertical modes, Fourier transforms and a tridiagonal solve"},
    {"separable-lines", "the one after the other"},
    {"multigrid", "a cycle over grids of fewer columns"},
};
std::span<const HelmholtzChoice> helmholtz_preconditioners() { return known; }

template <class T> HelmholtzSolver<T>::Array::Array(const Domain& d) {
    std::size_t numbers = 16;
    slab.levels = d.levels;
    std::vector<std::size_t> begin;
    for (auto* b : d.blocks) {
        const std::ptrdiff_t columns = (b->nx + 2 + 15) / 16 * 16;
        slab.level.push_back(columns);
        slab.row.push_back(columns * d.levels);
        begin.push_back(numbers);
        numbers += std::size_t(columns) * d.levels * (b->ny + 2);
    }
    memory = Pages((numbers + 16) * sizeof(T));
    for (std::size_t first : begin) slab.at.push_back(memory.at + first * sizeof(T));
}
template <class T> T* HelmholtzSolver<T>::Array::at(int b, int row, int k) const {
    return (T*)slab.at[b] + (row + 1) * slab.row[b] + k * slab.level[b] + 1;
}

static void check(std::string_view what, const std::string& name,
                  std::span<const HelmholtzChoice> allowed) {
    std::string names;
    for (auto& one : allowed) {
        if (one.name == name) return;
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    throw Error("unknown ", what, " '", name, "'; allowed: ", names);
}

template <class T>
HelmholtzSolver<T>::HelmholtzSolver(const Domain& d, HelmholtzOptions o, int bytes_of_fields)
    : matrix(d),
      domain(d),
      options(std::move(o)),
      bytes_of_fields(bytes_of_fields),
      r(d),
      x(d),
      factor(d),
      above(d) {
    check("preconditioner", options.preconditioner, helmholtz_preconditioners());
    check("method", options.method, helmholtz_methods());
    const bool gcr = options.method == "gcr";
    for (int n = 0; n < (gcr ? restart : 3); ++n) p.emplace_back(d);
    for (int n = 0; n < (gcr ? restart : 2); ++n) q.emplace_back(d);
    halo.emplace(d.comm, d.decomposition, 1, int(sizeof(T)),
                 std::vector<Exchange::Item>{{Horizontal::center, false, 1, d.levels}}, d.exchange);
}

/// Factorises the operator of the columns.
template <class T> void HelmholtzSolver<T>::factorise() {
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k) {
            const T *e = matrix.east.at(b, row, k), *n = matrix.north.at(b, row, k),
                    *s = matrix.north.at(b, row - 1, k), *per_area = matrix.per_area.at(b, row, 0);
            const T *up = matrix.up.at(b, row, k), *down = matrix.down.at(b, row, k),
                    *centre = matrix.centre.at(b, row, k);
            T *f = factor.at(b, row, k), *a = above.at(b, row, k);
            const T* before = k ? above.at(b, row, k - 1) : a;
            for (int i = 0; i < count; ++i) {
                const T own = centre[i] + per_area[i] * (e[i] + e[i - 1] + n[i] + s[i]);
                f[i] = 1 / (own - (k ? up[i] * before[i] : T(0)));
                a[i] = down[i] * f[i];
            }
        }
    });
}

template <class T> void HelmholtzSolver<T>::ready() {
    factorise();
    if (options.preconditioner == "lines") return;
    if (options.preconditioner == "multigrid") {
        if (!left) left.emplace(domain);
        const SeparableColumns mean = mean_columns();
        return coarsen(mean.east, mean.north);
    }
    if (separable) return separable->renew(mean_columns());
    separable.emplace(domain);
    separable->renew(mean_columns());
    if (options.preconditioner == "separable-lines") left.emplace(domain);
}

/// x / per_area of every `every`-th point from the first on; x or per_area may be null: then 1.
template <class T>
static void fill(std::vector<double>& line, const T* x, const T* per_area, int first, int every) {
    for (std::size_t n = 0; n < line.size(); ++n) {
        const std::size_t i = first + n * every;
        line[n] = (x ? double(x[i]) : 1) / (per_area ? double(per_area[i]) : 1);
    }
}

/// Means over the globe of the coefficients of each layer, and of the faces in each row. Over flat
/// ground face_k east_j is the matrix itself. About 32 columns of a row represent all its columns:
/// this is enough for a preconditioner. Sums are exact.
template <class T> SeparableColumns HelmholtzSolver<T>::mean_columns() const {
    const int K = domain.levels, J = domain.decomposition.topology.ny,
              nx = domain.decomposition.topology.nx;
    struct Kind {
        const Array* of;  // null: 1
        bool by_area, of_rows;
    };
    const Kind kinds[] = {{&matrix.up, true, false},    {&matrix.centre, true, false},
                          {&matrix.down, true, false},  {nullptr, true, false},
                          {&matrix.east, false, false}, {&matrix.east, false, true},
                          {&matrix.north, false, true}, {nullptr, true, true}};
    enum { up, centre, down, area, face, east, north, area_of_row, number };
    const int every = std::max(1, nx / 32), taken = (nx + every - 1) / every;
    std::vector<double> line;
    const auto each = [&](auto body) {  // body(kind, index of the sum, values)
        for (int b = 0; b < int(domain.blocks.size()); ++b) {
            const int first = (every - domain.blocks[b]->i0 % every) % every;
            line.resize(std::max(0, domain.blocks[b]->nx - first + every - 1) / every);
            for (int row = 0; row < domain.blocks[b]->ny; ++row)
                for (int k = 0; k < K; ++k)
                    for (int n = 0; n < number; ++n) {
                        fill(line, kinds[n].of ? kinds[n].of->at(b, row, k) : nullptr,
                             kinds[n].by_area ? matrix.per_area.at(b, row, 0) : nullptr, first,
                             every);
                        body(n, kinds[n].of_rows ? domain.blocks[b]->j0 + row : k, line);
                    }
        }
    };
    std::vector<double> largest(number, 0);
    each([&](int n, int, const std::vector<double>& line) {
        for (double x : line) largest[n] = std::max(largest[n], std::abs(x));
    });
    MPI_Allreduce(MPI_IN_PLACE, largest.data(), number, MPI_DOUBLE, MPI_MAX, domain.comm);
    std::vector<ExactSum> sums;
    std::vector<int> first;
    for (int n = 0; n < number; ++n) {
        first.push_back(int(sums.size()));
        sums.resize(sums.size() + (kinds[n].of_rows ? J : K),
                    ExactSum(SumUnit::for_largest(largest[n])));
    }
    each([&](int n, int index, const std::vector<double>& line) {
        add_line(sums[first[n] + index], line);
    });
    allreduce(domain.comm, sums);
    const auto sum = [&](int n, int index) { return sums[first[n] + index].value(); };
    SeparableColumns c;
    double faces = 0;
    for (int k = 0; k < K; ++k) {
        const double whole = sum(area, k);
        c.up.push_back(sum(up, k) / whole), c.centre.push_back(sum(centre, k) / whole);
        c.down.push_back(sum(down, k) / whole), c.face.push_back(sum(face, k) / taken);
        faces += sum(face, k);
    }
    for (int j = 0; j < J; ++j) {
        c.east.push_back(sum(east, j) / faces), c.north.push_back(sum(north, j) / faces);
        c.per_area.push_back(taken * double(K) / sum(area_of_row, j));
    }
    return c;
}

/// Calls body(a number of the type in which fields are stored).
template <class T> template <class Body> void HelmholtzSolver<T>::of_fields(Body body) const {
    bytes_of_fields == sizeof(float) ? body(float(0)) : body(double(0));
}
template <class T> void HelmholtzSolver<T>::load(const FieldSlab& from, const Array& to) const {
    of_fields([&]<class F>(F) {
        each_row([&](int b, int row, int count) {
            for (int k = 0; k < domain.levels; ++k) {
                const F* in = (const F*)from.at[b] + (row + domain.halo) * from.row[b] +
                              k * from.level[b] + domain.halo;
                T* out = to.at(b, row, k);
                for (int i = 0; i < count; ++i) out[i] = T(in[i]);
            }
        });
    });
}
template <class T> void HelmholtzSolver<T>::store(const Array& from, const FieldSlab& to) const {
    of_fields([&]<class F>(F) {
        each_row([&](int b, int row, int count) {
            for (int k = 0; k < domain.levels; ++k) {
                const T* in = from.at(b, row, k);
                F* out =
                    (F*)to.at[b] + (row + domain.halo) * to.row[b] + k * to.level[b] + domain.halo;
                for (int i = 0; i < count; ++i) out[i] = F(in[i]);
            }
        });
    });
}

template <class T> void HelmholtzSolver<T>::fill_halo(const Array& x) {
    static const Region here("halo of the Helmholtz solver", "", "exchange");
    Within within(here);
    halo->start({&x.slab, 1});
    halo->finish({&x.slab, 1});
}

template <class T>
template <class Give>
void HelmholtzSolver<T>::multiply(const Array& x, const Array& y, Give give) {
    fill_halo(x);
    const auto& m = matrix;
    each_row([&](int b, int row, int count) {
        const T* per_area = m.per_area.at(b, row, 0);
        for (int k = 0, last = domain.levels - 1; k <= last; ++k) {
            const T *c = x.at(b, row, k), *u = k ? x.at(b, row, k - 1) : c,
                    *d = k < last ? x.at(b, row, k + 1) : c, *N = x.at(b, row + 1, k),
                    *S = x.at(b, row - 1, k);
            const T *e = m.east.at(b, row, k), *n = m.north.at(b, row, k),
                    *s = m.north.at(b, row - 1, k), *up = m.up.at(b, row, k),
                    *down = m.down.at(b, row, k), *centre = m.centre.at(b, row, k);
            T* out = y.at(b, row, k);
            const auto before = give(b, row, k);
            each_pack<T>(count, [&]<class Real>(Real, int i) {
                const auto of = [i](const T* p) { return Real::load(p + i); };
                const Real own = of(c);
                const Real faces = fma(of(e), own - of(c + 1), of(e - 1) * (own - of(c - 1))) +
                                   fma(of(n), own - of(N), of(s) * (own - of(S)));
                const Real column = fma(of(up), of(u), fma(of(centre), own, of(down) * of(d)));
                before(i, fma(of(per_area), faces, column)).store(out + i);
            });
        }
    });
}
template <class T> void HelmholtzSolver<T>::multiply(const Array& x, const Array& y) {
    multiply(x, y, [](int, int, int) { return [](int, auto Ax) { return Ax; }; });
}
template <class T>
void HelmholtzSolver<T>::subtract(const Array& x, const Array& r, const Array& y) {
    multiply(x, y, [&](int b, int row, int k) {
        return
            [in = r.at(b, row, k)]<class Real>(int i, Real Ax) { return Real::load(in + i) - Ax; };
    });
}

template <class T> void HelmholtzSolver<T>::precondition(const Array& r, const Array& z) {
    if (next) return cycle(r, z);
    if (!separable) return lines(r, z, z, false);
    separable->solve(r.slab, 1, z.slab, 1);
    if (!left) return;
    subtract(z, r, *left);
    lines(*left, *left, z, true);
}

/// The columns alone (Thomas): z = Z r, or z += Z r; `work` may be r.
template <class T>
void HelmholtzSolver<T>::lines(const Array& r, const Array& work, const Array& z, bool add) const {
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k) {
            const T *in = r.at(b, row, k), *f = factor.at(b, row, k), *up = matrix.up.at(b, row, k);
            T* out = work.at(b, row, k);
            if (k == 0) {
                for (int i = 0; i < count; ++i) out[i] = f[i] * in[i];
                continue;
            }
            const T* before = work.at(b, row, k - 1);
            for (int i = 0; i < count; ++i) out[i] = f[i] * (in[i] - up[i] * before[i]);
        }
        const auto give = [&](int k, const T* x) {
            T* out = z.at(b, row, k);
            if (add)
                for (int i = 0; i < count; ++i) out[i] += x[i];
            else if (out != x)
                std::copy_n(x, count, out);
        };
        give(domain.levels - 1, work.at(b, row, domain.levels - 1));
        for (int k = domain.levels - 2; k >= 0; --k) {
            const T *a = above.at(b, row, k), *below = work.at(b, row, k + 1);
            T* out = work.at(b, row, k);
            for (int i = 0; i < count; ++i) out[i] -= a[i] * below[i];
            give(k, out);
        }
    });
}

template <class T> void HelmholtzSolver<T>::apply(const FieldSlab& from, const FieldSlab& to) {
    load(from, x);
    multiply(x, r);
    store(r, to);
}

template class HelmholtzSolver<double>;
template class HelmholtzSolver<float>;

}  // namespace fathom
