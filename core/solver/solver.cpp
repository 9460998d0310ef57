#include "solver/solver.hpp"
#include <algorithm>
#include <climits>
#include <cmath>
#include "base/error.hpp"
#include "solver/fused.hpp"

namespace fathom {

namespace {

constexpr int lead = EllipticOperator<double>::halo;
/// The most columns of a row that may be added before carries must be resolved.
constexpr int most_columns = register_lanes * ExactLanes::most - 32;
/// Iterations in fp32 reduce the residual to this part before it is computed again.
constexpr double single_precision = 1e-5;
/// Where flows are turned a pass reduces the residual of the symmetric part to this part; so many
/// passes may fail to halve the least residual of before.
constexpr double symmetric_part = 1e-3;
constexpr int most_in_vain = 2, most_in_vain_turned = 40;
/// Along borders between ranks: as wide as the widest halo, in whole packs.
constexpr int strip_columns = 8, strip_rows = 4;
constexpr double infinity = std::numeric_limits<double>::infinity();

Communication communication(MPI_Comm comm, const Decomposition& d, const SolverOptions& o) {
    return {comm, std::make_shared<const Decomposition>(d), o.exchange, o.sum, !o.reproducible};
}
int vectors(const SolverOptions& o) {
    const auto& kind = preconditioner(o.preconditioner);
    return method(o.solver).vectors(o.preconditioner == "diagonal", o.steps) +
           std::max(kind.vectors, 2);  // the bounds of the spectrum need two
}
/// Of steps where flows are turned: y and r of before a pass, and y of before the last one.
enum Kept { y_kept, r_kept, y_before, all_kept };

const SolverOptions& checked(const SolverOptions& o) {
    if (!(o.tolerance > 0 && o.tolerance < 1))
        throw Error("tolerance = ", o.tolerance, " of the elliptic solver must lie in ]0, 1[");
    if (o.maximum_iterations < 1)
        throw Error("maximum_iterations = ", o.maximum_iterations,
                    " of the elliptic solver must be at least 1");
    if (o.steps < 2 || o.steps > 4)
        throw Error("steps = ", o.steps, " of the s-step solver must be 2, 3 or 4");
    if (o.precision != "mixed" && o.precision != "fp64")
        throw Error("precision = '", o.precision,
                    "' of the elliptic solver must be 'mixed' or 'fp64'");
    return o;
}

}  // namespace

EllipticSolver::Parts::Parts(MPI_Comm comm, const Decomposition& d, std::string_view exchange)
    : decomposition(transport(exchange).overlaps ? framed(d, strip_columns, strip_rows) : d) {
    if (decomposition.blocks.size() == d.blocks.size()) return;
    int rank;
    MPI_Comm_rank(comm, &rank);
    const auto given = d.of(rank);
    for (auto* part : decomposition.of(rank)) {
        int n = 0;
        while (given[n] != d.at(part->i0, part->j0)) ++n;
        list.push_back({n, part->i0 - given[n]->i0, part->j0 - given[n]->j0});
    }
}
const FieldSlab& EllipticSolver::Parts::of(const FieldSlab& f, int bytes, FieldSlab& room) const {
    if (list.empty()) return f;
    room.at.clear(), room.row.clear(), room.level.clear(), room.levels = f.levels;
    for (auto& [block, i, j] : list)
        room.at.push_back(f.at[block] + (j * f.row[block] + i) * bytes),
            room.row.push_back(f.row[block]), room.level.push_back(f.level[block]);
    return room;
}
EllipticFields EllipticSolver::Parts::of(const EllipticFields& f) const {
    auto part = [&, room = FieldSlab()](const FieldSlab& slab) mutable {
        return of(slab, f.bytes, room);
    };
    return {part(f.wet), part(f.area),  part(f.depth),
            part(f.dx),  part(f.dy),    f.mass,
            f.bytes,     f.compactness, f.turned != 0 ? part(f.coriolis) : FieldSlab{},
            f.turned};
}

EllipticSolver::EllipticSolver(MPI_Comm comm, const Decomposition& d, int halo,
                               const EllipticFields& given_fields, const SolverOptions& given)
    : options(checked(given)),
      halo(halo),
      parts(comm, d, options.exchange),
      kept(Space::more + vectors(options)),
      space(communication(comm, parts.decomposition, options), record,
            vectors(options) + (given_fields.turned != 0 ? int(all_kept) : 0), comm,
            parts.decomposition, halo, parts.of(given_fields)) {
    const EllipticFields fields = parts.of(given_fields);
    for (auto& b : space.A.blocks)
        if (b.nx > most_columns)
            throw Error("elliptic solver: a block of ", b.nx, " columns; the most is ",
                        most_columns);
    const auto& kind = fathom::method(options.solver);
    const bool identity = options.preconditioner == "diagonal";
    preconditioner =
        fathom::preconditioner(options.preconditioner)
            .make({space, halo, fields, Space::more + kind.vectors(identity, options.steps)});
    method = kind.make({space, *preconditioner, Space::more, options.steps});
    if (options.solver == "pcsi" || options.solver == "s-step")
        method->spectrum = lanczos(space, *preconditioner, Space::more);
    if (options.precision == "mixed" && identity &&
        (options.solver == "chrongear" || options.solver == "pcsi")) {
        single = std::make_unique<Single>(space.how, record, 0, space.A);
        in_single = options.solver == "pcsi" ? fused_chebyshev(*single) : fused_gradients(*single);
        in_single->spectrum = method->spectrum;
    }
    record.history.reserve(std::size_t(options.maximum_iterations) + 100);
    record.reductions = record.words = record.halos = record.halo_bytes = 0;
}

template <class F>
void EllipticSolver::points(const Row& row, const FieldSlab& f, int bytes, F body) {
    auto all = [&]<class Value>(Value) {
        Value* at = (Value*)f.at[row.block] + (row.j + halo) * f.row[row.block] + halo;
        const double* d = row.of(space.A.scale) + lead;
        for (int i = 0; i < row.nx; ++i) body(row, lead + i, d[i], at[i]);
    };
    if (bytes == 4)
        all(float());
    else
        all(double());
}
template <class F> void EllipticSolver::for_points(const FieldSlab& f, int bytes, F body) {
    space.for_rows([&](const Row& row) { points(row, f, bytes, body); });
}
/// r = D b
void EllipticSolver::right_side(const Row& row, const FieldSlab& rhs, int bytes) {
    points(row, rhs, bytes, [](const Row& row, int c, double d, auto& value) {
        row.of(Space::r)[c] = d > 0 ? value * d : 0;
    });
}

/// Vectors of the space.
class EllipticSolver::Here final : public Work {
public:
    Here(EllipticSolver& solver, const FieldSlab& rhs, const FieldSlab& x, int bytes,
         bool transposed)
        : solver(solver),
          space(solver.space),
          rhs(rhs),
          x(x),
          bytes(bytes),
          sign(transposed ? -1 : 1) {}

