/// Several exact sums (sums/reduce.hpp) in as many messages as one: their largest terms, then the
/// sums.
#pragma once
#include <initializer_list>
#include "parallel/sums/reduce.hpp"

namespace fathom {

/// sums[n]: over all ranks of terms[n]. NaN if any term of them is not finite.
void exact_sums(MPI_Comm, std::initializer_list<std::span<const double>> terms,
                std::span<double> sums);

}  // namespace fathom
