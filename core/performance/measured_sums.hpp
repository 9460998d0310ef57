/// The cost of NeighbourSums, to be compared with the simplest adjoint: of the divergence of a
/// five-point upwind flux,
///   d_c = sum over the four faces of  max(F, 0) T_c + min(F, 0) T_neighbour,    F outward,
/// for given flows F, all columns wet.
///   forward   d from T
///   sums      T' from d', by slots of each offset: the same bits on any ranks and threads
///   scatter   T' from d', column after column, += into neighbours: of one thread alone
#pragma once
#include <memory>
#include "sequence/neighbour_sums.hpp"
#include "sequence/step_program.hpp"

namespace fathom {

class MeasuredSums {
public:
    MeasuredSums(int nx, int ny, int levels);
    void forward();
    void sums();
    void scatter();
    /// Largest difference of the last T' of both, by the largest T'.
    double difference() const;
    double points() const { return double(nx) * ny * levels; }

private:
    const int nx, ny, levels;
    std::unique_ptr<StepProgram> sequence;
    std::unique_ptr<FieldSet> state, gradient, scattered;
    std::unique_ptr<NeighbourSums> neighbours;
    struct Rows;
    Rows rows(int block, int row, int column) const;
};

}  // namespace fathom
