/// The launcher for maxima: see launch.hpp.
#pragma once
#include "machine/launch.hpp"

namespace fathom::launch {

#if defined(__CUDACC__)

template <int words, class Body>
__global__ void a_largest(Body body, std::size_t count, std::int64_t* to) {
    std::int64_t mine[words];
    for (int w = 0; w < words; ++w) mine[w] = to[w];
    for (std::size_t n = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; n < count;
         n += std::size_t(gridDim.x) * blockDim.x)
        body(n, mine);
    for (int w = 0; w < words; ++w) {
        for (int apart = 16; apart > 0; apart /= 2) {
            const auto other = __shfl_down_sync(0xffffffff, mine[w], apart);
            mine[w] = other > mine[w] ? other : mine[w];
        }
        if (threadIdx.x % 32 == 0) atomicMax((long long*)(to + w), (long long)mine[w]);
    }
}

/// body(n, mine) raises mine[0 ... words - 1]; the maxima are stored in to[...], which holds lower
/// bounds before.
template <int words, class Body>
void largest(std::size_t count, const Body& body, std::int64_t* to) {
    if (count == 0) return;
    const std::size_t blocks = (count + threads - 1) / threads, most = 2048;
    a_largest<words>
        <<<unsigned(blocks < most ? blocks : most), threads, 0, stream>>>(body, count, to);
    started();
}

#else

template <int words, class Body>
void largest(std::size_t count, const Body& body, std::int64_t* to) {
    for (std::size_t n = 0; n < count; ++n) body(n, to);
}

#endif

}  // namespace fathom::launch
