#include "physics/schemes.hpp"
#include "field/linear_entry.hpp"
#include "physics/turbulence/background.hpp"
#include "physics/turbulence/cloud_diffusion.hpp"
#include "physics/turbulence/constant.hpp"
#include "physics/turbulence/diffusion.hpp"
#include "physics/turbulence/double_diffusion.hpp"
#include "physics/turbulence/friction_velocity.hpp"
#include "physics/turbulence/given_fluxes.hpp"
#include "physics/turbulence/k_profile.hpp"
#include "physics/turbulence/kpp.hpp"
#include "physics/turbulence/nonlocal.hpp"
#include "physics/turbulence/richardson.hpp"
#include "physics/turbulence/tidal.hpp"
#include "physics/turbulence/turbulent_energy.hpp"

namespace fathom::physics {

Entries turbulence(Part) {
    return {entry<RichardsonMixing>("RichardsonMixing"),
            entry<ConstantMixing>("ConstantMixing"),
            entry<KPP>("KPP"),
            linear_entry<NonlocalTransport>("NonlocalTransport"),
            entry<KProfileDiffusion>("KProfileDiffusion"),
            entry<TKE<false>>("TKE"),
            entry<TKE<true>>("CloudyTKE"),
            entry<LiquidDiffusion>("LiquidDiffusion"),
            entry<CloudDiffusion>("CloudDiffusion"),
            entry<VerticalDiffusion>("VerticalDiffusion"),
            entry<GivenSurfaceFluxes>("GivenSurfaceFluxes"),
            entry<FrictionVelocity>("FrictionVelocity"),
            entry<BryanLewisMixing>("BryanLewisMixing"),
            entry<TidalMixing>("TidalMixing"),
            entry<DoubleDiffusion>("DoubleDiffusion")};
}

}  // namespace fathom::physics