    double begin() override {
        solver.for_points(x, bytes, [](const Row& row, int c, double d, auto& value) {
            row.of(Space::y)[c] = d > 0 ? value / d : 0;
        });
        space.for_rows([&](const Row& row) { solver.right_side(row, rhs, bytes); });
        return square(space.largest(Space::r));
    }
    double residual() override {
        space.fill(Space::y);
        const double most = space.largest([&](const Row& row, Space::Largest& largest) {
            solver.right_side(row, rhs, bytes);
            space.A.multiply(row, row.of(Space::y),
                             [&, R = row.of(Space::r)](int c, Space::Real, Space::Real Ay) {
                                 const Space::Real left = Space::Real::load(R + c) - Ay;
                                 left.store(R + c);
                                 if (!space.A.skew) largest.take(space.inside(row, c, left));
                             });
            if (space.A.skew)
                space.each_pack(row, [&, R = row.of(Space::r)](int c) {
                    const Space::Real left =
                        Space::Real::load(R + c) - sign * space.A.turned(row, row.of(Space::y), c);
                    left.store(R + c);
                    largest.take(space.inside(row, c, left));
                });
        });
        space.fill(Space::r, lead);
        return square(most);
    }
    End iterate(double rr, double goal) override {
        return solver.method->iterate(rr, goal, solver.iterations,
                                      solver.options.maximum_iterations);
    }
    End iterate_in_single(double up, double rr, double goal, int maximum) override {
        const auto& to = solver.single->A.rows;
        in_parallel([&] {
#pragma omp for schedule(static)
            for (std::size_t n = 0; n < to.size(); ++n) {
                const double* from = space.A.rows[n].of(Space::r);
                for (int c = 0; c < to[n].nx + 2 * lead; ++c)
                    to[n].of(Single::r)[c] = float(from[c] * up);
                std::fill_n(to[n].of(Single::y), to[n].up, 0);
            }
        });
        return solver.in_single->iterate(rr, goal, solver.iterations, maximum);
    }
    void add(double down) override {
        const auto& from = solver.single->A.rows;
        in_parallel([&] {
#pragma omp for schedule(static)
            for (std::size_t n = 0; n < from.size(); ++n)
                if (from[n].ring == 0)
                    for (int c = lead; c < lead + from[n].nx; ++c)
                        space.A.rows[n].of(Space::y)[c] += from[n].of(Single::y)[c] * down;
        });
    }
    void end(bool zero) override {
        solver.for_points(x, bytes, [zero](const Row& row, int c, double d, auto& value) {
            value = zero ? 0 : row.of(Space::y)[c] * d;
        });
    }

