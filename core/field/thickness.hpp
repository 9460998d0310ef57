/// How thick cells are: as thick as their layer, the same in all columns (full cells), or each with
/// its own thickness: a cut bottom cell, layers that follow the surface. A scheme with `template
/// <bool own>` is written once for both; its line of the catalogue, `entry<Scheme>("Scheme")`,
/// makes both entries.
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
/// Of the thinnest of the four cells round a corner: the thickness of the velocity cell.
template <class Real, bool own, int reach = 0>
using CornerThickness =
    std::conditional_t<own, Reads<Real, "corner_thickness", place::corner_layer, "m", reach>,
                       ReadsProfile<Real, "thickness", "m">>;

/// The thickness of the neighbouring cell; the same for a layer.
template <class Real> constexpr Profile<Real> beside(Profile<Real> layers, Shift) { return layers; }
template <class Real, int reach> constexpr In<Real, reach> beside(In<Real, reach> cells, Shift s) {
    return cells(s);
}

}  // namespace fathom
