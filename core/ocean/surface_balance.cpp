#include "ocean/surface_balance.hpp"
#include "field/diagnostics.hpp"

namespace fathom::ocean {

/// Each rank has all columns.
void SurfaceBalance::prepare(Given at) {
    const Domain& d = at.set.domain();
    area = 0;
    for (std::size_t n = 0; n < d.wet_levels.size(); ++n)
        if (d.wet_levels[n]) area += d.area_center.empty() ? 1 : d.area_center[n];
}

void SurfaceBalance::take_away_mean(Given at) const {
    const Domain& d = at.set.domain();
    const Field& f = at[flux];
    const double mean = content(at.set, f.name, false) / area;
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int r = 0; r < d.rows_of(b); ++r) {
            const auto subtract = [&](auto* first) {
                auto* row = first + r * f.row[b];
                for (int c = 0; c < d.columns_of(b); ++c) row[c] -= mean;
            };
            at.set.bytes() == 4 ? subtract((float*)f.at[b]) : subtract((double*)f.at[b]);
        }
}

bool SurfaceBalance::apply_on(Device& device, Given at) {
    const Domain& d = at.set.domain();
    const Field f = at.on_device(flux);
    const double mean = content(at.set, f.name, false) / area;
    for (int b = 0; b < int(d.blocks.size()); ++b)
        device.add(-mean, {f.at[b], f.row[b], d.rows_of(b), d.columns_of(b)}, at.set.bytes());
    return true;
}

}  // namespace fathom::ocean
