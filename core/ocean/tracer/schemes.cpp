#include "ocean/schemes.hpp"
#include "field/by_hand_entry.hpp"
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
    return {linear_entry<CentredAdvection>("CentredAdvection"),
            by_hand_entry<UpwindAdvection>("UpwindAdvection"),
            linear_entry<SweepVolumes>("SweepVolumes"),
            linear_entry<LaxWendroffSweep>("LaxWendroffSweep"),
            linear_entry<LaxWendroffAdvection>("LaxWendroffAdvection")
                .with("sweep", "LaxWendroffSweep"),
            linear_entry<QuickestSweep>("QuickestSweep"),
            linear_entry<QuickestAdvection>("QuickestAdvection").with("sweep", "QuickestSweep"),
            linear_entry<LaplacianDiffusion>("LaplacianDiffusion"),
            linear_entry<TracerLaplacian>("TracerLaplacian"),
            linear_entry<BiharmonicDiffusion>("BiharmonicDiffusion")
                .with("first pass", "TracerLaplacian"),
            by_hand_entry<VerticalFactors>("VerticalFactors"),
            by_hand_entry<TracerUpdate>("TracerUpdate"),
            linear_entry<TracerFlow>("TracerFlow"),
            entry<BudgetShare<true>>("FirstBudgetShare"),
            entry<BudgetShare<false>>("BudgetShare"),
            entry<TracerBudget>("TracerBudget"),
            entry<LateBudgetShare>("LateBudgetShare"),
            linear_entry<Ageing>("Ageing"),
            linear_entry<Release>("Release"),
            linear_entry<Keep>("Keep")};
}

}  // namespace fathom::ocean
