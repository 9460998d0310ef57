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
#include "parallel/ownership/domain.hpp"
#include "parallel/travel/exchange.hpp"
#include "solver/helmholtz/separable.hpp"

namespace fathom {

struct HelmholtzOptions {
    double tolerance = 1e-4;  ///< of the residual, relative to the right side
    int most_iterations = 100;
    std::string preconditioner = "lines", method = "gcr";
};
/// Names and descriptions.
struct HelmholtzChoice {
    std::string_view name, text;
};
std::span<const HelmholtzChoice> helmholtz_preconditioners();
std::span<const HelmholtzChoice> helmholtz_methods();

template <class T> class HelmholtzSolver {
public:
    /// One array on the blocks of this rank, with a halo of one point: [row][level][column].
    class Array {
    public:
        explicit Array(const Domain&);
        T* at(int block, int row, int level) const;  ///< own point 0; row, from -1
        FieldSlab slab;

    private:
        Pages memory;
    };
    struct Coefficients {
        Array up, centre, down, east, north, per_area;  ///< east, north: of the faces of a cell
        explicit Coefficients(const Domain& d)
            : up(d), centre(d), down(d), east(d), north(d), per_area(d) {}
    };

    /// Fill the coefficients, then call `ready`; again if they change. Fields may have more digits
    /// than the solver.
    HelmholtzSolver(const Domain&, HelmholtzOptions, int bytes_of_fields = sizeof(T));
    HelmholtzSolver(const HelmholtzSolver&) = delete;
    Coefficients matrix;
    void ready();

    /// From x = 0; returns the number of preconditioned products. Fields have the halo of the
    /// domain. measure: the tolerance is relative to it if it is larger than the right side, for
    /// example the norm of an equation solved before.
    int solve(const FieldSlab& right_side, const FieldSlab& x, double measure = 0);
    /// y = A x, of fields as above; for tests.
    void apply(const FieldSlab& x, const FieldSlab& y);
    double length = 0;    ///< of the last right side
    double residual = 0;  ///< of the last solve, relative to it or to `measure`

private:
    struct Next;  // the next grid of multigrid
    static constexpr int restart = 10;
    const Domain& domain;
    const HelmholtzOptions options;
    const int bytes_of_fields = sizeof(T);
    const int grid = 0;  // of multigrid, 0 the finest
    Array r, x;
    std::vector<Array> p, q;
    Array factor, above;  // of the tridiagonal matrices
    std::optional<Exchange> halo;
    std::optional<SeparableSolver<T>> separable;
    std::optional<Array> left;  // of separable-lines and multigrid
    std::shared_ptr<Next> next;
    std::vector<double> terms;

    struct Coarse {
        int grid;
    };
    HelmholtzSolver(const Domain&, HelmholtzOptions, Coarse);  // a coarse grid of multigrid
    void factorise();
    void coarsen(std::vector<double> east, std::vector<double> north);
    void sweep(const Array& r, const Array& z, bool add);
    void cycle(const Array& r, const Array& z);
    void fill_halo(const Array&);
    template <class Body> void each_row(Body) const;
    template <class Body> void of_fields(Body) const;
    void load(const FieldSlab&, const Array&) const;
    void store(const Array&, const FieldSlab&) const;
    template <class Give> void multiply(const Array& x, const Array& y, Give);
    void multiply(const Array& x, const Array& y);
    void subtract(const Array& x, const Array& r, const Array& y);  // y = r - A x
    void precondition(const Array& r, const Array& z);
    void lines(const Array& r, const Array& work, const Array& z, bool add) const;
    SeparableColumns mean_columns() const;
    std::vector<double> dots(const std::vector<std::pair<const Array*, const Array*>>&);
    void axpy(double a, const Array& x, const Array& y) const;
    void aypx(double b, const Array& x, const Array& y) const;
    int residuals(double& left, double enough);
    int gradients(double& left, double enough);
};

/// body(block, row, columns), by all threads.
template <class T> template <class Body> void HelmholtzSolver<T>::each_row(Body body) const {
    for (int b = 0; b < int(domain.blocks.size()); ++b)
#pragma omp parallel for schedule(static)
        for (int row = 0; row < domain.blocks[b]->ny; ++row) body(b, row, domain.blocks[b]->nx);
}

}  // namespace fathom
