/// Semi-Lagrangian processes on a device, as the processor asks for them: their tables, and values
/// of a place at departure points.
#pragma once
#include "atmosphere/gridpoint/on_device.hpp"
#include "atmosphere/gridpoint/sphere_lines.hpp"

namespace fathom::atmosphere {

template <class T> CarrierTables<T> carrier_tables(const Domain& d, const GridPointSetup& s) {
    const auto& t = d.decomposition.topology;
    const bool sphere = s.radius > 0;
    const auto plane = [&](Edge edge) { return EvenPlane<T>{t.nx, t.ny, edge, {t.nx, t.ny}}; };
    std::vector<Line> columns;
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        const Block& block = *d.blocks[b];
        for (int r = 0; r < block.ny; ++r)
            for (int i = 0; i < block.nx; ++i)
                columns.push_back({b, r, 0, i, block.i0 + i, block.j0 + r, 1});
    }
    CarrierTables<T> all{std::move(columns),
                         d.halo,
                         plane(sphere ? edge_of(s, Edge::beside_pole) : edge_of_plane(d, false)),
                         plane(sphere ? edge_of(s, Edge::on_pole) : edge_of_plane(d, true)),
                         LevelNodes<T>(s.heights),
                         LevelNodes<T>(middles(s.heights)),
                         LevelNodes<T>(of_tracers(s.heights)),
                         T(s.implicitness * s.step),
                         T((1 - s.implicitness) * s.step),
                         {T(1 / s.dx), T(1 / s.dy), middles_around<T>(d)},
                         std::nullopt,
                         T(s.radius),
                         s.deep};
    if (sphere) all.on_sphere = sphere_departures<T>(d, s);
    return all;
}

template <class T, int fields>
void carry_on(Device& device, CarrierOnDevice& there, RowsOf place, EvenRows<T, fields>& rows,
              const CarrierOnDevice::Fields& by, const CarrierOnDevice::Fields& from,
              const CarrierOnDevice::Fields& to) {
    until_covered_on(device, rows, there.rows(place), from,
                     [&] { there.transport(place, by, to, {}); });
}

}  // namespace fathom::atmosphere
