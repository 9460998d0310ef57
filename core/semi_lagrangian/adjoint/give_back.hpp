/// The adjoint of interpolation: each departure point gives its values, times the weights, back to
/// the points around it. No locks, and the same bits on any ranks and threads: departure points
/// travel to the ranks whose rows they reach, once for a trajectory; there they lie in bands of
/// three rows. Points of a band reach two rows of the next one at most, and one of the last: all
/// even bands can be added at the same time, then all odd ones. Within a band points are in the
/// order of the arrival points on the grid.
#pragma once
#include <mpi.h>
#include <span>
#include <vector>
#include "parallel/halo/packing.hpp"
#include "parallel/ownership/domain.hpp"
#include "semi_lagrangian/adjoint/points_around.hpp"
#include "semi_lagrangian/stencils/rounded.hpp"

namespace fathom {

/// Departure points that are sent, and those that are received.
template <class T> struct WaysBack {
    /// Of arrival points next to each other, with departures of the same band: the number of the
    /// first, and of the first of its item, in which numbers of a kind lie next to each other,
    /// `stride` in all.
    struct Piece {
        int row, level, column, count, stride;
        std::size_t first, point;
    };
    std::vector<Piece> pieces;
    std::vector<std::size_t> bands;  ///< where each of them begins
    std::vector<int> sent;           ///< own points, rank after rank
    std::vector<int> sends, receives;
    std::vector<T> here;  ///< coordinates of those that came; empty on one rank
    std::size_t bytes() const {
        return pieces.size() * sizeof(Piece) + bands.size() * sizeof(std::size_t) +
               (sent.size() + sends.size() + receives.size()) * sizeof(int) +
               here.size() * sizeof(T);
    }
};

/// Rows: the points around departure points, SphereAround or PlaneAround.
template <class Rows> class GiveBack {
    using T = typename Rows::Number;

public:
    GiveBack(MPI_Comm, const Decomposition&, Rows&);

    /// Own departure points, item by item: `number` numbers of each, of which the first three are
    /// x, y and z; [item][number][point].
    struct Points {
        Numbers<T> numbers;
        int number;
    };
    using Ways = WaysBack<T>;
    void find(const Points&, Ways&) const;

    /// to += W* of the values of all ranks' points, four of each, of one or several trajectories:
    /// begin, give each, finish. Up to 4 fields; the first two may be a vector; mapped: it is the
    /// wind of the trajectories themselves, on the map. All ranks call together.
    void begin();
    void give(const Points&, const Ways&, const std::vector<T>& values, Interpolation);
    void finish(bool vector, bool mapped, std::span<const FieldSlab> to);

private:
    using Trajectory = fathom::Trajectory<T>;
    using Piece = typename Ways::Piece;
    static constexpr int band = 3;  ///< rows
    struct Part {
        int i0, i1, owner;
    };
    MPI_Comm comm;
    int rank, ranks;
    Rows& around;
    std::vector<std::vector<Part>> owners;  ///< of each row
    std::vector<char> wanted;               ///< rows of the buffer that become own ones
    std::vector<T> outgoing, arrived;

    void mark(const Trajectory&, std::vector<char>& reached) const;
    void travel(const Points&, Ways&, std::vector<Piece>&) const;
    const T* exchange(const Ways&, const std::vector<T>& values);
    Points here(const Points& own, const Ways&) const;
    static std::size_t place(const Piece&, const Points&);
    void cut(const Piece&, const Points&, std::vector<std::vector<Piece>>&) const;
    template <Interpolation>
    void add_band(const Ways&, int band, const Points&, const T* values) const;
};

}  // namespace fathom
