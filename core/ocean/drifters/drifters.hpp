/// Drifters: particles that go with the flow of the B grid, by the classical Runge-Kutta scheme of
/// fourth order, one step of it a step of the model.
///
/// A drifter is at (i + a, j + b, l): in the cell (i, j), a and b of its width from west and south,
/// l layers from the surface. In the cell and its layer k
///   da/dt = (bilinear in a, b) u / dx,   db/dt = (bilinear) v / dy
///       of the four corners, dry ones 0; u, v linear in time between both ends of the step
///   dl/dt = -[(1 - s) W_k + s W_k+1] / (A h),   s = l - k
///       W the volume that rises through its top and bottom; 0 at surface and sea floor
/// Velocity vanishes on walls, W on the bottom, so that the flow itself keeps to the water; a step
/// of finite length that would end in rock ends at the wall. A drifter at constant depth keeps its
/// l.
///
/// It belongs to the rank of its cell, and reads that rank's block and halo only: its bits depend
/// on no ranks, blocks or threads.
#pragma once
#include "sequence/sequence.hpp"

namespace fathom::ocean {

struct Drifter {
    std::int64_t number;
    std::int32_t i, j;
    double a, b, level;
};

class Drifters {
public:
    /// process: a Drift of the sequence; flat: at constant depth; step [s].
    Drifters(Sequence&, const std::string& process, double step, bool flat);
    void put(std::span<const Drifter>
                 given);       ///< more of them, the same on all ranks: each keeps its own
    std::vector<Drifter> own;  ///< of this rank, by number

private:
    struct Rate {
        double a, b, level;
    };
    struct Place {
        int b, row, column;
    };  ///< block, and within it with its halo
    void advance();
    Drifter moved(const Drifter&) const;
    Rate rate(const Place&, const Drifter& start, const Rate& displacement, double time) const;
    void migrate();
    int wet(int i, int j) const { return sequence.domain->wet(Horizontal::center, i, j); }
    Place place(const Drifter&) const;
    double value(const Field*, const Place&, int di, int dj, int k) const;
    Sequence& sequence;
    const double step;
    const bool flat;
    const Field *u, *v, *u_after, *v_after, *up, *dx, *dy, *area, *height, *thickness;
};

}  // namespace fathom::ocean
