/// The largest number of words of one global sum.
#pragma once
#include <cstddef>

namespace fathom {

/// Words of 64 bits of one sum at most, of all sums of this process; more are summed one after
/// another. 0: all at once.
void sum_together(std::size_t words);

}  // namespace fathom
