/// One field, as a thread of a device has it, in place of a register of fields (coefficients.hpp).
#pragma once
#include "base/pack.hpp"

namespace fathom {

template <class Number> struct OneField {
    using V = Pack<Number, 1>;
    struct Complex {
        V re, im;
    };
    static constexpr V get(const Number* p) { return V::load(p); }
    static constexpr void put(V x, Number* p) { x.store(p); }
    static constexpr V real(double x) { return V(Number(x)); }
};

}  // namespace fathom
