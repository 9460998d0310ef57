#include "numerics/primitive.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

std::vector<Entry> atmosphere_schemes() {
    return {entry<HybridPressure>("HybridPressure"), entry<HydrostaticGeopotential>("HydrostaticGeopotential"), entry<PrimitiveEquations>("PrimitiveEquations"),
            entry<SemiImplicitTerms>("SemiImplicitTerms"), entry<WindExtrapolation>("WindExtrapolation"), entry<TendencyStart>("TendencyStart"), entry<Arrival>("Arrival"),
            entry<SemiLagrangianTransport>("SemiLagrangianTransport"), entry<SpectralStep>("SpectralStep")};
}

}  // namespace fathom::numerics
