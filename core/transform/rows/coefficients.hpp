/// Coefficients of some fields: input and output of transforms.
#pragma once
#include <cstddef>
#include "transform/fourier/register.hpp"

namespace fathom {

/// Those of own wave i (RowTransform::own), part c (0: re, 1: im), field f are at
/// at[(2 i + c) stride + f]. Layouts of one model share one array: stride is all of its fields.
template <class Number> struct Coefficients {
    Number* at = nullptr;
    std::ptrdiff_t stride = 0;
};

/// Numbers of neighbouring fields: a register of them or (not `whole`) the first `count`.
template <class Number, bool whole> struct Fields {
    using V = Register<Number>;
    int count;
    struct Complex {
        V re, im;
    };
    V get(const Number* p) const {
        if constexpr (whole)
            return V::load(p);
        else
            return load_some<V>(p, count);
    }
    void put(V x, Number* p) const {
        if constexpr (whole)
            x.store(p);
        else
            store_some(x, p, count);
    }
    V real(double x) const { return V(Number(x)); }
};

}  // namespace fathom
