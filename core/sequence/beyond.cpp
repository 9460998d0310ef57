#include "sequence/beyond.hpp"
#include <cstring>

namespace fathom {

void Beyond::add(int field, const Field& f, const Domain& d) {
    const Topology& t = d.decomposition.topology;
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int r = 0; r < d.rows_of(b); ++r) {
            const int j = d.blocks[b]->j0 + r - d.halo, columns = d.columns_of(b);
            const auto inside = [&](int c) {
                return t.source(f.place.horizontal, d.blocks[b]->i0 + c - d.halo, j).inside;
            };
            for (int c = 0; c < columns;) {
                const int first = c;
                while (c < columns && !inside(c)) ++c;
                if (c > first) list.push_back({field, b, r, first, c - first});
                while (c < columns && inside(c)) ++c;
            }
        }
}

void Beyond::clear(FieldSet& set) const {
#pragma omp parallel for schedule(static) if (list.size() > 64)
    for (const Stretch& s : list) {
        const Field& f = set[s.field];
        for (int k = 0; k < f.levels; ++k)
            std::memset(f.at[s.block] + set.bytes() * (s.row * f.row[s.block] +
                                                       k * f.level[s.block] + s.column),
                        0, std::size_t(s.count) * set.bytes());
    }
}

}  // namespace fathom
