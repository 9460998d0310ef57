/// The launcher, of work that is done tile by tile: see launch.hpp.
#pragma once
#include <array>
#include <memory>
#include "machine/launch.hpp"

namespace fathom::launch {

/// Who does the work of a tile: the threads of a block, each for `each_has` points of the tile
/// whatever happens, so that what it keeps of a point may stay in registers.
template <int threads, int each_has> struct Team {
    static constexpr int points = threads * each_has;
    /// What is kept of each point from one `each` to the next.
    template <class Point> using Kept = std::array<Point, on_device ? each_has : points>;

    /// body(n, kept of n) for n = 0 ... points - 1; what it has written is seen after that.
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

/// body(team, tile, shared) for tile = 0 ... count - 1: `shared` is what those who work on a tile
/// have in common. Tiles do not wait for each other: none reads what another writes.
template <int threads, int each_has, class Shared, class Body>
void tiles(int count, const Body& body) {
    static_assert(sizeof(Shared) <= 48 * 1024);
    if (count == 0) return;
    a_tile<threads, each_has, Shared><<<count, threads, 0, stream>>>(body);
    started();
}

#else

template <int threads, int each_has, class Shared, class Body>
void tiles(int count, const Body& body) {
    const auto shared = std::make_unique<Shared>();
    for (int tile = 0; tile < count; ++tile) body(Team<threads, each_has>(), tile, *shared);
}

#endif

}  // namespace fathom::launch
