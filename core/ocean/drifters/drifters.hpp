/// Drifters: particles that move with the flow of the B grid, by the classical fourth-order
/// Runge-Kutta scheme, with one of its steps per step of the model.
///
/// A drifter is at (i + a, j + b, l): in the cell (i, j), a and b of its width from west and south,
/// l layers from the surface. In the cell and its layer k
///   da/dt = (bilinear in a, b) u / dx,   db/dt = (bilinear) v / dy
///       of the four corners, dry ones 0; u, v linear in time between both ends of the step
///   dl/dt = -[(1 - s) W_k + s W_k+1] / (A h),   s = l - k
///       W the volume that rises through its top and bottom; 0 at surface and sea floor
/// Velocity vanishes on walls, W on the bottom, so that the flow itself stays in the water; a step
/// of finite length that would end in rock ends at the wall. A drifter at constant depth keeps its
/// l.
///
/// It belongs to the rank of its cell, and reads that rank's block and halo only: its bits do not
/// depend on ranks, blocks or threads.
#pragma once
#include "field/global_process.hpp"
#include "ocean/drifters/motion.hpp"

namespace fathom::ocean {

class Drifters final : public GlobalProcess {
public:
    /// step [s]; flat: at constant depth; own_cells: cells of one layer differ in thickness.
    Drifters(double step, bool flat, bool own_cells);
    void prepare(Given) override;
    void apply(Given) override;
    bool apply_on(Device&, Given) override;
    bool lives_on(Device&) override { return true; }
    /// Adds drifters, given on all ranks: each rank keeps those in its cells.
    void put(std::span<const Drifter> given);
    std::vector<Drifter> own;  ///< of this rank, by number

private:
    int block_of(const Drifter&) const;  ///< -1: of another rank
    template <class Find> std::vector<DriftBlock> blocks(Find) const;
    template <class Number> void move(std::span<const DriftBlock>);
    void settle();
    void migrate();

    const Item u = reads("velocity_x", place::corner_vector_layer, "m s-1", 2),
               v = reads("velocity_y", place::corner_vector_layer, "m s-1", 2),
               u_after = reads("velocity_x_after", place::corner_vector_layer, "m s-1", 2),
               v_after = reads("velocity_y_after", place::corner_vector_layer, "m s-1", 2),
               up = reads("transport_up", place::center_interface, "m3 s-1", 1),
               dx = reads("dx_corner", place::corner_column, "m", 2),
               dy = reads("dy_corner", place::corner_column, "m", 2),
               area = reads("area_center", place::center_column, "m2", 1),
               height = reads("sea_surface_height", place::center_column, "m", 1), thickness;
    const double step;
    const bool flat;
    std::shared_ptr<const Domain> domain;
    std::vector<std::vector<int>> wet, wet_corners;  // of each block
    std::shared_ptr<Device> device;
    std::shared_ptr<DriftersOnDevice> there;
};

}  // namespace fathom::ocean
