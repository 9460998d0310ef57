/// The matrix A of elliptic.hpp, with unit diagonal, gathered on every rank: the input of its
/// factorisation. Points are the wet ones, in the order of j nx + i.
#pragma once
#include <mpi.h>
#include "solver/elliptic.hpp"
#include "solver/preconditioner/elimination.hpp"

namespace fathom {

struct WholeMatrix {
    Graph graph;
    std::vector<double> diagonal;     ///< 1, except where a point is its own neighbour at a fold
    std::vector<double> coefficient;  ///< in the order of graph.neighbour
    std::vector<int> rank_of;         ///< owner of each point
    std::vector<int> item;            ///< its place in the owner's list: row by row

    /// Collective.
    WholeMatrix(MPI_Comm, const Topology&, const EllipticOperator<double>&);

private:
    void list_points(const std::vector<int>& given, const std::vector<int>& sorted,
                     const std::vector<int>& first, int nx);
    void couple(int point, int other, double value);
};

}  // namespace fathom
