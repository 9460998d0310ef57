#pragma once

namespace fathom {

/// The value, in a register: otherwise the compiler reads it from memory once for each use.
template <class V> [[gnu::always_inline]] inline V in_register(V x) {
    if constexpr (V::width > 1) asm("" : "+x"(x.lanes));
    return x;
}

}  // namespace fathom
