/// Levels: k = 0 at the surface, k grows downward; n layers between n + 1 interfaces, the layer's
/// depth in its middle [m].
///   stretched: thickness(k) = surface + (bottom - surface) t^3 (10 - 15 t + 6 t^2),
///              t = k / (number - 1),   bottom such that the sum is `depth`
/// Smooth, and flat at both ends, so that centred vertical differences stay second-order accurate:
/// 40 levels to 5500 m from 10 m are 10 m to 265 m thick, eight of them in the upper 100 m.
#pragma once
#include <vector>

namespace fathom {

struct VerticalGrid {
    std::vector<double> thickness, interface_depth, layer_depth;
    int levels() const { return int(thickness.size()); }
    double depth() const { return interface_depth.back(); }
};

VerticalGrid levels_from_thickness(std::vector<double> thickness);
VerticalGrid uniform_levels(int number, double depth);
/// surface: thickness of the first layer.
VerticalGrid stretched_levels(int number, double depth, double surface);

}  // namespace fathom
