/// Global sums of a few numbers, each way to make them known to all ranks: the catalogue.
///
/// What travels is words of 64 bits: integers (the limbs of exact sums, reduce.hpp: the same bits
/// from every algorithm) or floating-point numbers (plain sums: the order of additions is the
/// algorithm's). `sum` is collective; one after another, never two at a time.
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
    /// values <- their sums over all ranks. In between, `finish` waits for what `start` began; only
    /// some algorithms go on meanwhile.
    void start(std::span<std::int64_t> values);
    void start(std::span<double> values);
    void finish();
    template <class Word> void sum(std::span<Word> values) {
        start(values);
        finish();
    }
    virtual bool overlaps() const { return false; }  ///< goes on between start and finish

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

/// Names and what they stand for.
struct GlobalSumKind {
    std::string_view name, text;
    std::unique_ptr<GlobalSum> (*make)(MPI_Comm);
};
std::span<const GlobalSumKind> global_sums();
/// An error that names them all.
std::unique_ptr<GlobalSum> global_sum(std::string_view name, MPI_Comm);

}  // namespace fathom
