/// The relaxation of the coupling zone of a limited area (coupling.hpp), of a point, on a processor
/// and in a thread of a device.
#pragma once
#include <vector>
#include "parallel/halo/packing.hpp"

namespace fathom::atmosphere {

/// The weight of the outer model where that of the place is alpha and that of the level alpha_k.
template <class T> constexpr T share_of_outer(double alpha, double alpha_k) {
    return T(alpha + alpha_k * (1 - alpha));
}
/// Between two times; weight: of the later one.
template <class T> constexpr T outer_at(T first, T last, T weight) {
    return first + weight * (last - first);
}
template <class T> constexpr T relaxed(T x, T outer, T share) {
    const T between = x + share * (outer - x);
    return share == T(1) ? outer : share > 0 ? between : x;
}

struct RelaxedPoints {
    struct Point {
        int block, row, column;  ///< where it is stored
        double alpha;
    };
    int bytes;  ///< of a number
    std::vector<Point> points;
    std::vector<double> upper;  ///< alpha_k of all levels
};

class RelaxationOnDevice {
public:
    virtual ~RelaxationOnDevice() = default;
    /// weight: a profile, whose first number it is.
    virtual void relax(const FieldSlab& field, const FieldSlab& before, const FieldSlab& after,
                       const FieldSlab& weight) = 0;
};

}  // namespace fathom::atmosphere
