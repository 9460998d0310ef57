/// Solves (M + K) x = b of elliptic.hpp:   A y = D b,  x = D y. A method and a preconditioner of
/// the catalogues, with any way to exchange halos and to sum. It runs in passes: r = D b - A y in
/// fp64, then the method reduces r; again, until r itself, computed from y, is small enough.
///
/// Mixed precision (methods that include the diagonal in one sweep, fused.hpp): a pass solves A e =
/// r to a few digits in fp32, y += e in fp64 (Wilkinson 1963). Where fp32 makes no more progress,
/// fp64 continues.
///
/// Where flows are turned (M + K + N, N skew) a pass solves (M + K) e = r to a few digits, and
/// the step is that of Concus & Golub (1976) and Widlund (1978):
///   y_(k+1) = y_(k-1) + w_k (y_k + e_k - y_(k-1)),   w_k = 1 / (1 + g_k / (g_(k-1) w_(k-1))),
///   g = e.r,   w_0 = 1.
/// With phi the largest theta f tau, a pass leaves phi / (1 + sqrt(1 + phi^2)) of the residual.
#pragma once
#include "machine/device.hpp"
#include "solver/method.hpp"
#include "solver/on_device.hpp"

namespace fathom {

struct SolverOptions {
    std::string solver = "chrongear", preconditioner = "diagonal", precision = "mixed",
                exchange = "packed", sum = "allreduce";
    /// |b - A y| <= tolerance |b|, in the scaled norm: |D b - D (M + K) x| <= tolerance |D b|.
    double tolerance = 1e-12;
    int maximum_iterations = 1000, steps = 4;
    bool reproducible = true;
};

class EllipticSolver {
public:
    /// halo: of the slabs. Collective.
    EllipticSolver(MPI_Comm, const Decomposition&, int halo, const EllipticFields&,
                   const SolverOptions&);

    /// x: first guess, then solution, at own points. bytes: of the numbers of both. Returns the
    /// iterations, in either precision; an error on all ranks if they were not enough, or if a
    /// number is not finite.
    /// transposed: of M + K - N.
    int solve(const FieldSlab& rhs, const FieldSlab& x, int bytes = 8, bool transposed = false);
    /// Keeps vectors and coefficients on a device, too. False where that is not possible: for
    /// methods other than pcsi, or chrongear on one rank, with the diagonal, where messages are
    /// overlapped, and where flows are turned.
    bool live_on(std::shared_ptr<Device>);
    /// The same solve, to the bit, with slabs in memory of that device.
    int solve_there(const FieldSlab& rhs, const FieldSlab& x, int bytes = 8);
    EllipticOnDevice* there() const { return on_device.get(); }
    /// y = (M + K) x at own points.
    void apply(const FieldSlab& x, const FieldSlab& y, int bytes = 8);
    /// y = D M D x, about the inverse of M + K times x.
    void precondition(const FieldSlab& x, const FieldSlab& y, int bytes = 8);

    /// |b - A y| / |b|, computed in fp64 from the solution, not from updates.
    double last_residual = 0;
    int iterations = 0, passes = 0;  ///< of the last solve
    const SolverOptions options;
    SolverRecord record;
    double norm = 0;  ///< b.b of the last solve: residuals of the history are relative to it
    const EllipticOperator<double>& matrix() const { return space.A; }
    std::size_t factor_numbers() const { return preconditioner ? preconditioner->numbers() : 0; }
    Spectrum spectrum() const { return method->spectrum; }

private:
    using Space = EllipticSpace<double>;
    using Single = EllipticSpace<float>;
    using Row = Space::Row;
    /// Where messages are overlapped the solver has other blocks, each a part of a given one: the
    /// inner ones need no messages.
    struct Parts {
        struct Part {
            int block;
            std::ptrdiff_t i, j;
        };
        Decomposition decomposition;
        std::vector<Part> list;  ///< empty: the blocks are those given
        Parts(MPI_Comm, const Decomposition&, std::string_view exchange);
        /// room: nothing is allocated the second time.
        const FieldSlab& of(const FieldSlab&, int bytes, FieldSlab& room) const;
        EllipticFields of(const EllipticFields&) const;
    };
    int halo;
    const Parts parts;
    FieldSlab first, second;  // memory of `solve` and `apply`
    const int kept;           ///< the first vector that passes keep where flows are turned
    Space space;
    std::unique_ptr<Preconditioner> preconditioner;
    std::unique_ptr<Method> method;
    std::unique_ptr<Single> single;  // of mixed precision
    std::unique_ptr<Method> in_single;

    /// The parts of a solve, on a processor or a device.
    class Work {
    public:
        virtual ~Work() = default;
        /// y = x / d, r = D b; r.r
        virtual double begin() = 0;
        /// r = D b - A y, in fp64; r.r
        virtual double residual() = 0;
        /// A pass of the method, in fp64.
        virtual End iterate(double rr, double goal) = 0;
        /// A e = r in fp32, both times `up`, and y += down e.
        virtual End iterate_in_single(double up, double rr, double goal, int maximum) = 0;
        virtual void add(double down) = 0;
        /// x = D y, or 0.
        virtual void end(bool zero) = 0;
        virtual void fetch_residual() {}  ///< r is on the processor
        /// Where flows are turned: keeps y and r of before the pass; e.r of what it added, e; the
        /// step of weight w.
        virtual void keep() {}
        virtual double gained() { return 0; }
        virtual void step(double) {}
    };
    class Here;   // solver.cpp
    class There;  // device_work.cpp
    class Ranks;
    std::shared_ptr<Device> device;
    std::unique_ptr<EllipticOnDevice> on_device;
    std::shared_ptr<EllipticRanks> on_ranks;  // if there are several

    int solve(Work&);
    void pass(Work&, double rr, double goal, bool& fp32, double& before);
    double begin(Work&);
    bool is_small(Work&, double rr, double goal);
    void iterate(Work&, double rr, double goal);
    bool refine(Work&, double rr, double goal);
    /// body(row, column, d, value) for the points of a row, and of all own rows.
    template <class F> void points(const Row&, const FieldSlab&, int bytes, F body);
    template <class F> void for_points(const FieldSlab&, int bytes, F body);
    void right_side(const Row&, const FieldSlab& rhs, int bytes);
    [[noreturn]] void fail(Work&, double residual, const char* what);
};

}  // namespace fathom
