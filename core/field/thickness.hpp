/// How thick cells are: as their layer, alike in all columns (full cells), or each as itself: a
/// bottom cell that is cut, layers that follow the surface. A scheme that says `template <bool
/// own>` is written once for both; its line of the catalogue, `entry<Scheme>("Scheme")`, makes both
/// entries.
#pragma once
#include "field/field.hpp"

namespace fathom {

template <bool own> consteval Use cell_thickness(int reach = 0) {
    return own ? reads("cell_thickness", place::center_layer, "m", reach)
               : reads("thickness", place::profile, "m");
}
/// After the step.
template <bool own> consteval Use cell_thickness_after() {
    return own ? reads("cell_thickness_after", place::center_layer, "m")
               : reads("thickness_after", place::profile, "m");
}
/// Of the least of the four cells round a corner: what the velocity fills.
template <bool own> consteval Use corner_thickness(int reach = 0) {
    return own ? reads("corner_thickness", place::corner_layer, "m", reach)
               : reads("thickness", place::profile, "m");
}

template <class Real, bool own, int reach = 0>
using Thickness = std::conditional_t<own, In<Real, reach>, Profile<Real>>;

/// The thickness next door; of a layer it is the same.
template <class Real> Profile<Real> beside(Profile<Real> layers, Shift) { return layers; }
template <class Real, int reach> In<Real, reach> beside(In<Real, reach> cells, Shift s) {
    return cells(s);
}

}  // namespace fathom
