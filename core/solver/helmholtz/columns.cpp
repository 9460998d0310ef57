#include "solver/helmholtz/columns.hpp"
#include <array>
#include <cmath>
#include "base/error.hpp"
#include "machine/region.hpp"
#include "parallel/meeting.hpp"
#include "parallel/sum/reduce.hpp"
#include "solver/helmholtz/packs.hpp"

namespace fathom {

static constexpr HelmholtzPreconditioner known[] = {
    {"lines", "a tridiagonal solve in each column"},
    {"separable", "mean columns, by vertical modes, Fourier transforms and a tridiagonal solve"},
    {"separable-lines", "the one after the other"},
    {"multigrid", "a cycle over grids of fewer columns"},
};
std::span<const HelmholtzPreconditioner> helmholtz_preconditioners() { return known; }

static void add_line(ExactSum& sum, std::span<const double> line) {
    for (std::size_t n = 0; n < line.size();) {
        ExactLanes lanes(sum.unit);
        for (int c = 0; c < ExactLanes::most && n < line.size(); ++c, n += register_lanes) {
            double few[register_lanes] = {};
            std::copy_n(&line[n], std::min<std::size_t>(register_lanes, line.size() - n), few);
            lanes.add(ExactLanes::Real::load(few));
        }
        sum.add(lanes);
    }
}

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

template <class T>
HelmholtzSolver<T>::HelmholtzSolver(const Domain& d, HelmholtzOptions o)
    : matrix(d), domain(d), options(std::move(o)), r(d), x(d), factor(d), above(d) {
    for (auto& one : known)
        if (one.name == options.preconditioner) {
            for (int n = 0; n < restart; ++n) p.emplace_back(d), q.emplace_back(d);
            halo.emplace(d.comm, d.decomposition, 1, int(sizeof(T)),
                         std::vector<Exchange::Item>{{Horizontal::center, false, 1, d.levels}},
                         d.exchange);
            return;
        }
    throw Error("unknown preconditioner '", options.preconditioner,
                "'; allowed: lines, separable, separable-lines, multigrid");
}

/// Of the columns alone.
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

/// x / per_area of every so many points, from the first on; either may be missing: 1.
template <class T>
static void fill(std::vector<double>& line, const T* x, const T* per_area, int first, int every) {
    for (std::size_t n = 0; n < line.size(); ++n) {
        const std::size_t i = first + n * every;
        line[n] = (x ? double(x[i]) : 1) / (per_area ? double(per_area[i]) : 1);
    }
}

/// Means over the globe of what the matrix has in each layer, and of its faces in each row: face_k
/// east_j is the matrix of flat ground itself. Some 32 columns of a row stand for all of them: it
/// is a preconditioner. Sums are exact.
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

template <class T> void HelmholtzSolver<T>::load(const FieldSlab& from, const Array& to) const {
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k) {
            const T* in = (const T*)from.at[b] + (row + domain.halo) * from.row[b] +
                          k * from.level[b] + domain.halo;
            std::copy_n(in, count, to.at(b, row, k));
        }
    });
}
template <class T> void HelmholtzSolver<T>::store(const Array& from, const FieldSlab& to) const {
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k)
            std::copy_n(
                from.at(b, row, k), count,
                (T*)to.at[b] + (row + domain.halo) * to.row[b] + k * to.level[b] + domain.halo);
    });
}

template <class T> void HelmholtzSolver<T>::fill_halo(const Array& x) {
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

/// Sums over the globe of products: one term a column, added exactly.
template <class T>
std::vector<double> HelmholtzSolver<T>::dots(
    const std::vector<std::pair<const Array*, const Array*>>& pairs) {
    const std::size_t number = pairs.size();
    std::size_t columns = 0;
    std::vector<std::size_t> first;
    for (auto* b : domain.blocks) first.push_back(columns), columns += std::size_t(b->nx) * b->ny;
    terms.assign(columns * number, 0);
    for (std::size_t m = 0; m < number; ++m)
        each_row([&](int b, int row, int count) {
            double* sum = &terms[m * columns + first[b] + std::size_t(row) * count];
            for (int k = 0; k < domain.levels; ++k) {
                const T *a = pairs[m].first->at(b, row, k), *c = pairs[m].second->at(b, row, k);
                for (int i = 0; i < count; ++i) sum[i] += double(a[i]) * double(c[i]);
            }
        });
    static const Region here("sums of the Helmholtz solver", "", "sum");
    Within within(here);
    std::vector<double> largest(number, 0);
    for (std::size_t n = 0; n < terms.size(); ++n) {
        double& most = largest[n / columns];
        most = std::abs(terms[n]) <= most ? most : std::abs(terms[n]);  // NaN stays
    }
    {
        Meet meet(domain.comm, double(number * sizeof(double)));
        MPI_Allreduce(MPI_IN_PLACE, largest.data(), int(number), MPI_DOUBLE, MPI_MAX, domain.comm);
    }
    std::vector<ExactSum> sums;
    for (std::size_t m = 0; m < number; ++m) {
        ExactSum sum(SumUnit::for_largest(std::isfinite(largest[m]) ? largest[m] : 1));
        add_line(sum, {&terms[m * columns], columns});
        sums.push_back(sum);
    }
    allreduce(domain.comm, sums);
    std::vector<double> values;
    for (auto& sum : sums) values.push_back(sum.value());
    return values;
}

template <class T>
void HelmholtzSolver<T>::axpy(double a, const Array& from, const Array& to) const {
    const T factor_ = T(a);
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k) {
            const T* in = from.at(b, row, k);
            T* out = to.at(b, row, k);
            for (int i = 0; i < count; ++i) out[i] += factor_ * in[i];
        }
    });
}

template <class T>
int HelmholtzSolver<T>::solve(const FieldSlab& right_side, const FieldSlab& to, double measure) {
    load(right_side, r);
    each_row([&](int b, int row, int count) {
        for (int k = 0; k < domain.levels; ++k) std::fill_n(x.at(b, row, k), count, T(0));
    });
    const double whole = dots({{&r, &r}})[0], against = std::max(whole, measure * measure),
                 enough = options.tolerance * options.tolerance * against;
    double left = whole, lengths[restart];
    int iterations = 0;
    while ((left > enough || iterations == 0) && left > 0 && iterations < options.most_iterations) {
        const int n = iterations % restart;
        precondition(r, p[n]);
        multiply(p[n], q[n]);
        std::vector<std::pair<const Array*, const Array*>> pairs{{&q[n], &q[n]}, {&r, &q[n]}};
        for (int m = 0; m < n; ++m) pairs.push_back({&q[n], &q[m]});
        const auto sums = dots(pairs);
        lengths[n] = sums[0];
        for (int m = 0; m < n; ++m) {
            const double share = sums[2 + m] / lengths[m];
            axpy(-share, p[m], p[n]);
            axpy(-share, q[m], q[n]);
            lengths[n] -= share * sums[2 + m];
        }
        if (!(lengths[n] > 0)) break;
        const double amount = sums[1] / lengths[n];
        axpy(amount, p[n], x);
        axpy(-amount, q[n], r);
        left -= amount * sums[1];
        ++iterations;
    }
    length = std::sqrt(whole);
    residual = against > 0 ? std::sqrt(std::max(left, 0.) / against) : 0;
    store(x, to);
    return iterations;
}

template <class T> void HelmholtzSolver<T>::apply(const FieldSlab& from, const FieldSlab& to) {
    load(from, x);
    multiply(x, r);
    store(r, to);
}

template class HelmholtzSolver<double>;
template class HelmholtzSolver<float>;

}  // namespace fathom
