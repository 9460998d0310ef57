/// The common part of semi-Lagrangian processes on even rows: they work on lines of own points, and
/// request the points that departures need.
#pragma once
#include <algorithm>
#include <vector>
#include "machine/spent.hpp"
#include "semi_lagrangian/plane/even_rows.hpp"

namespace fathom {

template <class Body>
void for_each_line(const Domain& d, PlaneInside inside, int levels, Body body) {
    constexpr int most = Departures<float>::most;
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        const Block& block = *d.blocks[b];
        const int rows = std::min(block.ny, inside.rows - block.j0),
                  columns = std::min(block.nx, inside.columns - block.i0);
#pragma omp parallel for collapse(2) schedule(dynamic, 4)
        for (int r = 0; r < rows; ++r)
            for (int k = 0; k < levels; ++k)
                for (int c = 0; c < columns; c += most)
                    body(Line{b, r, k, c, block.i0 + c, block.j0 + r, std::min(most, columns - c)});
    }
}
template <class Body> void for_each_line(const Domain& d, int levels, Body body) {
    const auto& t = d.decomposition.topology;
    for_each_line(d, PlaneInside{t.nx, t.ny}, levels, body);
}
/// The same; adds the processor time of each row of the globe to `seconds`, where it has rows.
template <class Body>
void for_each_line(const Domain& d, int levels, std::vector<double>& seconds, Body body) {
    if (seconds.empty()) return for_each_line(d, levels, body);
    for_each_line(d, levels, [&](const Line& l) {
        const double began = processor_seconds();
        body(l);
        const double spent = processor_seconds() - began;
#pragma omp atomic
        seconds[l.j] += spent;
    });
}
template <class T> T* at(const Domain& d, const FieldSlab& f, const Line& l) {
    return (T*)f.at[l.b] + (l.r + d.halo) * f.row[l.b] + l.k * f.level[l.b] + d.halo + l.column;
}

/// Interpolates again until all points that departures need are there. anew: the fields differ from
/// the last ones.
template <class T, int fields, class Work>
void until_covered(EvenRows<T, fields>& rows, const Domain& d,
                   std::span<const FieldSlab* const> from, Work work, bool anew = true) {
    if (anew) rows.pack(d, from), rows.surround();
    for (work(); rows.around.cover(); work()) rows.surround();
}
/// The same in memory of a device.
template <class T, int fields, class Work>
void until_covered_on(Device& device, EvenRows<T, fields>& rows, EvenRowsOnDevice& there,
                      std::span<const FieldSlab> from, Work work, bool anew = true) {
    if (anew) there.pack(from), rows.surround_on(device, there);
    for (work(); rows.around.cover_on(device); work()) rows.surround_on(device, there);
}

}  // namespace fathom