    void keep() override {
        space.for_rows([&](const Row& row) {
            std::copy_n(row.of(Space::y), row.up, row.of(at(y_kept)));
            std::copy_n(row.of(Space::r), row.up, row.of(at(r_kept)));
        });
    }
    double gained() override {
        auto e = [&](const Row& row, int c) {
            return Space::Real::load(row.of(Space::y) + c) -
                   Space::Real::load(row.of(at(y_kept)) + c);
        };
        const double size = space.largest(e) * space.largest(at(r_kept));
        if (!(size < infinity)) return std::nan("");
        auto sums = space.summed<1>(Space::unit_of(size), [&](const Row& row, ExactLanes* lanes) {
            space.each_pack(row, [&](int c) {
                const auto r = Space::Real::load(row.of(at(r_kept)) + c);
                lanes->add(space.inside(row, c, e(row, c) * r));
            });
        });
        double value;
        return space.share(sums, &value) ? value : std::nan("");
    }
    void step(double weight) override {
        space.for_rows([&](const Row& row) {
            double *y = row.of(Space::y), *before = row.of(at(y_before)), *now = row.of(at(y_kept));
            for (int c = lead; c < lead + row.nx; ++c) {
                if (weight != 1) y[c] = before[c] + weight * (y[c] - before[c]);
                before[c] = now[c];
            }
        });
    }

private:
    EllipticSolver& solver;
    Space& space;
    const FieldSlab &rhs, &x;
    const int bytes;
    const double sign;
    int at(Kept which) const { return solver.kept + which; }
    double square(double most) {
        return most < infinity ? space.dot(Space::r, Space::r, most * most) : std::nan("");
    }
};

int EllipticSolver::solve(const FieldSlab& rhs, const FieldSlab& x, int bytes, bool transposed) {
    Here here(*this, parts.of(rhs, bytes, first), parts.of(x, bytes, second), bytes, transposed);
    return solve(here);
}

int EllipticSolver::solve(Work& work) {
    const double b = begin(work), goal = options.tolerance * options.tolerance * b;
    const bool turned = space.A.skew != 0;
    bool fp32 = bool(single);
    int in_vain = 0;
    double weight = 1, gained_before = 0;
    for (double before = infinity; b > 0;) {
        const double rr = work.residual();
        if (is_small(work, rr, goal)) break;
        if (last_residual < 0.5 * before)
            in_vain = 0;
        else {
            if ((!fp32 || turned) && ++in_vain == (turned ? most_in_vain_turned : most_in_vain))
                fail(work, last_residual,
                     "does not fall any more, this being what double precision allows");
            fp32 = fp32 && turned;
        }
        before = std::min(before, last_residual);
        ++passes;
        if (!turned) {
            pass(work, rr, goal, fp32, before);
            continue;
        }
        work.keep();
        pass(work, rr, std::max(goal, symmetric_part * symmetric_part * rr), fp32, before);
        const double gained = work.gained();
        weight = gained_before > 0 ? 1 / (1 + gained / (gained_before * weight)) : 1;
        gained_before = gained;
        work.step(weight);
    }
    if (!(b > 0)) last_residual = 0;
    work.end(!(b > 0));
    return iterations;
}

/// The method reduces r to the goal, in fp32 as long as that makes progress.
void EllipticSolver::pass(Work& work, double rr, double goal, bool& fp32, double& before) {
    if (!fp32)
        iterate(work, rr, goal);
    else if (!refine(work, rr, std::max(goal, single_precision * single_precision * rr)))
        fp32 = false, before = infinity;
}

double EllipticSolver::begin(Work& work) {
    iterations = passes = 0;
    record.history.clear();
    norm = work.begin();
    if (!(norm >= 0)) fail(work, std::nan(""), "is not a number");
    return norm;
}

bool EllipticSolver::is_small(Work& work, double rr, double goal) {
    last_residual = std::sqrt(rr / norm);
    if (!(rr < infinity)) fail(work, last_residual, "is not a number");
    record.note(iterations, rr);
    if (rr > goal && iterations >= options.maximum_iterations)
        fail(work, last_residual, "is not small enough");
    return rr <= goal;
}

void EllipticSolver::iterate(Work& work, double rr, double goal) {
    const End end = work.iterate(rr, goal);
    if (end == End::not_positive)
        fail(work, last_residual, "cannot be reduced: the operator is not positive definite");
    if (end == End::not_a_number) fail(work, std::nan(""), "is not a number");
}

/// y += e, of A e = r in fp32, both times the power of two that brings |r| to between 1 and 2.
/// False if that fails; then y is not changed.
bool EllipticSolver::refine(Work& work, double rr, double goal) {
    const double up = std::ldexp(1.0, -std::ilogb(std::sqrt(rr))), down = 1 / up;
    // the rest of the iterations is for fp64
    const int maximum = iterations + (options.maximum_iterations - iterations + 1) / 2;
    const End end = work.iterate_in_single(up, rr * up * up, goal * up * up, maximum);
    if (end != End::small && end != End::many) return false;
    work.add(down);
    return true;
}

void EllipticSolver::apply(const FieldSlab& given_x, const FieldSlab& given_result, int bytes) {
    const FieldSlab &x = parts.of(given_x, bytes, first),
                    &result = parts.of(given_result, bytes, second);
    for_points(x, bytes, [](const Row& row, int c, double d, auto& value) {
        row.of(Space::s)[c] = d > 0 ? value / d : 0;
    });
    space.multiply(Space::s, [](const Row& row) {
        return [R = row.of(Space::r)](int c, Space::Real, Space::Real As) { As.store(R + c); };
    });
    for_points(result, bytes, [](const Row& row, int c, double d, auto& value) {
        value = d > 0 ? row.of(Space::r)[c] / d : 0;
    });
}

void EllipticSolver::precondition(const FieldSlab& given_x, const FieldSlab& given_result,
                                  int bytes) {
    const FieldSlab &x = parts.of(given_x, bytes, first),
                    &result = parts.of(given_result, bytes, second);
    for_points(x, bytes, [](const Row& row, int c, double d, auto& value) {
        row.of(Space::r)[c] = d > 0 ? value * d : 0;
    });
    preconditioner->apply(Space::r, Space::s, space.largest(Space::r));
    for_points(result, bytes, [](const Row& row, int c, double d, auto& value) {
        value = d > 0 ? row.of(Space::s)[c] * d : 0;
    });
}

/// On all ranks: the first point, from south to north and west to east, at which the residual is
/// largest or not a number.
void EllipticSolver::fail(Work& work, double residual, const char* what) {
    work.fetch_residual();
    const int nx = space.how.decomposition->topology.nx;
    double most = -1;
    long place = LONG_MAX, first;
    auto size = [&](const Row& row, int c) {
        const double x = std::abs(row.of(Space::r)[c]);
        return x < infinity ? x : infinity;
    };
    for (const Row& row : space.A.rows)
        if (row.ring == 0)
            for (int c = lead; c < lead + row.nx; ++c) most = std::max(most, size(row, c));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, space.how.comm);
    for (const Row& row : space.A.rows)
        if (row.ring == 0)
            for (int c = lead; c < lead + row.nx; ++c)
                if (size(row, c) == most)
                    place = std::min(place, long(space.A.blocks[row.block].j0 + row.j) * nx +
                                                space.A.blocks[row.block].i0 + c - lead);
    MPI_Allreduce(&place, &first, 1, MPI_LONG, MPI_MIN, space.how.comm);
    for (int v = Space::r; v < space.A.arrays; ++v)
        if (v != space.A.skew) space.clear(v);  // so that the next solve finds no NaN
    if (single)
        for (int v = Single::r; v < Single::more; ++v) single->clear(v);
    last_residual = residual;
    throw Error("elliptic solver (", options.solver, ", ", options.preconditioner, "): after ",
                iterations, " iterations (at most ", options.maximum_iterations, ") the residual, ",
                residual, " of the right-hand side, ", what, "; tolerance ", options.tolerance,
                "; it is largest at i = ", first % nx, ", j = ", first / nx);
}

}  // namespace fathom
