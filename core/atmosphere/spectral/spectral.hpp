/// The global processes of the spectral models, attached to a sequence on a Gaussian grid:
/// semi-Lagrangian transport, and the spectral step
///   direct transforms  ->  semi-implicit solve,
///       column by column  ->  horizontal diffusion  ->  inverse transforms with gradients;
/// or the leapfrog of the Eulerian scheme (leapfrog.hpp), where the sequence has SpectralLeapfrog.
///
///   diffusion   horizontal_diffusion.hpp
///   mass        pi gets the constant that leaves the mean surface pressure as it was before the
///       step (exact sum); a tracer is multiplied by the number
///               that leaves sum q dp over the sphere as it was before its advection
///   energy      temperature gets the constant that leaves the energy over the sphere as it was
///       with the tendencies of the physics
/// On a stretched sphere (grid/stretching.hpp) the spectral side is the computational sphere, wind
/// divided by the map factor; fields are those of the real one. State between steps is in grid
/// points only.
#pragma once
#include <memory>
#include "base/constants.hpp"
#include "grid/gaussian.hpp"
#include "machine/spent.hpp"
#include "sequence/sequence.hpp"

namespace fathom::atmosphere {

struct SpectralParameters {
    double step, radius, rotation;
    double gas_constant = constants::dry_air_gas_constant,
           heat_capacity = constants::dry_air_heat_capacity, reference_temperature = 350,
           reference_pressure = 1e5, off_centring = 0;
    double diffusion_time = 0;      ///< e-folding time of n = N [s]; 0: no diffusion
    double divergence_damping = 1;  ///< diffusion of divergence over that of the rest
    double diffusion_order = 4;
    double viscosity = 0;   ///< nu [m2 s-1], on the model's levels
    double sponge = 0;      ///< levels
    double iterations = 2;  ///< of the departure points
    double
        filter = 0,
        williams =
            1;  ///< of the leapfrog: Robert & Asselin's, and the share of it that the old time gets
    double fix_mass = 1;  ///< 0: not
    double splitting =
        /// 1: rotation is not among the linear terms of the solve
        /// (atmosphere/hydrostatic/coriolis.hpp)
        0;
    double fix_energy = 0;  ///< 0: not; only where the mass is
};

/// What this rank has spent since the start, by what was done. packing, departure points,
/// interpolation: semi-Lagrangian.
struct SpectralSpent {
    Spent legendre = {}, fourier = {}, transpositions = {}, packing = {}, departure = {},
          interpolation = {}, semi_implicit = {}, diffusion = {};
};

class SpectralDynamics {
public:
    /// a, b: of the interfaces. The sequence has SemiLagrangianTransport, SpectralStep and, for
    /// each tracer, "TracerTransport of <tracer>", "TracerMass of <tracer>", TotalEnergy if
    /// fix_energy; or SpectralLeapfrog and "TracerLeapfrog of <tracer>".
    SpectralDynamics(Sequence&, const GaussianGrid&, int truncation, std::vector<double> a,
                     std::vector<double> b, std::vector<std::string> tracers, SpectralParameters);
    ~SpectralDynamics();
    /// The initial state (and surface_geopotential) truncated, its gradients; once before the first
    /// step of a run that is not a restart.
    void initialise();
    SpectralSpent spent() const;
    struct Halo {
        std::size_t points = 0;
        long plans = 0;
    };
    Halo halo() const;  ///< of the departure points: received by this rank; made so far
    struct Work {
        virtual ~Work() = default;
        virtual void initialise() = 0;
        virtual SpectralSpent spent() const = 0;
        virtual Halo halo() const = 0;
    };

private:
    std::unique_ptr<Work> work;
};

}  // namespace fathom::atmosphere
