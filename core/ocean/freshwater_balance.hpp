/// A flux through the surface that sums to nothing: its mean over all wet columns is taken away in
/// each step, with the same bits on any ranks.
#pragma once
#include "sequence/sequence.hpp"

namespace fathom::ocean {
void balance(Sequence&, std::string_view process,
             std::string_view field);  ///< attaches the work of the global process
}
