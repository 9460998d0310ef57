#include "grid/vertical.hpp"
#include <cmath>
#include "base/error.hpp"

namespace fathom {

VerticalGrid levels_from_thickness(std::vector<double> thickness) {
    if (thickness.empty()) throw Error("levels need at least one thickness [m]");
    VerticalGrid v;
    v.interface_depth.push_back(0);
    for (std::size_t k = 0; k < thickness.size(); ++k) {
        if (!(thickness[k] > 0 && std::isfinite(thickness[k])))
            throw Error("thickness[", k, "] = ", thickness[k], " m must be positive");
        v.interface_depth.push_back(v.interface_depth[k] + thickness[k]);
        v.layer_depth.push_back(v.interface_depth[k] + 0.5 * thickness[k]);
    }
    v.thickness = std::move(thickness);
    return v;
}

static void check(int number, double depth) {
    if (number < 1 || number > 10000)
        throw Error("nz = ", number, " levels must lie in [1, 10000]");
    if (!(depth > 0 && depth <= 20000)) throw Error("depth = ", depth, " m must lie in (0, 20000]");
}

/// The sum of the thicknesses may differ from the depth in its last bit.
static VerticalGrid down_to(double depth, VerticalGrid v) {
    v.interface_depth.back() = depth;
    return v;
}

VerticalGrid uniform_levels(int number, double depth) {
    check(number, depth);
    return down_to(depth, levels_from_thickness(std::vector<double>(number, depth / number)));
}

VerticalGrid stretched_levels(int number, double depth, double surface) {
    check(number, depth);
    const double mean = depth / number;
    if (!(surface > 0 && surface <= mean))
        throw Error("surface = ", surface, " m (thickness of the first layer) must lie in (0, ",
                    mean, "], the mean of ", number, " layers over ", depth, " m");
    if (number == 1) return uniform_levels(1, depth);
    std::vector<double> thickness(number);
    double sum = 0;
    for (int k = 0; k < number - 1; ++k) {  // the steps sum to number / 2
        const double t = double(k) / (number - 1);
        sum += thickness[k] = surface + 2 * (mean - surface) * t * t * t * (10 - t * (15 - 6 * t));
    }
    thickness.back() = depth - sum;
    return down_to(depth, levels_from_thickness(std::move(thickness)));
}

}  // namespace fathom
