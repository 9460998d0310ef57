/// The same as stencils/in_registers.hpp in a thread of a device, number by number.
#pragma once
#include "base/several.hpp"

namespace fathom {

template <class T> struct InThread {
    using Number = T;
    using Four = Several<T, 4>;
    using Real = Several<T, cell_width<T>>;
    static constexpr int fields = 4, together = Real::width / fields;
    template <int first> static constexpr Real spread(Four w) {
        Real r;
        for (int n = 0; n < Real::width; ++n) r[n] = w[first + n / fields];
        return r;
    }
    static constexpr Real repeat(Four w) {
        Real r;
        for (int n = 0; n < Real::width; ++n) r[n] = w[n % fields];
        return r;
    }
    static constexpr void add_points(const Real& sum, T* four) {
        for (int f = 0; f < fields; ++f) {
            T total = sum[f];
            for (int m = 1; m < together; ++m) total += sum[m * fields + f];
            four[f] = total;
        }
    }
};

}  // namespace fathom
