#include "physics/schemes.hpp"
#include "physics/cloud/condensation.hpp"
#include "physics/cloud/diagnostic.hpp"
#include "physics/cloud/microphysics.hpp"
#include "physics/cloud/positive.hpp"
#include "physics/cloud/prognostic.hpp"
#include "physics/cloud/reversible.hpp"

namespace fathom::physics {

Entries cloud(Part) {
    return {entry<PositiveHumidity>("PositiveHumidity"),
            entry<LargeScaleCondensation>("LargeScaleCondensation"),
            entry<DiagnosticCloud<false>>("DiagnosticCloud"),
            entry<DiagnosticCloud<true>>("StratocumulusCloud"),
            entry<PrognosticCloud<true>>("PrognosticLiquidCloud"),
            entry<PrognosticCloud<false>>("PrognosticCloud"),
            entry<SaturationAdjustment>("SaturationAdjustment"),
            entry<Microphysics<warm_rain>>("WarmMicrophysics"),
            entry<Microphysics<with_ice>>("IceMicrophysics"),
            entry<Microphysics<with_graupel>>("GraupelMicrophysics")};
}

}  // namespace fathom::physics
