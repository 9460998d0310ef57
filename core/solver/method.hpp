/// Methods, the catalogue: each brings y and r = D b - A y closer to the solution, until r.r <=
/// goal.
///
///   pcg        z = M r,  s = z + beta s,  alpha = r.z / s.As
///              (Hestenes & Stiefel 1952; two sums an iteration)
///   chrongear  r.z and z.Az in one sum: sigma = z.Az - beta^2 sigma
///              (Chronopoulos & Gear 1989; with the diagonal one for two)
///   pipelined  the same sum travels while M and A are applied
///              (Ghysels & Vanroose 2014)
///   s-step     the products of 2 s + 1 vectors of a Krylov space in one sum for s iterations
///              (Carson & Demmel 2014)
///   pcsi       Chebyshev's iteration between bounds of the spectrum: a sum in ten to twenty
///              (Hu et al. 2015)
#pragma once
#include "solver/preconditioner/preconditioner.hpp"

namespace fathom {

class Method {
public:
    virtual ~Method() = default;
    /// rr: the present r.r. iterations is raised by those done, to `maximum` at most; the halo of r
    /// is filled, four points wide, at the beginning.
    virtual End iterate(double rr, double goal, int& iterations, int maximum) = 0;
    Spectrum spectrum{};  ///< bounds of M A, where it needs them
};

/// The parts of a method. steps: of s-step; first: the number of its first own vector.
struct MethodParts {
    EllipticSpace<double>& space;
    Preconditioner& preconditioner;
    int first, steps;
};
struct MethodKind {
    std::string_view name, text;
    int (*vectors)(bool identity, int steps);
    std::unique_ptr<Method> (*make)(const MethodParts&);
};
std::span<const MethodKind> methods();
const MethodKind& method(std::string_view name);  ///< an error that lists them all

std::unique_ptr<Method> conjugate_gradients(const MethodParts&);
std::unique_ptr<Method> chronopoulos_gear(const MethodParts&);
std::unique_ptr<Method> pipelined(const MethodParts&);
std::unique_ptr<Method> s_step(const MethodParts&);
std::unique_ptr<Method> chebyshev(const MethodParts&);

}  // namespace fathom
