/// The points of a row by registers: body(a register of what kind, first point). The last points
/// are computed twice where they do not fill one, so nothing may be read that is written.
#pragma once
#include <algorithm>
#include "base/pack.hpp"

namespace fathom {

template <class T, class Body> void each_pack(int count, Body body) {
    constexpr int width = cell_width<T>;
    if (count < width)
        for (int i = 0; i < count; ++i) body(Pack<T, 1>(T(0)), i);
    else
        for (int i = 0; i < count; i += width)
            body(Pack<T, width>(T(0)), std::min(i, count - width));
}

}  // namespace fathom
