/// Places by their names in Python.
#pragma once
#include <string>
#include "base/error.hpp"
#include "grid/place.hpp"

namespace fathom {

inline Place place_of(const std::string& horizontal, const std::string& vertical, bool vector) {
    if (vertical == "profile") return place::profile;
    for (auto h : {Horizontal::center, Horizontal::corner, Horizontal::east_face,
                   Horizontal::north_face, Horizontal::none})
        for (auto v : {Vertical::layer, Vertical::interface, Vertical::column})
            if (horizontal == name(h) && vertical == name(v)) return {h, v, vector};
    throw Error("no place ", horizontal, " ", vertical,
                "; allowed: center, corner, east_face, north_face, profile and layer, interface, "
                "column");
}

}  // namespace fathom
