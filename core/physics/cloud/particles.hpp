/// Falling particles with an exponential distribution of sizes D, N_0 exp(-lambda D) (Marshall &
/// Palmer 1948; Lin, Farley & Orville 1983, J. Climate Appl. Meteor. 22, 1065-1092):
///
///   lambda = (pi rho_x N_0 / (rho q))^1/4,   v(D) = a D^b (rho_0 / rho)^1/2,
///   V      = a Gamma(4 + b) / 6 lambda^-b (rho_0 / rho)^1/2             mean speed by mass [m s-1]
///   sweep  = pi/4 N_0 a Gamma(3 + b) lambda^-(3 + b) (rho_0 / rho)^1/2  air swept a second [s-1]
///   vent   = 2 pi N_0 [c_1 lambda^-2
///            + c_2 Sc^1/3 Gamma((5 + b) / 2) (a / nu)^1/2 (rho_0 / rho)^1/4 lambda^-(5 + b)/2]
///                                                      ventilation, for growth from vapour
#pragma once
#include "base/brief.hpp"
#include "physics/cloud/water.hpp"

namespace fathom::physics {

struct Particles {
    double density, intercept;           ///< [kg m-3], N_0 [m-4]
    double a, b;                         ///< of the speed of fall [m^(1-b) s-1]
    double gamma_3b, speed, gamma_half;  ///< Gamma(3 + b), Gamma(4 + b) / 6, Gamma((5 + b) / 2)
    double still, moving;                ///< c_1, c_2 of ventilation
    double swift;                        ///< (a / nu)^1/2, nu = 1.5e-5 m2 s-1
};
namespace particles {
inline constexpr double reference_density = 1.2;  ///< rho_0 [kg m-3]
inline constexpr double least = 1e-9;             ///< smaller contents are ignored [kg kg-1]
inline constexpr double pi = 3.141592653589793;
constexpr Particles of(int kind) {
    if (kind == rain)
        return {1000, 8e6, 842, 0.8, 4.694174, 2.972977, 1.827355, 0.78, 0.31, 7492.218};
    if (kind == snow)
        return {100, 3e6, 4.84, 0.25, 2.549257, 1.380848, 1.456933, 0.65, 0.44, 568.0376};
    return {400, 4e6, 85.2, 0.5, 3.323351, 1.938621, 1.608359, 0.78, 0.31, 2383.275};
}
}  // namespace particles

/// A kind of particles in a layer of content q.
template <int kind, class Real> struct Population {
    static constexpr Particles x = particles::of(kind);
    Real size, heavy;  ///< ln lambda, ln (rho_0 / rho)
    constexpr Population(Real q, Real density)
        : size(0.25 * log((particles::pi * x.density * x.intercept) /
                          (density * larger(q, Real(particles::least))))),
          heavy(log(particles::reference_density / density)) {}
    constexpr Real to(double power, double of_density = 0) const {
        return brief_exp(power * size + of_density * heavy);
    }
    constexpr Real speed() const { return (x.a * x.speed) * to(-x.b, 0.5); }
    constexpr Real sweep() const {
        return (particles::pi / 4 * x.intercept * x.a * x.gamma_3b) * to(-3 - x.b, 0.5);
    }
    constexpr Real ventilation() const {
        constexpr double schmidt = 0.8434;  // Sc^1/3, Sc = 0.6
        return (2 * particles::pi * x.intercept) *
               (x.still * to(-2) +
                (x.moving * schmidt * x.gamma_half * x.swift) * to(-(5 + x.b) / 2, 0.25));
    }
};

}  // namespace fathom::physics
