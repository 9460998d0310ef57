/// Motion of sea ice as an elastic-viscous-plastic body (Hunke & Dukowicz 1997, J. Phys. Oceanogr.
/// 27, 1849-1867; 2002, Mon. Wea. Rev. 130, 1848-1865), on the corners of the B grid:
///
///   m du/dt = a tau_a + a tau_w - m f k x u - m g grad eta + div sigma,
///       tau_w = rho_w c_w |U_w - u| (U_w - u)
///   sigma_1 + 2T d sigma_1/dt = P/D D_D - P D/(D + D_0),     sigma_1 = sigma_11 + sigma_22
///   e^2 sigma_2 + 2T d sigma_2/dt = P/D D_T,                 sigma_2 = sigma_11 - sigma_22
///   e^2 sigma_12 + 2T d sigma_12/dt = P/2D D_S
///   D^2 = D_D^2 + (D_T^2 + D_S^2) / e^2,    P = P* h exp(-C (1 - a)),   T = 0.36 tau
///
/// with D_D divergence, D_T tension, D_S shear at the centres of cells, on a curved grid
///   D_D = 1/A [d(u dy) + d(v dx)],   D_T = 1/A [dy^2 d(u / dy) - dx^2 d(v / dx)],
///       D_S = 1/A [dx^2 d(u / dx) + dy^2 d(v / dy)]
/// (0 for a rotation of the sphere), and the force on a corner minus the derivative of the power
///   sum A / 2 (sigma_1 D_D + sigma_2 D_T + 2 sigma_12 D_S)
/// with respect to its velocity: the stress removes exactly the energy that the ice loses.
/// `subcycles` small steps per step; drag and rotation are implicit in each. The ocean gets (1 - a)
/// tau + a tau_w back.
#pragma once
#include <memory>
#include "field/global_process.hpp"
#include "ocean/sea_ice/equations.hpp"
#include "parallel/halo/exchange.hpp"

namespace fathom::ocean {

class IceDynamics final : public GlobalProcess {
public:
    using Parameters = IceParameters;
    explicit IceDynamics(Parameters);
    void prepare(Given) override;
    void apply(Given) override;
    bool apply_on(Device&, Given) override;
    bool lives_on(Device&) override { return true; }

private:
    struct There;  ///< all of it on a device
    struct Block;  ///< of one block: its geometry, and its working memory
    const Item area = reads("sea_ice_area", place::center_column, "1", 1),
               volume = reads("sea_ice_volume", place::center_column, "m", 1),
               snow = reads("sea_ice_snow", place::center_column, "m", 1),
               height = reads("sea_surface_height", place::center_column, "m", 1),
               current_x = reads("velocity_x", place::corner_vector_layer, "m s-1"),
               current_y = reads("velocity_y", place::corner_vector_layer, "m s-1"),
               wind_x = reads("ice_stress_x", place::corner_vector_column, "N m-2"),
               wind_y = reads("ice_stress_y", place::corner_vector_column, "N m-2"),
               coriolis = reads("coriolis", place::corner_column, "s-1"),
               dx = reads("dx_corner", place::corner_column, "m", 1),
               dy = reads("dy_corner", place::corner_column, "m", 1),
               dx_center = reads("dx_center", place::center_column, "m", 1),
               dy_center = reads("dy_center", place::center_column, "m", 1),
               wet = reads("wet_levels", place::center_column, "1", 1),
               stress_x = updates("surface_stress_x", place::corner_vector_column, "N m-2"),
               stress_y = updates("surface_stress_y", place::corner_vector_column, "N m-2"),
               u = updates("ice_velocity_x", place::corner_vector_column, "m s-1"),
               v = updates("ice_velocity_y", place::corner_vector_column, "m s-1"),
               sum = updates("ice_stress_sum", place::center_column, "N m-1"),
               difference = updates("ice_stress_difference", place::center_column, "N m-1"),
               shear = updates("ice_stress_shear", place::center_column, "N m-1");
    Parameters parameters;
    std::vector<std::shared_ptr<Block>> blocks;
    std::unique_ptr<Exchange> velocities, stresses;  ///< halos
    std::vector<FieldSlab> moving, resting;
    std::shared_ptr<There> there;
    void exchange(Exchange&, std::vector<FieldSlab>&, Mover* = nullptr);
    void live_on(Device&);
    void fill(Given, int block);
    void put_under_ice(Given, const Field&, int block, bool along_x);
};

}  // namespace fathom::ocean
