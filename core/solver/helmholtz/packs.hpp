/// The points of a row in registers: body(an example of the register, first point). The last points
/// are computed twice if they do not fill a register, so the body must not read its own results.
#pragma once
#include <algorithm>
#include "base/pack.hpp"

namespace fathom {

template <class T, class Body> void each_pack(int count, Body body) {
    constexpr int width = pack_width<T>;
    if (count < width)
        for (int i = 0; i < count; ++i) body(Pack<T, 1>(T(0)), i);
    else
        for (int i = 0; i < count; i += width)
            body(Pack<T, width>(T(0)), std::min(i, count - width));
}

}  // namespace fathom
