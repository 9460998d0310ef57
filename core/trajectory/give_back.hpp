/// The adjoint of interpolation: each departure point gives its values, times the weights, back to
/// the points around it. No locks, and the same bits on any ranks and threads: whoever owns a row
/// of a block adds up what that row gets, in the order of the arrival points on the globe. Points
/// travel to the ranks whose rows they reach.
#pragma once
#include <cstdint>
#include "trajectory/influence.hpp"

namespace fathom {

template <class T> class GiveBack {
public:
    struct Point {
        typename Influence<T>::Trajectory of;
        T value[4];
    };
    GiveBack(MPI_Comm, const Decomposition&, int halo, const Influence<T>&);

    /// to += W* of the values of all ranks' points; vector: the first two fields change their sign
    /// across a pole. Up to 4 fields. All ranks call together.
    void add(std::vector<Point> own, Interpolation, bool vector, std::span<const FieldSlab> to);

private:
    struct Part {
        int i0, i1, owner;
    };
    /// Part of a point's influence: of one of the four rows around it.
    struct Reach {
        int point, row;  ///< row: 0 ... 3
    };
    MPI_Comm comm;
    int rank, ranks, halo, longest;
    const Influence<T>& influence;
    std::vector<std::vector<Part>> owners;  ///< of each row

    std::int64_t number(const Point&) const;
    std::vector<bool> reached(const Point&) const;
    std::vector<Point> exchange(const std::vector<Point>&) const;
    std::vector<std::vector<Reach>> by_row(const std::vector<Point>&, Interpolation) const;
    void add_row(int block, int row, const std::vector<Reach>&, const std::vector<Point>&,
                 Interpolation, bool vector, std::span<const FieldSlab> to) const;
};

}  // namespace fathom
