#include "numerics/tracer.hpp"
#include "numerics/advection.hpp"
#include "numerics/budget.hpp"
#include "numerics/diffusion.hpp"
#include "numerics/split_advection.hpp"
#include "numerics/statistics.hpp"
#include "numerics/tracer_flow.hpp"
#include "numerics/schemes.hpp"

namespace fathom::numerics {

template <bool own> using LaxWendroffSweep = FirstSweep<false, own>;
template <bool own> using LaxWendroffAdvection = SplitAdvection<false, own>;
template <bool own> using QuickestSweep = FirstSweep<true, own>;
template <bool own> using QuickestAdvection = SplitAdvection<true, own>;

Entries tracer_schemes() {
    return {entry<CentredAdvection>("CentredAdvection"), entry<UpwindAdvection>("UpwindAdvection"), entry<SweepVolumes>("SweepVolumes"),
            entry<LaxWendroffSweep>("LaxWendroffSweep"), entry<LaxWendroffAdvection>("LaxWendroffAdvection"), entry<QuickestSweep>("QuickestSweep"), entry<QuickestAdvection>("QuickestAdvection"),
            entry<LaplacianDiffusion>("LaplacianDiffusion"), entry<TracerLaplacian>("TracerLaplacian"), entry<BiharmonicDiffusion>("BiharmonicDiffusion"),
            entry<VerticalFactors>("VerticalFactors"), entry<TracerUpdate>("TracerUpdate"), entry<TracerFlow>("TracerFlow"),
            entry<BudgetShare<true>>("FirstBudgetShare"), entry<BudgetShare<false>>("BudgetShare"), entry<TracerBudget>("TracerBudget"), entry<LateBudgetShare>("LateBudgetShare"),
            entry<InTime<Statistic::sum, false>>("TimeSum"), entry<InTime<Statistic::sum, true>>("SurfaceTimeSum"),
            entry<InTime<Statistic::minimum, false>>("TimeMinimum"), entry<InTime<Statistic::minimum, true>>("SurfaceTimeMinimum"),
            entry<InTime<Statistic::maximum, false>>("TimeMaximum"), entry<InTime<Statistic::maximum, true>>("SurfaceTimeMaximum")};
}

}  // namespace fathom::numerics
