/// The launcher: the only place that knows what hardware a kernel runs on. `columns` calls a body
/// once for each pack of columns of wet cells, `each` once for each number, `totals` the same with
/// sums: on a processor one after another, on a GPU each by one thread. A .cpp file that is
/// compiled as CUDA (nvcc -x cu) gets the second form of the same kernels; `constexpr` makes them
/// device code (--expt-relaxed-constexpr).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#if defined(__CUDACC__)
#include "base/error.hpp"
#endif

namespace fathom {

/// Levels of a column: `count` in all, of which a call computes those from `first` to before `end`.
struct Levels {
    int count, first = 0, end = count;
    /// An interface is computed with the level below it, that at the bottom with the last level.
    constexpr bool has_interface(int k) const {
        return k >= first && (k < end || (k == count && end == count));
    }
    /// One of so many parts of them.
    constexpr Levels part(int n, int parts) const {
        return {count, n * count / parts, (n + 1) * count / parts};
    }
};

namespace launch {

#if defined(__CUDACC__)

/// Packs of one column: a thread each.
inline constexpr bool on_device = true;

/// A number that does not change while a kernel runs: it may be read early, and many at once.
template <class Number> constexpr Number unchanging(const Number* at) {
#if defined(__CUDA_ARCH__)
    return __ldg(at);
#else
    return *at;
#endif
}

/// All kernels, in their order.
inline cudaStream_t stream = nullptr;
inline constexpr int threads = 128;  // of a block
/// Of a block of columns: small, since a column needs many registers and runs long.
inline constexpr int column_threads = 64;

inline void started() {
    if (const auto wrong = cudaGetLastError(); wrong != cudaSuccess)
        throw Error("a kernel could not be started: ", cudaGetErrorString(wrong));
}

/// Arguments travel to the device by value.
template <std::size_t number, class Argument> auto carried(const Argument* first) {
    std::array<Argument, number> all;
    for (std::size_t n = 0; n < number; ++n) all[n] = first[n];
    return all;
}

/// Where a kernel's own memory for this column lies: each thread has some.
template <int> constexpr std::ptrdiff_t own_column(std::ptrdiff_t column) { return column; }

template <int cell, class Cell, class Body>
__global__ void a_column(Body body, const Cell* first, int cells) {
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= cells * cell) return;
    const Cell& at = first[n / cell];
    body(at.column - first->column + n % cell, at.row, Levels{at.levels});
}
template <int cell, class Cell, class Body>
__global__ void a_part(Body body, const Cell* first, int cells) {
    const int n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= cells * cell) return;
    const Cell& at = first[n / cell];
    body(at.column - first->column + n % cell, at.row,
         Levels{at.levels}.part(blockIdx.y, gridDim.y));
}

/// Cells lie in memory of the device. in_parts: the levels of a column may be computed apart from
/// each other; where columns are fewer than the threads that a device can hold, more threads wait
/// for memory at the same time.
template <int cell, int width, bool in_parts, class Cell, class Body>
void columns(const Cell* first, const Cell* last, const Body& body) {
    static_assert(width == 1, "a thread of a device has one column");
    constexpr int held = 270'000;  // threads of an H200: 132 multiprocessors with 2048 each
    const int cells = int(last - first);
    if (cells == 0) return;
    const unsigned blocks = (cells * cell + column_threads - 1) / column_threads;
    if constexpr (in_parts)
        a_part<cell><<<dim3(blocks, cells * cell < held ? 4 : 1), column_threads, 0, stream>>>(
            body, first, cells);
    else
        a_column<cell><<<blocks, column_threads, 0, stream>>>(body, first, cells);
    started();
}

template <class Body> __global__ void one(Body body, std::size_t count) {
    const std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (n < count) body(n);
}

/// body(n) for n = 0 ... count - 1.
template <class Body> void each(std::size_t count, const Body& body) {
    if (count == 0) return;
    one<<<unsigned((count + threads - 1) / threads), threads, 0, stream>>>(body, count);
    started();
}

inline constexpr int many_threads = 512;  // of a block that gives one result
inline unsigned few(std::size_t count) {
    const std::size_t blocks = (count + many_threads - 1) / many_threads, most = 528;
    return unsigned(blocks < most ? blocks : most);
}

/// Of a block first: fewer atomic additions to memory.
template <int words, class Body>
__global__ void a_total(Body body, std::size_t count, std::int64_t* to) {
    constexpr int warps = many_threads / 32;
    __shared__ std::int64_t all[words][warps];
    std::int64_t mine[words] = {};
    for (std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; n < count;
         n += std::size_t(gridDim.x) * blockDim.x)
        body(n, mine);
    for (int w = 0; w < words; ++w) {
        for (int apart = 16; apart > 0; apart /= 2)
            mine[w] += __shfl_down_sync(0xffffffff, mine[w], apart);
        if (threadIdx.x % 32 == 0) all[w][threadIdx.x / 32] = mine[w];
    }
    __syncthreads();
    if (threadIdx.x >= words) return;
    std::int64_t sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += all[threadIdx.x][warp];
    if (sum) atomicAdd((unsigned long long*)(to + threadIdx.x), (unsigned long long)sum);
}

/// body(n, mine) adds to mine[0 ... words - 1]; all are added to to[...], in memory of the device.
/// They are integers: the order does not matter.
template <int words, class Body>
void totals(std::size_t count, const Body& body, std::int64_t* to) {
    if (count == 0) return;
    a_total<words><<<few(count), many_threads, 0, stream>>>(body, count, to);
    started();
}

#else

inline constexpr bool on_device = false;

template <class Number> constexpr Number unchanging(const Number* at) { return *at; }

template <std::size_t, class Argument> const Argument* carried(const Argument* first) {
    return first;
}

/// All cells use the same memory, one after another.
template <int cell> constexpr std::ptrdiff_t own_column(std::ptrdiff_t column) {
    return column % cell;
}

/// cell: columns of a cell; width: those of a pack. in_parts: as the threads of a device, from the
/// lowest part up.
template <int cell, int width, bool in_parts, class Cell, class Body>
[[gnu::always_inline]] inline void columns(const Cell* first, const Cell* last, const Body& body) {
    for (const Cell* c = first; c != last; ++c)
        for (int column = c->column - first->column, end = column + cell; column < end;
             column += width)
            if constexpr (in_parts)
                for (int part = 3; part-- > 0;)
                    body(column, c->row, Levels{c->levels}.part(part, 3));
            else
                body(column, c->row, Levels{c->levels});
}

template <class Body> void each(std::size_t count, const Body& body) {
    for (std::size_t n = 0; n < count; ++n) body(n);
}

template <int words, class Body>
void totals(std::size_t count, const Body& body, std::int64_t* to) {
    std::int64_t mine[words] = {};
    for (std::size_t n = 0; n < count; ++n) body(n, mine);
    for (int w = 0; w < words; ++w) to[w] += mine[w];
}

#endif

}  // namespace launch

}  // namespace fathom
