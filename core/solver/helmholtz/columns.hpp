/// A Helmholtz equation on columns:
///   (A x)_k = up_k x_k-1 + centre_k x_k + down_k x_k+1 + 1 / area sum over faces of face (x - x')
/// with x' the value across the face; not symmetric in the vertical. Solved by a method of
/// krylov.cpp, with a preconditioner:
///   lines            the columns alone, faces to the diagonal: one tridiagonal solve each
///   separable        the equation with mean columns, solved exactly (separable.hpp)
///   separable-lines  separable, then lines for the remaining residual: z = S r, z += Z (r - A z)
///   multigrid        a cycle over grids of fewer columns, each smoothed by lines (multigrid.cpp)
/// Global sums have one term per column, exact: the same bits on any ranks and threads.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include "machine/memory.hpp"
#include "parallel/halo/exchange.hpp"
#include "parallel/ownership/domain.hpp"
#include "solver/helmholtz/equation.hpp"
#include "solver/helmholtz/krylov.hpp"
#include "solver/helmholtz/separable.hpp"

namespace fathom {

std::span<const HelmholtzChoice> helmholtz_preconditioners();

/// Arrays on the blocks of this rank.
struct HelmholtzLayout {
    explicit HelmholtzLayout(const Domain&);
    int levels;
    std::vector<HelmholtzBlock> blocks;
    std::size_t numbers;
    FieldSlab slab(std::byte* memory, int bytes) const;  ///< with a halo of one point
};

template <class T> class HelmholtzSolver final : HelmholtzVectors {
public:
    /// Fill the coefficients, then call `ready`; again if they change. Fields may have more digits
    /// than the solver.
    HelmholtzSolver(const Domain&, HelmholtzOptions, int bytes_of_fields = sizeof(T));
    HelmholtzSolver(const HelmholtzSolver&) = delete;
    const HelmholtzLayout layout;

private:
    struct Array {
        explicit Array(const HelmholtzLayout& layout)
            : memory(layout.numbers * sizeof(T)), slab(layout.slab(memory.at, sizeof(T))) {}
        operator T*() const { return (T*)memory.at; }
        Pages memory;
        FieldSlab slab;
    };
    std::vector<Array> arrays;  // of the matrix

public:
    const HelmholtzMatrix<T> matrix;
    void ready();

    /// From x = 0. Fields have the halo of the domain. measure: the tolerance is relative to it if
    /// it is larger than the right side, for example the norm of an equation solved before.
    HelmholtzFound solve(const FieldSlab& right_side, const FieldSlab& x, double measure = 0);

private:
    struct Next;  // the next grid of multigrid
    const Domain& domain;
    const HelmholtzOptions options;
    const int bytes_of_fields;
    const int grid;  // of multigrid, 0 the finest
    std::vector<Array> vectors;
    std::optional<Exchange> halo;
    std::optional<SeparableSolver<T>> separable;
    std::optional<Array> left;  // of separable-lines and multigrid
    std::shared_ptr<Next> next;
    std::vector<double> terms;

    HelmholtzSolver(const Domain&, HelmholtzOptions, int bytes_of_fields, int grid);
    void factorise();
    void coarsen(std::vector<double> east, std::vector<double> north);
    void sweep(const Array& r, const Array& z, bool add);
    void cycle(const Array& r, const Array& z);
    void fill_halo(const Array&);
    template <class Body> void each_row(Body) const;
    template <class Body> void each_line(Body) const;
    template <class Body> void of_fields(Body) const;
    void load(const FieldSlab&, const Array&) const;
    void store(const Array&, const FieldSlab&) const;
    template <class Give> void multiply(const Array& x, const Array& y, Give);
    void subtract(const Array& x, const Array& r, const Array& y);  // y = r - A x
    void lines(const T* r, T* work, T* z, bool add) const;
    SeparableColumns mean_columns() const;

    void precondition(int from, int to) override;
    void multiply(int from, int to) override;
    std::vector<double> dots(std::span<const Pair>) override;
    void add(std::span<const double> factors, int first, int to) override;
    void turn(double factor, int from, int to) override;
    void copy(int from, int to) override;
};

/// body(block, its number, row), by all threads.
template <class T> template <class Body> void HelmholtzSolver<T>::each_row(Body body) const {
    for (int b = 0; b < int(layout.blocks.size()); ++b)
#pragma omp parallel for schedule(static)
        for (int row = 0; row < layout.blocks[b].ny; ++row) body(layout.blocks[b], b, row);
}
/// body(place of the first point, points), of all levels of all rows.
template <class T> template <class Body> void HelmholtzSolver<T>::each_line(Body body) const {
    each_row([&](const HelmholtzBlock& b, int, int row) {
        for (int k = 0; k < layout.levels; ++k) body(b.place(row, k), b.nx);
    });
}

}  // namespace fathom
