/// The geometry that lateral schemes share: for faces of cells, their lengths and the distances of
/// the centres next to them; for corners, their spacing.
#pragma once
#include "field/field.hpp"

namespace fathom::ocean {

template <class Real> struct FaceGeometry {
    Reads<Real, "length_north_face", place::north_face_column, "m", 1> length_north;
    Reads<Real, "dy_north_face", place::north_face_column, "m", 1> distance_north;
    Reads<Real, "length_east_face", place::east_face_column, "m", 1> length_east;
    Reads<Real, "dx_east_face", place::east_face_column, "m", 1> distance_east;
};

template <class Real> struct CornerAndFaceGeometry {
    Reads<Real, "dx_corner", place::corner_column, "m", 1> dx;
    Reads<Real, "dy_corner", place::corner_column, "m", 1> dy;
    FaceGeometry<Real> faces;
};

}  // namespace fathom::ocean
