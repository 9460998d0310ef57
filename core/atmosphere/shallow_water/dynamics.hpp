/// The dynamics of shallow water on the sphere: the schemes of the spectral atmosphere
/// (spectral/dynamics.hpp) with one layer, whose levels have constant pressure, and phi in the
/// place of the temperature. With R = 1, kappa T_r = phi_r their linear terms (semi_implicit.hpp)
/// are gamma = 1, tau = phi_r:
///   L(D) = -lap(phi),   L(phi) = -phi_r D
/// Eulerian: F of terms.hpp, ShallowWaterFluxes.
#pragma once
#include "atmosphere/spectral/dynamics.hpp"

namespace fathom::atmosphere {

/// The parameters of temperature, pressure and mass are not used.
SpectralSetup shallow_water(OnSphere, SpectralParameters, double mean_geopotential);

/// Of such a setup; bytes: 4 or 8, of a number.
SpectralDynamics shallow_water_semi_lagrangian(const SpectralSetup&, int bytes);
SpectralDynamics shallow_water_leapfrog(const SpectralSetup&, int bytes);

}  // namespace fathom::atmosphere
