/// The leapfrog and its time filter (leapfrog_scheme.cpp) of a column of coefficients, on a
/// processor and in a thread of a device.
#pragma once

namespace fathom::atmosphere {

/// (X, X-, F) -> (X, X- - 2 X, X- + whole F)
template <class T> constexpr void leap(const T* now, T* before, T* next, int count, T whole) {
    for (int k = 0; k < count; ++k) {
        next[k] = before[k] + whole * next[k];
        before[k] -= 2 * now[k];
    }
}

/// (X, X- - 2 X, X+) -> (X+, X)
template <class T> struct TimeFilter {
    T share, rest;
    constexpr void operator()(T* now, T* before, const T* next, int count) const {
        for (int i = 0; i < count; ++i) {
            const T d = before[i] + next[i];
            before[i] = now[i] + share * d;
            now[i] = next[i] - rest * d;
        }
    }
};

}  // namespace fathom::atmosphere
