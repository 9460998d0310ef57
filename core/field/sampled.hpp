/// Sampled: a process of columns that is computed in some of them, the samples; in all others, its
/// outputs are interpolated from the four samples around them, linearly along rows and between two
/// rows.
///   x(i, j) = (1 - w) x_south(i) + w x_north(i),   w = (j - j_south) / (j_north - j_south)
///   x_row(i) between the samples west and east of where i lies on that row's circle, or in an area
///
/// Weights are positive and add up to 1: interpolated values have no new extremes, and any linear
/// relation among outputs holds in all columns. Each rank computes its own samples, or shares them
/// by their cost (balanced.hpp). Which samples ranks need from each other is known from the
/// beginning: the same bits on any ranks.
#pragma once
#include "field/balanced.hpp"

namespace fathom {

/// Samples of a row of the grid, from west to east.
struct SampledRow {
    int row;
    std::vector<int> columns;
};

class Sampled final : public Bundled {
public:
    /// rows: from south to north; the first and the last with columns must be among them, and in an
    /// area the first and the last column of each.
    Sampled(Process columns, std::vector<SampledRow> rows);
    /// Samples are shared among ranks; call it before `prepare`. Arguments as of Balanced.
    std::shared_ptr<Balanced> balance(std::string active, double threshold, const std::string& way);
    void prepare(Given) override;
    void apply(Given) override;
    bool apply_on(Device&, Given) override;

private:
    static constexpr int side_by_side = 16;
    /// Columns of a row, next to each other; the first interpolates from `around[first]`.
    struct Stretch {
        int block, row, column, count;
        std::size_t first;
    };
    struct Around {
        std::array<int, 4> samples;  ///< by their place among those received
        std::array<double, 4> weights;
    };
    std::vector<SampledRow> rows;
    std::vector<Column> own;  ///< samples of this rank
    std::vector<Stretch> stretches;
    std::vector<Around> around;
    /// Own samples that this and other ranks need, rank by rank; how many are sent and received.
    std::vector<int> asked, sends, receives;
    std::shared_ptr<MPI_Comm> comm;
    std::shared_ptr<Balanced> shared;  ///< of the same process and fields; without: each its own

    void compute(Given);
    std::vector<std::array<int, 2>> samples() const;
    void check(const Topology&, const std::vector<int>& points) const;
    std::vector<Around> surroundings(const Domain&);
    void ask(const Domain&);
    template <class T> void interpolate(Given, const std::vector<T>& values, std::size_t each);
    template <class T> std::vector<T> asked_for(Given, std::size_t each) const;
    template <class T> void turn(Given);
    /// Numbers that the process computes in a column.
    std::size_t results(Given at) const {
        return each_result(at, [](std::size_t, std::size_t, int) {});
    }
    /// body(field of the process, first of its numbers, how many) for all that it writes.
    template <class Body> std::size_t each_result(Given at, Body body) const {
        std::size_t first = 0;
        for (std::size_t p = 0; p < items.size(); ++p) {
            const auto& use = process.fields[p];
            if (!travels(use) || use.access == Access::reads) continue;
            const int count = numbers(use.place, at.set.domain().levels);
            body(p, first, count);
            first += std::size_t(count);
        }
        return first;
    }
    /// Samples of so many bytes, from all ranks to all.
    void exchange(const void* out, void* in, std::size_t bytes) const;
    struct Samples;  ///< on a device
    std::shared_ptr<Samples> settled;
    std::shared_ptr<Samples> settle(const std::shared_ptr<Device>&, Given, std::size_t each) const;
    void travel(std::size_t bytes);
};

}  // namespace fathom
