/// The launcher for work on tiles: see launch.hpp.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include "machine/launch.hpp"

namespace fathom::launch {

/// The threads that work on a tile: those of a block, each always for the same `each_has` points of
/// the tile, so that the data of a point may stay in registers.
template <int threads, int each_has> struct Team {
    static constexpr int points = threads * each_has;
    /// Data kept for each point from one `each` to the next.
    template <class Point> using Kept = std::array<Point, on_device ? each_has : points>;

    /// body(n, data of n) for n = 0 ... points - 1; afterwards all threads see its results.
    template <class Point, class Body>
    constexpr void each(Kept<Point>& kept, const Body& body) const {
#if defined(__CUDA_ARCH__)
        for (int n = 0; n < each_has; ++n) body(int(threadIdx.x) + n * threads, kept[n]);
        __syncthreads();
#elif !defined(__CUDACC__)
        for (int n = 0; n < points; ++n) body(n, kept[n]);
#endif
    }
};

#if defined(__CUDACC__)

template <int threads, int each_has, class Shared, class Body>
__global__ void __launch_bounds__(threads) a_tile(Body body) {
    __shared__ Shared shared;
    body(Team<threads, each_has>(), int(blockIdx.x), shared);
}

/// body(team, tile, shared) for tile = 0 ... count - 1: `shared` is common to the threads of a
/// tile. Tiles do not wait for each other: no tile may read values that another tile writes.
template <int threads, int each_has, class Shared, class Body>
void tiles(int count, const Body& body) {
    static_assert(sizeof(Shared) <= 48 * 1024);
    if (count == 0) return;
    a_tile<threads, each_has, Shared><<<count, threads, 0, stream>>>(body);
    started();
}

template <int threads, int each_has, class Shared, int words, class Body>
__global__ void __launch_bounds__(threads)
    a_tile_of_total(Body body, std::int64_t* to, unsigned* finished) {
    static_assert(threads % 32 == 0 && words <= 32);
    __shared__ Shared shared;
    __shared__ std::int64_t all[words][threads / 32];
    std::int64_t mine[words] = {};
    if (!body.begins()) return;
    body(Team<threads, each_has>(), int(blockIdx.x), shared, mine);
    for (int w = 0; w < words; ++w) {
        for (int apart = 16; apart > 0; apart /= 2)
            mine[w] += __shfl_down_sync(0xffffffff, mine[w], apart);
        if (threadIdx.x % 32 == 0) all[w][threadIdx.x / 32] = mine[w];
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    if (threadIdx.x < words) {
        std::int64_t sum = 0;
        for (int warp = 0; warp < threads / 32; ++warp) sum += all[threadIdx.x][warp];
        if (sum) atomicAdd((unsigned long long*)(to + threadIdx.x), (unsigned long long)sum);
        __threadfence();
    }
    __syncwarp();
    if (threadIdx.x > 0 || atomicAdd(finished, 1u) + 1 < gridDim.x) return;
    __threadfence();
    *finished = 0;
    body.ends();
}

/// The same with sums: if body.begins(), which is called first for all, then body(team, tile,
/// shared, mine) adds to mine[0 ... words - 1], all are added to to[...], in memory of the device,
/// and after the last tile body.ends(). finished: a number in memory of the device, zero.
template <int threads, int each_has, class Shared, int words, class Body>
void tiles_and_totals(int count, const Body& body, std::int64_t* to, unsigned* finished) {
    static_assert(sizeof(Shared) + sizeof(std::int64_t) * words * threads / 32 <= 48 * 1024);
    if (count == 0) return;
    a_tile_of_total<threads, each_has, Shared, words>
        <<<count, threads, 0, stream>>>(body, to, finished);
    started();
}

#else

template <int threads, int each_has, class Shared, class Body>
void tiles(int count, const Body& body) {
    const auto shared = std::make_unique<Shared>();
    for (int tile = 0; tile < count; ++tile) body(Team<threads, each_has>(), tile, *shared);
}

template <int threads, int each_has, class Shared, int words, class Body>
void tiles_and_totals(int count, const Body& body, std::int64_t* to, unsigned*) {
    if (count == 0 || !body.begins()) return;
    const auto shared = std::make_unique<Shared>();
    for (int tile = 0; tile < count; ++tile) body(Team<threads, each_has>(), tile, *shared, to);
    body.ends();
}

#endif

}  // namespace fathom::launch
