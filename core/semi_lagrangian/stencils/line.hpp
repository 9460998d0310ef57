/// Own points next to each other in a row, and how they are held: on a processor 64 at once, in
/// registers of neighbouring points; in a thread of a device one.
#pragma once
#include <span>
#include <vector>
#include "base/pack.hpp"

namespace fathom {

/// Block, row of it, level, column of it; how many. i0, j: of the globe.
struct Line {
    int b, r, k, column, i0, j, count;
};

/// Of so many points; in a thread the compiler knows how many.
template <class By> constexpr int count_of(int count) { return By::most == 1 ? 1 : count; }

/// As std::copy_n, which calls a function that is not constexpr.
template <class T> constexpr void copy(const T* from, int count, T* to) {
    for (int n = 0; n < count; ++n) to[n] = from[n];
}

/// Tables in memory of the processor, or of a device.
template <class T> using ListHere = std::vector<T>;
template <class T> using ListThere = std::span<const T>;

template <class T, int beside> struct FourInRegisters;  // four_points.hpp
template <class T, int beside> struct FourInThread;

struct LinesHere {
    static constexpr int most = 64;
    template <class T> using List = ListHere<T>;
    template <class T> using Real = Pack<T, pack_width<T>>;
    template <class T, int beside> using Four = FourInRegisters<T, beside>;
};
struct LinesThere {
    static constexpr int most = 1;
    template <class T> using List = ListThere<T>;
    template <class T> using Real = Pack<T, 1>;
    template <class T, int beside> using Four = FourInThread<T, beside>;
};

}  // namespace fathom
