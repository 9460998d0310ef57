/// Bounds of the spectrum of M A by Lanczos' method: conjugate gradients from a right-hand side
/// that follows from the grid alone give the tridiagonal matrix  T(k,k) = 1 / alpha_k + beta_k /
/// alpha_(k-1),  T(k,k+1) = sqrt(beta_(k+1)) / alpha_k,  whose extreme eigenvalues approach those
/// of M A from inside. They are used once they have hardly changed for a while, and the interval is
/// widened a little.
#pragma once
#include <algorithm>
#include <cmath>
#include "solver/space.hpp"

namespace fathom {

class Preconditioner;
struct Spectrum {
    double least = 0, largest = 0;
    int steps = 0;
};

/// Collective; uses the vectors r, s and two from `first` on. The same bits on any ranks, blocks
/// and threads.
Spectrum lanczos(EllipticSpace<double>&, Preconditioner&, int first);

/// After an iteration that diverged: an eigenvalue was missed.
inline void widen(Spectrum& s) { s.largest *= 1.1, s.least *= 0.8; }

/// The extreme eigenvalues of a symmetric tridiagonal matrix; off: between n and n + 1.
std::pair<double, double> extremes(std::span<const double> diagonal, std::span<const double> off);

/// Iterations of Chebyshev's method that reduce r.r from rr to goal, if the spectrum lies within:
/// T_k(middle / half width) = sqrt(rr / goal).
inline double predicted(const Spectrum& s, double rr, double goal) {
    return std::acosh(std::sqrt(std::max(rr / goal, 1.0))) /
           std::acosh((s.largest + s.least) / std::max(s.largest - s.least, 1e-12 * s.largest));
}

/// Iterations until r.r is summed again: the number of these, ten at most; twenty while more than
/// thirty remain.
inline int until_sum(const Spectrum& s, double rr, double goal) {
    const double left = predicted(s, rr, goal);
    return left > 30 ? 20 : int(std::clamp(std::ceil(left), 1.0, 10.0));
}

/// Factors of Chebyshev's iteration d = a z + b d:   a = 1 / gamma, b = 0,   then
///     omega = 1 / (gamma - omega / (4 alpha^2)),
/// a = omega, b = gamma omega - 1,   with alpha = 2 / (largest - least), gamma the middle.
struct ChebyshevFactors {
    double gamma, quarter, omega = 0;
    int count = 0;
    explicit ChebyshevFactors(const Spectrum& s)
        : gamma(0.5 * (s.largest + s.least)),
          quarter((s.largest - s.least) * (s.largest - s.least) / 16) {}
    std::pair<double, double> next() {
        if (count++ == 0) {
            omega = 2 / gamma;
            return {1 / gamma, 0};
        }
        omega = 1 / (gamma - omega * quarter);
        return {omega, gamma * omega - 1};
    }
};

}  // namespace fathom
