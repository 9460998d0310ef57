/// The wind over the poles of the sphere: one vector per level, from the nearest row of u,
///   (V_x, V_y) = 2 / nx  sum over i of u_i (-sin, cos)(longitude_i)
/// It is the northward wind of each meridian on the pole: of the last row of y_wind, and of the row
/// before the first one, which lies in the halo. The heights of levels beyond the poles are those
/// across them, for the slope in the direction of this wind.
#pragma once
#include "atmosphere/gridpoint/air.hpp"
#include "field/global_process.hpp"

namespace fathom::atmosphere {

class PoleWind final : public GlobalProcess {
public:
    /// suffix: of the names of the wind; "_start" for the wind that trajectories carry.
    explicit PoleWind(const std::string& suffix = "")
        : GlobalProcess("PoleWind" + suffix),
          u(reads("x_wind" + suffix, place::east_face_layer, "m s-1")),
          z(reads("interface_height", place::center_interface, "m")),
          v(updates("y_wind" + suffix, place::north_face_layer, "m s-1")) {}
    void prepare(Given) override;
    void apply(Given) override;
    bool apply_on(Device&, Given) override;
    bool lives_on(Device&) override { return true; }

private:
    const Item u, z, v;
    struct Direction {
        double sine, cosine;
    };
    std::vector<Direction> half_columns;  // longitudes of centres and of eastern faces, alternating
    template <class T> void across(Given) const;
    /// take(block, row, level): the wind of a row; give(block, row, level, column, value).
    template <class Take, class Give> void blow(const Domain&, Take, Give) const;
};

}  // namespace fathom::atmosphere
