#include <cmath>
#include <string>
#include "base/error.hpp"
#include "solver/preconditioner/evp.hpp"
#include "solver/preconditioner/factorisation.hpp"

namespace fathom {

namespace {

using Space = EllipticSpace<double>;
using Real = Space::Real;
using Row = Space::Row;

struct Diagonal final : Preconditioner {
    Space& space;
    explicit Diagonal(const PreconditionerParts& p) : space(p.space) {}
    bool identity() const override { return true; }
    void apply(int from, int to, double) override {
        if (from != to)
            space.for_packs(
                [&](const Row& row, int c) { Real::load(row.of(from) + c).store(row.of(to) + c); });
    }
};

struct None final : Preconditioner {
    Space& space;
    double largest = 0;
    explicit None(const PreconditionerParts& p) : space(p.space) {
        for (const Row& row : space.A.rows)
            if (row.ring == 0)
                for (int c = space.lead; c < space.lead + row.nx; ++c)
                    largest = std::max(largest, inverse(row.of(space.A.scale)[c]));
        MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, space.how.comm);
    }
    static double inverse(double d) { return d > 0 ? 1 / (d * d) : 0; }
    void apply(int from, int to, double) override {
        Within within(regions_of_solver().preconditioner);
        space.for_packs([&, by = Real(1 / largest)](const Row& row, int c) {
            const Real d = Real::load(row.of(space.A.scale) + c);
            (select(d > Real(0.0), Real::load(row.of(from) + c) / (d * d), Real(0.0)) * by)
                .store(row.of(to) + c);
        });
    }
};

/// Chebyshev's iteration for A z = r, from 0.
struct Polynomial final : Preconditioner {
    static constexpr int degree = 5;
    Space& space;
    int d, left;
    Spectrum spectrum;
    explicit Polynomial(const PreconditionerParts& p)
        : space(p.space), d(p.first), left(p.first + 1) {
        Diagonal diagonal(p);
        spectrum = lanczos(space, diagonal, d);
        spectrum.least = spectrum.largest / 30;
    }
    void apply(int from, int to, double) override {
        Within within(regions_of_solver().preconditioner);
        ChebyshevFactors factors(spectrum);
        factors.next();
        space.for_packs([&, a = Real(1 / factors.gamma)](const Row& row, int c) {
            const Real residual = Real::load(row.of(from) + c), first = a * residual;
            residual.store(row.of(left) + c), first.store(row.of(d) + c),
                first.store(row.of(to) + c);
        });
        for (int n = 1; n < degree; ++n) {
            space.multiply(d, [this](const Row& row) {
                return [R = row.of(left)](int c, Real, Real Ad) {
                    (Real::load(R + c) - Ad).store(R + c);
                };
            });
            const auto [a, b] = factors.next();
            space.for_packs([&, a = Real(a), b = Real(b)](const Row& row, int c) {
                const Real next = a * Real::load(row.of(left) + c) + b * Real::load(row.of(d) + c);
                next.store(row.of(d) + c),
                    (Real::load(row.of(to) + c) + next).store(row.of(to) + c);
            });
        }
    }
};

/// fp32 numbers: the argument is scaled to a size near 1 by a power of two.
struct Factorised final : Preconditioner {
    Space& space;
    Factorisation factorisation;
    explicit Factorised(const PreconditionerParts& p)
        : space(p.space),
          factorisation(space.how.comm, space.how.decomposition->topology, space.A) {}
    bool dear() const override { return true; }
    std::size_t numbers() const override { return factorisation.numbers(); }
    void apply(int from, int to, double size) override {
        Within within(regions_of_solver().preconditioner);
        factorisation.apply(space.A, from, to, std::ldexp(1.0, size > 0 ? -std::ilogb(size) : 0));
    }
};

template <class Kind> std::unique_ptr<Preconditioner> make(const PreconditionerParts& p) {
    return std::make_unique<Kind>(p);
}
constexpr PreconditionerKind kinds[] = {
    {"none", "the unscaled matrix", 0, make<None>},
    {"diagonal", "division by the diagonal", 0, make<Diagonal>},
    {"evp", "blocks of 8 x 8 points solved by marching", 0, make<MarchingBlocks>},
    {"polynomial", "Chebyshev polynomial of degree 5", 2, make<Polynomial>},
    {"factorisation", "the whole matrix, factorised in fp32", 0, make<Factorised>},
};

}  // namespace

std::span<const PreconditionerKind> preconditioners() { return kinds; }
const PreconditionerKind& preconditioner(std::string_view name) {
    std::vector<std::string> known;
    for (auto& k : kinds)
        if (k.name == name)
            return k;
        else
            known.emplace_back(k.name);
    throw Error("no preconditioner '", name, "'", near(std::string(name), known));
}

}  // namespace fathom
