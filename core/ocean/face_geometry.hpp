/// The geometry that lateral schemes share: of the faces of cells their lengths and the distances
/// of the centres beside them, of corners their spacing.
#pragma once
#include "field/joined.hpp"

namespace fathom::ocean {

inline constexpr std::array face_geometry{
    reads("length_north_face", place::north_face_column, "m", 1),
    reads("dy_north_face", place::north_face_column, "m", 1),
    reads("length_east_face", place::east_face_column, "m", 1),
    reads("dx_east_face", place::east_face_column, "m", 1)};

inline constexpr std::array corner_and_face_geometry =
    joined(reads("dx_corner", place::corner_column, "m", 1),
           reads("dy_corner", place::corner_column, "m", 1), face_geometry);

}  // namespace fathom::ocean
