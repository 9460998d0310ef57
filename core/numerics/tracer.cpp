#include "numerics/tracer.hpp"
#include "numerics/advection.hpp"
#include "numerics/diffusion.hpp"
#include "numerics/split_advection.hpp"
#include "numerics/statistics.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

std::vector<Entry> tracer_schemes() {
    return {entry<CentredAdvection>("CentredAdvection"), entry<UpwindAdvection>("UpwindAdvection"),
            entry<FirstSweep<false>>("LaxWendroffSweep"), entry<SplitAdvection<false>>("LaxWendroffAdvection"), entry<FirstSweep<true>>("QuickestSweep"), entry<SplitAdvection<true>>("QuickestAdvection"),
            entry<LaplacianDiffusion>("LaplacianDiffusion"),
            entry<TracerLaplacian>("TracerLaplacian"), entry<BiharmonicDiffusion>("BiharmonicDiffusion"), entry<VerticalFactors>("VerticalFactors"), entry<TracerUpdate>("TracerUpdate"), entry<IdealAge>("IdealAge"),
            entry<InTime<Statistic::sum, false>>("TimeSum"), entry<InTime<Statistic::sum, true>>("SurfaceTimeSum"),
            entry<InTime<Statistic::minimum, false>>("TimeMinimum"), entry<InTime<Statistic::minimum, true>>("SurfaceTimeMinimum"),
            entry<InTime<Statistic::maximum, false>>("TimeMaximum"), entry<InTime<Statistic::maximum, true>>("SurfaceTimeMaximum")};
}

}  // namespace fathom::numerics
