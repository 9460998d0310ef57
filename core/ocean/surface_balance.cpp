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

/// body(value, area of its column) for own columns with water.
template <class Body> static void each_area(const FieldSet& set, const Field& f, Body body) {
    const Domain& d = set.domain();
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        const Block& block = *d.blocks[b];
        for (int j = 0; j < block.ny; ++j)
            for (int i = 0; i < block.nx; ++i) {
                const std::size_t n =
                    std::size_t(block.j0 + j) * d.decomposition.topology.nx + block.i0 + i;
                const auto at = (j + d.halo) * f.row[b] + i + d.halo;
                if (!d.wet_levels[n]) continue;
                const double here = d.area_center.empty() ? 1 : d.area_center[n];
                set.bytes() == 4 ? body(((float*)f.at[b])[at], here)
                                 : body(((double*)f.at[b])[at], here);
            }
    }
}

void SurfaceBalance::adjoint(Given, Given gradient) const {
    const Field& f = gradient[flux];
    each_area(gradient.set, f, [](auto& value, double here) { value /= here; });
    const double mean = content(gradient.set, f.name, false) / area;
    each_area(gradient.set, f, [&](auto& value, double here) { value = (value - mean) * here; });
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
