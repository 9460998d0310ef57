/// Global sums of a few numbers: the catalogue of ways to give all ranks the result.
///
/// Messages hold words of 64 bits: integers (the limbs of exact sums, sums/reduce.hpp: the same
/// bits from every algorithm) or floating-point numbers (plain sums: the order of additions depends
/// on the algorithm). `sum` is collective; only one sum at a time.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>
#include "parallel/mpi.hpp"

namespace fathom {

class GlobalSum {
public:
    static constexpr int most_words = 192;  ///< of one sum
    explicit GlobalSum(MPI_Comm);
    virtual ~GlobalSum() = default;
    /// values <- their sums over all ranks, in two parts: `finish` waits for the sum that `start`
    /// began; only some algorithms make progress in between.
    void start(std::span<std::int64_t> values);
    void start(std::span<double> values);
    void finish();
    template <class Word> void sum(std::span<Word> values) {
        start(values);
        finish();
    }
    virtual bool overlaps() const { return false; }  ///< makes progress between start and finish

protected:
    using Words = std::span<std::uint64_t>;
    MPI_Comm comm;
    int rank, ranks;
    bool floating = false;
    double began = 0, beginning = 0;  // when this rank gave its numbers, and how long that took
    Words words;
    void add(Words to, const std::uint64_t* from) const;  ///< as numbers of the kind that is summed
    MPI_Datatype type() const { return floating ? MPI_DOUBLE : MPI_INT64_T; }
    void give();
    virtual void begin() = 0;
    virtual void complete() {}
};

/// Names and descriptions.
struct GlobalSumKind {
    std::string_view name, text;
    std::unique_ptr<GlobalSum> (*make)(MPI_Comm);
};
std::span<const GlobalSumKind> global_sums();
/// An error that lists them all.
std::unique_ptr<GlobalSum> global_sum(std::string_view name, MPI_Comm);

}  // namespace fathom
