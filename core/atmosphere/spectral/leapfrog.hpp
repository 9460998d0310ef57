/// The Eulerian scheme of the spectral atmosphere: semi-implicit leapfrog of vorticity, divergence,
/// T and pi (Bourke 1974, Hoskins & Simmons 1975),
///   X+ = X- + 2 dt F(X) + dt L(X+ - 2 X + X-)
/// F in grid points (eulerian.hpp), L linear about rest without rotation (semi_implicit.hpp),
/// diffusion implicit over 2 dt. Then the filter of Robert, Asselin and Williams (2009), d = X- - 2
/// X + X+:
///   X = X + filter williams d,   X+ = X+ - filter (1 - williams) d
/// A tracer does the same without L. The first step is forward, dt/2 in place of dt from X- = X.
/// The mean of p_s over the sphere is that before the step. Every step finds the coefficients of
/// now and before from grid points: only these last from step to step.
#pragma once
#include "atmosphere/spectral/spectral.hpp"

namespace fathom::atmosphere {

/// For a sequence with SpectralLeapfrog and "TracerLeapfrog of <tracer>".
template <class T>
std::unique_ptr<SpectralDynamics::Work> leapfrog(Sequence&, const GaussianGrid&, int truncation,
                                                 const std::vector<double>& a,
                                                 const std::vector<double>& b,
                                                 const std::vector<std::string>& tracers,
                                                 SpectralParameters);

}  // namespace fathom::atmosphere
