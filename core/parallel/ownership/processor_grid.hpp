/// Processor grids px x py with one block per rank. For given cuts in one direction the best cuts
/// in the other are found exactly; so all choices in one direction are tried where there are few,
/// and otherwise the two directions are improved alternately.
#pragma once
#include <limits>
#include "parallel/ownership/cuts.hpp"
#include "parallel/ownership/work.hpp"

namespace fathom {

class ProcessorGrid {
public:
    struct Lattice {
        Cuts i, j;
    };
    /// unit: cuts in i lie at multiples of it.
    ProcessorGrid(Topology t, const WorkTable& work, int px, int py, int unit)
        : t(t), work(work), px(px), py(py), unit(unit) {}
    /// The cuts whose largest block has the least work, among those that were tried.
    Lattice best();

private:
    Topology t;
    const WorkTable& work;
    int px, py, unit;
    Lattice found;
    double least = std::numeric_limits<double>::infinity();

    double most() const { return work.block(0, 0, t.nx, t.ny); }
    double time(const Cuts& i, const Cuts& j) const;
    int columns(int units) const { return std::min(units * unit, t.nx); }
    int units() const { return (t.nx + unit - 1) / unit; }
    Cuts scaled(Cuts units) const;
    Cuts rows_for(const Cuts& i) const;
    Cuts columns_for(const Cuts& j) const;
    bool keep(const Cuts& i, const Cuts& j);
    void take_turns();
    bool shift_columns();
    bool shift_rows();
};

}  // namespace fathom
