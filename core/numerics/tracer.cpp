#include "numerics/tracer.hpp"
#include "numerics/advection.hpp"
#include "numerics/budget.hpp"
#include "numerics/diffusion.hpp"
#include "numerics/split_advection.hpp"
#include "numerics/statistics.hpp"
#include "numerics/tracer_flow.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

std::vector<Entry> tracer_schemes() {
    return {entry<CentredAdvection>("CentredAdvection"),
            entry<UpwindAdvection>("UpwindAdvection"), entry<SweepVolumes<false>>("SweepVolumes"), entry<SweepVolumes<true>>("SweepVolumesInCells"),
            entry<FirstSweep<false, false>>("LaxWendroffSweep"),
            entry<SplitAdvection<false, false>>("LaxWendroffAdvection"), entry<FirstSweep<true, false>>("QuickestSweep"),
            entry<SplitAdvection<true, false>>("QuickestAdvection"), entry<FirstSweep<false, true>>("LaxWendroffSweepInCells"),
            entry<SplitAdvection<false, true>>("LaxWendroffAdvectionInCells"), entry<FirstSweep<true, true>>("QuickestSweepInCells"),
            entry<SplitAdvection<true, true>>("QuickestAdvectionInCells"), entry<LaplacianDiffusion<false>>("LaplacianDiffusion"),
            entry<LaplacianDiffusion<true>>("LaplacianDiffusionInCells"), entry<TracerLaplacian>("TracerLaplacian"),
            entry<BiharmonicDiffusion<false>>("BiharmonicDiffusion"), entry<BiharmonicDiffusion<true>>("BiharmonicDiffusionInCells"),
            entry<VerticalFactors<false>>("VerticalFactors"),
            entry<VerticalFactors<true>>("VerticalFactorsInCells"), entry<TracerUpdate<false>>("TracerUpdate"),
            entry<TracerUpdate<true>>("TracerUpdateInCells"), entry<IdealAge<false>>("IdealAge"),
            entry<IdealAge<true>>("IdealAgeInCells"), entry<TracerFlow>("TracerFlow"),
            entry<BudgetShare<true>>("FirstBudgetShare"), entry<BudgetShare<false>>("BudgetShare"), entry<TracerBudget<false>>("TracerBudget"), entry<TracerBudget<true>>("TracerBudgetInCells"), entry<InTime<Statistic::sum, false>>("TimeSum"),
            entry<InTime<Statistic::sum, true>>("SurfaceTimeSum"), entry<InTime<Statistic::minimum, false>>("TimeMinimum"),
            entry<InTime<Statistic::minimum, true>>("SurfaceTimeMinimum"), entry<InTime<Statistic::maximum, false>>("TimeMaximum"),
            entry<InTime<Statistic::maximum, true>>("SurfaceTimeMaximum")};
}

}  // namespace fathom::numerics
