#include "ocean/schemes.hpp"
#include "ocean/tracer/advection.hpp"
#include "ocean/tracer/budget.hpp"
#include "ocean/tracer/diffusion.hpp"
#include "ocean/tracer/sources.hpp"
#include "ocean/tracer/split_advection.hpp"
#include "ocean/tracer/tracer.hpp"
#include "ocean/tracer/tracer_flow.hpp"

namespace fathom::ocean {

template <bool own> using LaxWendroffSweep = FirstSweep<false, own>;
template <bool own> using LaxWendroffAdvection = SplitAdvection<false, own>;
template <bool own> using QuickestSweep = FirstSweep<true, own>;
template <bool own> using QuickestAdvection = SplitAdvection<true, own>;

Entries tracer(Part) {
    return {entry<CentredAdvection>("CentredAdvection"),
            entry<UpwindAdvection>("UpwindAdvection"),
            entry<SweepVolumes>("SweepVolumes"),
            entry<LaxWendroffSweep>("LaxWendroffSweep"),
            entry<LaxWendroffAdvection>("LaxWendroffAdvection").with("sweep", "LaxWendroffSweep"),
            entry<QuickestSweep>("QuickestSweep"),
            entry<QuickestAdvection>("QuickestAdvection").with("sweep", "QuickestSweep"),
            entry<LaplacianDiffusion>("LaplacianDiffusion"),
            entry<TracerLaplacian>("TracerLaplacian"),
            entry<BiharmonicDiffusion>("BiharmonicDiffusion").with("first pass", "TracerLaplacian"),
            entry<VerticalFactors>("VerticalFactors"),
            entry<TracerUpdate>("TracerUpdate"),
            entry<TracerFlow>("TracerFlow"),
            entry<BudgetShare<true>>("FirstBudgetShare"),
            entry<BudgetShare<false>>("BudgetShare"),
            entry<TracerBudget>("TracerBudget"),
            entry<LateBudgetShare>("LateBudgetShare"),
            entry<Ageing>("Ageing"),
            entry<Release>("Release"),
            entry<Keep>("Keep")};
}

}  // namespace fathom::ocean
