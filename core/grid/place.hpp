/// The place of a value: in the middle of a cell, at its north-east corner, on its eastern or
/// northern face; in a layer, at the interface above it, or one value per column. A vector
/// component changes its sign where the grid is folded.
#pragma once

namespace fathom {

enum class Horizontal { center, corner, east_face, north_face, none };
enum class Vertical { layer, interface, column };
struct Place {
    Horizontal horizontal;
    Vertical vertical;
    bool vector = false;
    bool operator==(const Place&) const = default;
};
namespace place {
inline constexpr Place center_layer{Horizontal::center, Vertical::layer},
    center_interface{Horizontal::center, Vertical::interface},
    center_column{Horizontal::center, Vertical::column};
inline constexpr Place corner_layer{Horizontal::corner, Vertical::layer},
    corner_interface{Horizontal::corner, Vertical::interface},
    corner_column{Horizontal::corner, Vertical::column};
inline constexpr Place east_face_column{Horizontal::east_face, Vertical::column},
    north_face_column{Horizontal::north_face, Vertical::column};
inline constexpr Place corner_vector_layer{Horizontal::corner, Vertical::layer, true},
    corner_vector_column{Horizontal::corner, Vertical::column, true};
inline constexpr Place profile{
    Horizontal::none, Vertical::interface};  ///< one value per level, the same in all columns
}  // namespace place
const char* name(Horizontal);
const char* name(Vertical);

}  // namespace fathom
