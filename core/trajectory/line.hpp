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
