/// Preconditioners, the catalogue: z = M r with M about the inverse of A, symmetric and positive
/// definite. On the scaled operator of elliptic.hpp the diagonal is 1: dividing by it changes
/// nothing.
///
///   none            M = D^-2 over its largest value: what conjugate gradients do without any on
///                   the unscaled matrix
///   diagonal        M = 1
///   evp             blocks of 8 x 8 points solved by marching (evp.hpp)
///   polynomial      Chebyshev's polynomial of A of degree 5 that is smallest on [mu / 30, mu]: no
///                   sums, five halos
///   factorisation   A itself, factorised in fp32 (factorisation.hpp)
#pragma once
#include "solver/preconditioner/spectrum.hpp"

namespace fathom {

class Preconditioner {
public:
    virtual ~Preconditioner() = default;
    /// Vector `to` = M times vector `from` at own points. size: about |from|, the same on all
    /// ranks.
    virtual void apply(int from, int to, double size) = 0;
    virtual bool identity() const { return false; }
    /// Costs more than a sum over all ranks: should not be applied without need.
    virtual bool dear() const { return false; }
    virtual std::size_t numbers() const { return 0; }  ///< of fp32, kept by this rank
};

struct PreconditionerParts {
    EllipticSpace<double>& space;
    int halo;
    const EllipticFields& fields;
    int first;
};
struct PreconditionerKind {
    std::string_view name, text;
    int vectors;
    std::unique_ptr<Preconditioner> (*make)(const PreconditionerParts&);
};
std::span<const PreconditionerKind> preconditioners();
const PreconditionerKind& preconditioner(std::string_view name);  ///< an error that lists them all

}  // namespace fathom
