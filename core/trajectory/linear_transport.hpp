/// Tangent and adjoint of semi-Lagrangian transport (semi_lagrangian.hpp) about a state: of the
/// trajectories, all their iterations, and of what is carried along them.
///   d(f_D) = I_D df + (dI/dx_D f) . dx_D
///   dx_D   = (dx_D/dV) dV,   dV = 1/2 { dV_A + d[V_D, rotated to A] },   from dV = dV_A
/// The adjoint takes the same steps backwards; what it gives back to the points around departure
/// points is added up by the owners of rows (give_back.hpp). Clipping to neighbouring values is
/// left out; the derivative of eta is 0 where a trajectory is stopped at the top or the bottom.
#pragma once
#include "trajectory/give_back.hpp"

namespace fathom {

template <class T> class LinearTransport {
public:
    using Wind = typename SemiLagrangian<T>::Wind;
    using Parameters = typename SemiLagrangian<T>::Parameters;
    using Carried = std::span<const FieldSlab>;  ///< a wind, and up to two fields more
    /// As of SemiLagrangian. Throws Error on a stretched sphere.
    LinearTransport(MPI_Comm, const Decomposition&, int halo, const GaussianGrid&,
                    std::vector<double> eta, Parameters);

    /// Of the state: winds as `depart` is given them, and what is carried, before it is.
    void follow(const Wind& now, const Wind& extrapolated, Carried);
    /// Of a perturbation; what is carried changes in place.
    void tangent(const Wind& now, const Wind& extrapolated, Carried);
    /// Adds to the adjoints of the winds; those of what is carried change in place.
    void adjoint(const Wind& now, const Wind& extrapolated, Carried);

private:
    using Gathered = Influence<T>;
    using Item = typename Gathered::Item;
    using Sight = typename Gathered::Sight;
    using Point = typename GiveBack<T>::Point;
    static constexpr int tile = Gathered::tile;
    /// Mean wind of a trajectory: eastward, northward, vertical.
    struct Mean {
        T u, v, w;
    };
    /// A tile of departure points and how they change with the mean wind.
    struct Tile {
        T u[tile], v[tile], w[tile];
        typename Departure<T>::Points at;
        typename Departure<T>::Slopes slopes;
        /// Of coordinates, p and q of point n, where the mean wind changes so.
        struct Change {
            T longitude, latitude, eta, p, q;
        };
        Change change(int n, const Mean&) const;
        Mean change_adjoint(int n, const Change&) const;
    };
    Gathered rows;
    Departure<T> departure;
    GiveBack<T> back;
    int iterations;
    std::vector<std::size_t> first;  ///< point of each item among all own points
    /// Of each own point: mean wind of each iteration and the last, what was seen of the wind in
    /// each iteration, and of what is carried.
    std::vector<std::vector<Mean>> winds;
    std::vector<std::vector<Sight>> sights;

    /// Of each iteration and the last: of each item.
    std::vector<std::vector<Tile>> tiles;

    /// body(item, the first of its points, its number)
    template <class Body> void each_item(Body);
    void find(const Item&, const std::vector<Mean>&, Tile&) const;
    typename Gathered::Trajectory trajectory(const Item&, int n, const Tile&) const;
    Mean wind_at(const Wind&, const Item&, int n) const;
    void add_to(const Wind&, const Item&, int n, const Mean&) const;
    Mean average(const Mean& own, const Sight&, const Tile&, int n) const;
    void trace(const Wind& now);
    typename Gathered::Four moved(const Sight&, const typename Tile::Change&) const;
    typename Tile::Change moved_adjoint(const Sight&, const T* value) const;
    Mean carried_adjoint(const Item&, int n, const Tile&, Carried, Point&) const;
};

}  // namespace fathom
