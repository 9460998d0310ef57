#include "physics/schemes.hpp"
#include "physics/sea_ice/categories.hpp"
#include "physics/sea_ice/cover.hpp"
#include "physics/sea_ice/light.hpp"
#include "physics/sea_ice/open_water.hpp"
#include "physics/sea_ice/remapping.hpp"
#include "physics/sea_ice/thermodynamics.hpp"

namespace fathom::physics {

Entries sea_ice(Part) {
    return {entry<IceCover>("IceCover"),
            entry<OpenWater>("OpenWater"),
            entry<IceThermodynamics>("IceThermodynamics"),
            entry<NewIce>("NewIce"),
            entry<IceAlbedo<true>>("FirstIceAlbedo"),
            entry<IceAlbedo<false>>("IceAlbedo"),
            entry<LightInLeads>("LightInLeads"),
            entry<IceLimit>("IceLimit"),
            entry<IceEnds>("IceEnds"),
            entry<IceShift>("IceShift"),
            entry<IceCarry>("IceCarry"),
            entry<IceTransfer>("IceTransfer"),
            entry<IceSum<true>>("FirstIceSum"),
            entry<IceSum<false>>("IceSum"),
            entry<IceSurfaceTemperature>("IceSurfaceTemperature")};
}

}  // namespace fathom::physics
