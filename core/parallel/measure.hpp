/// The cost of messages: seconds of a halo exchange, of words between pairs of ranks, of a global
/// sum. Collective; all ranks get the same number: that of the slowest rank, the smallest of
/// several batches.
#pragma once
#include <string_view>
#include "parallel/mpi.hpp"

namespace fathom {

/// A halo of one column (strided: numbers that lie apart; blocks in a ring) or of one row
/// (contiguous; blocks in a chain) with both neighbours; words: of 64 bits, on each side.
double seconds_of_halo(MPI_Comm, std::string_view transport, int words, bool strided,
                       int repetitions);

/// Ranks 2n and 2n + 1 send each other `words` words, in one message or get, or each word in its
/// own.
enum class Pairs { send, get };
double seconds_of_pairs(MPI_Comm, Pairs, int words, bool word_by_word, int repetitions);

/// A message of one word in a stream of them, while the first `senders` ranks of each node send
/// such a stream to the rank `away` further on; a node has `of_node` ranks.
double seconds_of_stream(MPI_Comm, int senders, int of_node, int away, int repetitions);

/// A sum of `words` numbers, `times` times.
double seconds_of_sum(MPI_Comm, std::string_view sum, int words, int times, int repetitions);

}  // namespace fathom
