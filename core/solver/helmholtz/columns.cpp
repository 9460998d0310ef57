#include "solver/helmholtz/columns.hpp"
#include <array>
#include <cmath>
#include "base/error.hpp"
#include "machine/region.hpp"
#include "parallel/meeting.hpp"
#include "solver/helmholtz/means.hpp"
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

HelmholtzLayout::HelmholtzLayout(const Domain& d) : levels(d.levels) {
    constexpr std::ptrdiff_t line = 16;
    std::ptrdiff_t end = line;
    for (auto* b : d.blocks) {
        const std::ptrdiff_t level = (b->nx + 2 + line - 1) / line * line, row = level * levels;
        blocks.push_back({end + row + 1, row, level, b->nx, b->ny, b->i0, b->j0});
        end += row * (b->ny + 2);
    }
    numbers = std::size_t(end + line);
}
FieldSlab HelmholtzLayout::slab(std::byte* memory, int bytes) const {
    FieldSlab of{{}, {}, {}, levels};
    for (auto& b : blocks) {
        of.at.push_back(memory + b.place(-1, 0, -1) * bytes);
        of.row.push_back(b.row), of.level.push_back(b.level);
    }
    return of;
}

template <class Array> static std::vector<Array> several(const HelmholtzLayout& layout, int count) {
    std::vector<Array> made;
    for (int n = 0; n < count; ++n) made.emplace_back(layout);
    return made;
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
HelmholtzSolver<T>::HelmholtzSolver(const Domain& d, HelmholtzOptions o, int bytes_of_fields,
                                    int grid)
    : layout(d),
      arrays(several<Array>(layout, 8)),
      matrix{arrays[0], arrays[1], arrays[2], arrays[3], arrays[4],
             arrays[5], arrays[6], arrays[7], d.levels},
      domain(d),
      options(std::move(o)),
      bytes_of_fields(bytes_of_fields),
      grid(grid) {
    halo.emplace(d.comm, d.decomposition, 1, int(sizeof(T)),
                 std::vector<Exchange::Item>{{Horizontal::center, false, 1, d.levels}}, d.exchange);
}
template <class T>
HelmholtzSolver<T>::HelmholtzSolver(const Domain& d, HelmholtzOptions o, int bytes_of_fields)
    : HelmholtzSolver(d, std::move(o), bytes_of_fields, 0) {
    check("preconditioner", options.preconditioner, helmholtz_preconditioners());
    check("method", options.method, helmholtz_methods());
    vectors = several<Array>(layout, HelmholtzVectors::count(options));
}

/// Factorises the operator of the columns.
template <class T> void HelmholtzSolver<T>::factorise() {
    each_row([&](const HelmholtzBlock& b, int, int row) {
        const auto m = matrix;
        for (int k = 0; k < m.levels; ++k)
            for (int i = 0; i < b.nx; ++i) m.factorise(b, b.place(row, k, i), k);
    });
}

template <class T> void HelmholtzSolver<T>::ready() {
    factorise();
    if (options.preconditioner == "lines") return;
    const SeparableColumns mean = mean_columns();
    if (options.preconditioner == "multigrid") return coarsen(mean.east, mean.north);
    if (!separable) separable.emplace(domain);
    if (!left && options.preconditioner == "separable-lines") left.emplace(layout);
    separable->renew(mean);
}

template <class T> SeparableColumns HelmholtzSolver<T>::mean_columns() const {
    const HelmholtzMeans means(domain.decomposition.topology, layout.levels);
    std::vector<double> line;
    const auto each = [&](auto body) {  // body(kind, number of the sum, values)
        for (auto& b : layout.blocks) {
            line.resize(means.columns(b));
            for (int row = 0; row < b.ny; ++row)
                for (int k = 0; k < means.levels; ++k)
                    for (int kind = 0; kind < means.kinds; ++kind) {
                        std::ptrdiff_t n = b.place(row, k, means.first_column(b.i0));
                        for (double& x : line)
                            x = means.term(matrix, kind, b, n, k), n += means.every;
                        body(kind, means.sum(kind, b.j0 + row, k), line);
                    }
        }
    };
    std::array<double, HelmholtzMeans::kinds> largest{};
    each([&](int kind, int, const std::vector<double>& line) {
        for (double x : line) largest[kind] = std::max(largest[kind], std::abs(x));
    });
    MPI_Allreduce(MPI_IN_PLACE, largest.data(), int(largest.size()), MPI_DOUBLE, MPI_MAX,
                  domain.comm);
    std::vector<ExactSum> sums(means.number());
    for (int kind = 0; kind < means.kinds; ++kind)
        std::fill(sums.begin() + means.first(kind), sums.begin() + means.first(kind + 1),
                  ExactSum(SumUnit::for_largest(largest[kind])));
    each([&](int, int n, const std::vector<double>& line) { add_line(sums[n], line); });
    allreduce(domain.comm, sums);
    return means.columns_of([&](int n) { return sums[n].value(); });
}

/// Calls body(a number of the type in which fields are stored).
template <class T> template <class Body> void HelmholtzSolver<T>::of_fields(Body body) const {
    bytes_of_fields == sizeof(float) ? body(float(0)) : body(double(0));
}
template <class T> void HelmholtzSolver<T>::load(const FieldSlab& from, const Array& to) const {
    of_fields([&]<class F>(F) {
        each_row([&](const HelmholtzBlock& block, int b, int row) {
            for (int k = 0; k < layout.levels; ++k) {
                const F* in = (const F*)from.at[b] + (row + domain.halo) * from.row[b] +
                              k * from.level[b] + domain.halo;
                T* out = to + block.place(row, k);
                for (int i = 0; i < block.nx; ++i) out[i] = T(in[i]);
            }
        });
    });
}
template <class T> void HelmholtzSolver<T>::store(const Array& from, const FieldSlab& to) const {
    of_fields([&]<class F>(F) {
        each_row([&](const HelmholtzBlock& block, int b, int row) {
            for (int k = 0; k < layout.levels; ++k) {
                const T* in = from + block.place(row, k);
                F* out =
                    (F*)to.at[b] + (row + domain.halo) * to.row[b] + k * to.level[b] + domain.halo;
                for (int i = 0; i < block.nx; ++i) out[i] = F(in[i]);
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

/// give(place of a point, (A x) there): what y becomes.
template <class T>
template <class Give>
void HelmholtzSolver<T>::multiply(const Array& x, const Array& y, Give give) {
    fill_halo(x);
    each_row([&](const HelmholtzBlock& b, int, int row) {
        for (int k = 0; k < layout.levels; ++k)
            each_pack<T>(b.nx, [&]<class Real>(Real, int i) {
                const std::ptrdiff_t n = b.place(row, k, i);
                give(n, matrix.template times<Real>(x, b, n, k)).store(y + n);
            });
    });
}
template <class T> void HelmholtzSolver<T>::multiply(int from, int to) {
    multiply(vectors[from], vectors[to], [](std::ptrdiff_t, auto Ax) { return Ax; });
}
template <class T>
void HelmholtzSolver<T>::subtract(const Array& x, const Array& r, const Array& y) {
    multiply(x, y, [in = (const T*)r]<class Real>(std::ptrdiff_t n, Real Ax) {
        return Real::load(in + n) - Ax;
    });
}

template <class T> void HelmholtzSolver<T>::precondition(int from, int to) {
    const Array &r = vectors[from], &z = vectors[to];
    if (next) return cycle(r, z);
    if (!separable) return lines(r, z, z, false);
    separable->solve(r.slab, 1, z.slab, 1);
    if (!left) return;
    subtract(z, r, *left);
    lines(*left, *left, z, true);
}

/// The columns alone: z = Z r, or z += Z r; `work` may be r.
template <class T> void HelmholtzSolver<T>::lines(const T* r, T* work, T* z, bool add) const {
    each_row([&](const HelmholtzBlock& b, int, int row) {
        const auto m = matrix;
        for (int k = 0; k < m.levels; ++k)
            for (int i = 0; i < b.nx; ++i) m.forward(r, work, b, b.place(row, k, i), k);
        for (int k = m.levels - 1; k >= 0; --k) {
            const std::ptrdiff_t n = b.place(row, k);
            if (k + 1 < m.levels)
                for (int i = 0; i < b.nx; ++i) m.backward(work, b, n + i);
            if (add)
                for (int i = 0; i < b.nx; ++i) z[n + i] += work[n + i];
            else if (z != work)
                std::copy_n(work + n, b.nx, z + n);
        }
    });
}

template <class T> std::vector<double> HelmholtzSolver<T>::dots(std::span<const Pair> pairs) {
    std::size_t columns = 0;
    std::vector<std::size_t> first;
    for (auto& b : layout.blocks) first.push_back(columns), columns += std::size_t(b.nx) * b.ny;
    const std::size_t number = pairs.size();
    terms.assign(columns * number, 0);
    for (std::size_t m = 0; m < number; ++m)
        each_row([&, a = (const T*)vectors[pairs[m].one], c = (const T*)vectors[pairs[m].other]](
                     const HelmholtzBlock& b, int block, int row) {
            double* sum = &terms[m * columns + first[block] + std::size_t(row) * b.nx];
            for (int k = 0; k < layout.levels; ++k) {
                const std::ptrdiff_t n = b.place(row, k);
                for (int i = 0; i < b.nx; ++i) sum[i] += product_term(a, c, n + i);
            }
        });
    static const Region here("sums of the Helmholtz solver", "", "sum");
    Within within(here);
    std::vector<double> largest(number, 0);
    for (std::size_t n = 0; n < terms.size(); ++n) {
        double& most = largest[n / columns];
        most = std::abs(terms[n]) <= most ? most : std::abs(terms[n]);  // a NaN remains
    }
    {
        Meet meet(domain.comm, double(number * sizeof(double)));
        MPI_Allreduce(MPI_IN_PLACE, largest.data(), int(number), MPI_DOUBLE, MPI_MAX, domain.comm);
    }
    std::vector<ExactSum> sums;
    for (std::size_t m = 0; m < number; ++m) {
        sums.emplace_back(SumUnit::for_largest(std::isfinite(largest[m]) ? largest[m] : 1));
        add_line(sums[m], {&terms[m * columns], columns});
    }
    allreduce(domain.comm, sums);
    std::vector<double> values;
    for (auto& sum : sums) values.push_back(sum.value());
    return values;
}

template <class T>
void HelmholtzSolver<T>::add(std::span<const double> factors, int first, int to) {
    each_line([&, out = (T*)vectors[to]](std::ptrdiff_t n, int count) {
        for (std::size_t m = 0; m < factors.size(); ++m) {
            const T factor = T(factors[m]);
            const T* in = vectors[first + int(m)];
            for (int i = 0; i < count; ++i) out[n + i] += factor * in[n + i];
        }
    });
}
template <class T> void HelmholtzSolver<T>::turn(double by, int from, int to) {
    each_line([factor = T(by), in = (const T*)vectors[from], out = (T*)vectors[to]](
                  std::ptrdiff_t n, int count) {
        for (int i = 0; i < count; ++i) out[n + i] = in[n + i] + factor * out[n + i];
    });
}
template <class T> void HelmholtzSolver<T>::copy(int from, int to) {
    each_line([in = (const T*)vectors[from], out = (T*)vectors[to]](std::ptrdiff_t n, int count) {
        std::copy_n(in + n, count, out + n);
    });
}

template <class T>
HelmholtzFound HelmholtzSolver<T>::solve(const FieldSlab& right_side, const FieldSlab& to,
                                         double measure) {
    load(right_side, vectors[residual]);
    each_line([x = (T*)vectors[solution]](std::ptrdiff_t n, int count) {
        std::fill_n(x + n, count, T(0));
    });
    const HelmholtzFound found = search(*this, options, measure);
    store(vectors[solution], to);
    return found;
}

template class HelmholtzSolver<double>;
template class HelmholtzSolver<float>;

}  // namespace fathom
