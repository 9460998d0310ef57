/// How many threads a loop gets whose memory was laid out for so many: no more than that, and no
/// more than are set now.
#pragma once
#include <omp.h>
#include <algorithm>

namespace fathom {

inline int threads_of(std::size_t laid_out) {
    return std::min(int(laid_out), omp_get_max_threads());
}

}  // namespace fathom
