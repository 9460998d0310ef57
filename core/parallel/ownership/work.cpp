#include "parallel/ownership/work.hpp"
#include <algorithm>

namespace fathom {

WorkTable::WorkTable(Topology t, std::span<const int> wet, int halo)
    : topology(t), wet(wet), halo(halo), wet_sum((t.nx + 1) * std::size_t(t.ny + 1)) {
    const std::size_t row = t.nx + 1;
    for (int j = 0; j < t.ny; ++j) {
        int sum = 0;
        for (int i = 0; i < t.nx; ++i) {
            const int levels = wet[std::size_t(j) * t.nx + i];
            deepest = std::max(deepest, levels);
            sum += levels != 0;
            wet_sum[(j + 1) * row + i + 1] = wet_sum[j * row + i + 1] + sum;
        }
    }
}

bool WorkTable::water(int i0, int j0, int nx, int ny) const {
    const std::size_t row = topology.nx + 1, south = j0 * row, north = (j0 + ny) * row;
    return wet_sum[north + i0 + nx] - wet_sum[north + i0] - wet_sum[south + i0 + nx] +
               wet_sum[south + i0] >
           0;
}

const WorkTable::Packs& WorkTable::aligned(int alignment) const {
    Packs& p = packs[alignment];
    if (!p.sum.empty()) return p;
    const auto [nx, ny, periodic, fold, periodic_j] = topology;
    p.first = alignment - (halo + alignment + 7) / 8 * 8;
    p.count = (nx + halo - p.first + 7) / 8;
    const std::size_t row = p.count + 1;
    p.sum.resize(row * (ny + 1));
    for (int j = 0; j < ny; ++j) {
        double sum = 0;
        bool before = false;  // water in the pack before
        for (int n = 0; n < p.count; ++n) {
            int levels = 0, idle = 0;  // idle: of points without a column
            for (int i = p.first + 8 * n; i < p.first + 8 * n + 8; ++i)
                if (periodic || (i >= 0 && i < nx)) {
                    const int here = wet[std::size_t(j) * nx + (i + 8 * nx) % nx];
                    levels = std::max(levels, here), idle = std::max(idle, -here);
                }
            sum += levels ? 8 * (levels + column) + (before ? 0 : coast) : 8 * idle;
            before = levels > 0;
            p.sum[(j + 1) * row + n + 1] = p.sum[j * row + n + 1] + sum;
        }
    }
    return p;
}

double WorkTable::block(int i0, int j0, int nx, int ny) const {
    const Packs& p = aligned(((i0 - halo) % 8 + 8) % 8);
    const int first = (i0 - halo - p.first) / 8,
              last = std::min(first + (nx + 2 * halo + 7) / 8, p.count);
    // on average one row of the halo is computed, if any
    const int around = halo > 0;
    const int south = std::max(j0 - around, 0), north = std::min(j0 + ny + around, topology.ny);
    const std::size_t width = p.count + 1;
    const double levels = p.sum[north * width + last] - p.sum[north * width + first] -
                          p.sum[south * width + last] + p.sum[south * width + first];
    return levels + edges(nx, ny);
}

}  // namespace fathom
