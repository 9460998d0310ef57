/// How thick cells are: as their layer, alike in all columns (full cells), or each as itself: a
/// bottom cell that is cut, layers that follow the surface. A scheme that says `template <bool
/// own>` is written once for both; its line of the catalogue, `entry<Scheme>("Scheme")`, makes both
/// entries.
#pragma once
#include "field/field.hpp"

namespace fathom {

template <class Real, bool own, int reach = 0>
using CellThickness =
    std::conditional_t<own, Reads<Real, "cell_thickness", place::center_layer, "m", reach>,
                       ReadsProfile<Real, "thickness", "m">>;
/// After the step.
template <class Real, bool own>
using CellThicknessAfter =
    std::conditional_t<own, Reads<Real, "cell_thickness_after", place::center_layer, "m">,
                       ReadsProfile<Real, "thickness_after", "m">>;
/// Of the least of the four cells round a corner: what the velocity fills.
template <class Real, bool own, int reach = 0>
using CornerThickness =
    std::conditional_t<own, Reads<Real, "corner_thickness", place::corner_layer, "m", reach>,
                       ReadsProfile<Real, "thickness", "m">>;

/// The thickness next door; of a layer it is the same.
template <class Real> constexpr Profile<Real> beside(Profile<Real> layers, Shift) { return layers; }
template <class Real, int reach> constexpr In<Real, reach> beside(In<Real, reach> cells, Shift s) {
    return cells(s);
}

}  // namespace fathom
