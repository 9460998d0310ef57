/// The launcher: the only place that knows on what a kernel runs. `columns` calls a body once for
/// each pack of columns of a row's wet cells: on a processor one after another, on a GPU each
/// column by a thread of its own. A .cpp file that is compiled as CUDA (nvcc -x cu) gets the second
/// form of the same kernels; `constexpr` is what makes them device code
/// (--expt-relaxed-constexpr).
#pragma once
#include <array>
#include <cstddef>
#if defined(__CUDACC__)
#include "base/error.hpp"
#endif

namespace fathom::launch {

#if defined(__CUDACC__)

/// Packs of one column: a thread each.
inline constexpr bool on_device = true;

/// Arguments travel to the device by value.
template <std::size_t number, class Argument> auto carried(const Argument* first) {
    std::array<Argument, number> all;
    for (std::size_t n = 0; n < number; ++n) all[n] = first[n];
    return all;
}

/// Where a kernel's own memory of this column lies: each thread has some.
template <int> constexpr int own_column(int column) { return column; }

template <int cell, class Cell, class Body>
__global__ void a_column(Body body, const Cell* first, int cells) {
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= cells * cell) return;
    const Cell& at = first[n / cell];
    body(at.column - first->column + n % cell, at.levels);
}

/// Cells lie in memory of the device.
template <int cell, int width, class Cell, class Body>
void columns(const Cell* first, const Cell* last, const Body& body) {
    static_assert(width == 1, "a thread of a device has one column");
    constexpr int threads = 128;
    const int cells = int(last - first);
    a_column<cell><<<(cells * cell + threads - 1) / threads, threads>>>(body, first, cells);
    if (const auto wrong = cudaGetLastError(); wrong != cudaSuccess)
        throw Error("a kernel could not be started: ", cudaGetErrorString(wrong));
}

#else

inline constexpr bool on_device = false;

template <std::size_t, class Argument> const Argument* carried(const Argument* first) {
    return first;
}

/// One cell after another uses the same.
template <int cell> constexpr int own_column(int column) { return column % cell; }

/// cell: columns of a cell; width: those of a pack.
template <int cell, int width, class Cell, class Body>
[[gnu::always_inline]] inline void columns(const Cell* first, const Cell* last, const Body& body) {
    for (const Cell* c = first; c != last; ++c)
        for (int column = c->column - first->column, end = column + cell; column < end;
             column += width)
            body(column, c->levels);
}

#endif

}  // namespace fathom::launch
