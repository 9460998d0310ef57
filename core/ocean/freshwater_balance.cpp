#include "ocean/freshwater_balance.hpp"
#include "sequence/diagnostics.hpp"

namespace fathom::ocean {

static void take_away(Sequence& s, const Field& f, double mean) {
    const int h = s.domain->halo;
    for (std::size_t b = 0; b < s.domain->blocks.size(); ++b) {
        auto subtract = [&](auto* row) {
            for (int c = 0; c < s.domain->blocks[b]->nx + 2 * h; ++c) row[c] -= mean;
        };
        for (int r = 0; r < s.domain->blocks[b]->ny + 2 * h; ++r)
            if (s.bytes == 4)
                subtract((float*)f.at[b] + r * f.row[b]);
            else
                subtract((double*)f.at[b] + r * f.row[b]);
    }
}

void balance(Sequence& s, std::string_view process, std::string_view name) {
    const Field& f = s.field(name);
    const Domain& d = *s.domain;
    double area = 0;  // each rank knows all columns
    for (std::size_t n = 0; n < d.wet_levels.size(); ++n)
        if (d.wet_levels[n]) area += d.area_center.empty() ? 1 : d.area_center[n];
    s.attach(process, [&s, &f, area] { take_away(s, f, content(s, f.name, false) / area); });
}

}  // namespace fathom::ocean
