#include "grid/place.hpp"

namespace fathom {

const char* name(Horizontal h) {
    switch (h) {
        case Horizontal::center: return "center";
        case Horizontal::corner: return "corner";
        case Horizontal::east_face: return "east_face";
        case Horizontal::north_face: return "north_face";
        case Horizontal::none: break;
    }
    return "profile";
}
const char* name(Vertical v) {
    return v == Vertical::layer ? "layer" : v == Vertical::interface ? "interface" : "column";
}

}  // namespace fathom
