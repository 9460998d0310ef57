#include "numerics/tracer.hpp"
#include "numerics/advection.hpp"
#include "numerics/diffusion.hpp"
#include "numerics/mean.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

std::vector<Entry> tracer_schemes() {
    return {entry<CentredAdvection>("CentredAdvection"), entry<UpwindAdvection>("UpwindAdvection"), entry<LaplacianDiffusion>("LaplacianDiffusion"),
            entry<TracerLaplacian>("TracerLaplacian"), entry<BiharmonicDiffusion>("BiharmonicDiffusion"), entry<VerticalFactors>("VerticalFactors"), entry<TracerUpdate>("TracerUpdate"), entry<IdealAge>("IdealAge"),
            entry<TimeSum>("TimeSum"), entry<SurfaceTimeSum>("SurfaceTimeSum")};
}

}  // namespace fathom::numerics
