/// The description of a spectral atmosphere, before there are ranks: its grid, levels, numbers.
#pragma once
#include <string>
#include <variant>
#include <vector>
#include "base/constants.hpp"
#include "base/usual.hpp"
#include "grid/gaussian.hpp"
#include "machine/spent.hpp"
#include "transform/plane/bi_fourier.hpp"

namespace fathom::atmosphere {

struct SpectralParameters {
    double step, radius, rotation;
    double gas_constant = constants::dry_air_gas_constant,
           heat_capacity = constants::dry_air_heat_capacity,
           reference_temperature = usual::reference_temperature,
           reference_pressure = usual::reference_pressure, off_centring = 0;
    double diffusion_time = 0;      ///< e-folding time of n = N [s]; 0: no diffusion
    double divergence_damping = 1;  ///< diffusion of divergence relative to the rest
    double diffusion_order = 4;
    double viscosity = 0;   ///< nu [m2 s-1], on the model's levels
    double sponge = 0;      ///< levels
    double iterations = 2;  ///< of the departure points
    /// For the leapfrog: the Robert & Asselin filter, and the share of it that the old time gets.
    double filter = 0, williams = 1;
    double fix_mass = 1;  ///< 0: not
    /// 1: rotation is not among the linear terms of the solve (coriolis.hpp).
    double splitting = 0;
    double fix_energy = 0;  ///< 0: not; only where the mass is
    /// T_a, the temperature that the linear terms of sound have [K]; 0: the air is hydrostatic.
    double acoustic_temperature = 0;
};

struct OnSphere {
    GaussianGrid grid;
    int truncation;
};
/// The plane of a limited area: its first columns and rows are places on earth; the rest makes
/// fields periodic.
struct OnPlane {
    BiFourierPlane waves;
    int columns, rows;
    std::vector<double> map_factor;  ///< [row][point] of the whole; empty: 1
    /// Weights of the outer model [row][point], of air and of tracers; empty: there is none.
    std::vector<double> relaxation, relaxation_of_tracers;
    /// And for air by level, in addition: an upper zone; empty: there is none.
    std::vector<double> relaxation_of_levels = {};
};

struct SpectralSetup {
    struct Tracer {
        std::string name, units;
    };
    std::variant<OnSphere, OnPlane> lies_on;
    std::vector<double> a, b;  ///< of the interfaces
    SpectralParameters parameters;
    std::string temperature;  ///< the transformed temperature: of the air, or virtual
    std::vector<Tracer> tracers;

    double beta() const { return 0.5 * parameters.step * (1 + parameters.off_centring); }
    const OnPlane* plane() const { return std::get_if<OnPlane>(&lies_on); }
    /// b = 0: on levels of constant pressure that of the surface takes no part.
    bool has_surface_pressure() const { return b.back() != 0; }
    bool compressible() const { return parameters.acoustic_temperature > 0; }
    bool coupled() const { return plane() && !plane()->relaxation.empty(); }
};

/// The cost of this rank since the start, by kind of work. packing, departure points,
/// interpolation: semi-Lagrangian.
struct SpectralSpent {
    Spent legendre = {}, fourier = {}, transpositions = {}, packing = {}, departure = {},
          interpolation = {}, semi_implicit = {}, diffusion = {};
};

/// Of the departure points: received by this rank; made so far.
struct DepartureHalo {
    std::size_t points = 0;
    long plans = 0;
    int rows_away = 0;
};

}  // namespace fathom::atmosphere
