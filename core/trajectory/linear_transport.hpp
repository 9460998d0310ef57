/// Tangent and adjoint of semi-Lagrangian transport (semi_lagrangian.hpp) about a
/// state: of the trajectories, all their iterations, and of what is carried along them. V the mean
/// wind of a trajectory, R what turns a vector from D to A:
///   d(f_D) = R I_D df + G dV,   G = d(R I_D f) / dx_D . dx_D / dV, and by dR / dV
///   dV = 1/2 { dV_A + R I_D d[V_D] } + 1/2 G dV,   once for each iteration, from dV = dV_A
/// Of a step is kept, for each departure point of each iteration and the last: where it is, R, and
/// G, 14 numbers, or 5 and three for each carried field. With them nothing of the state is
/// computed again. The adjoint takes the same steps backwards; what it gives back to the points
/// around departure points is added up by bands of rows (give_back.hpp). Clipping to neighbouring
/// values is left out; the derivative of eta is 0 where a trajectory is stopped at the top or the
/// bottom.
#pragma once
#include "trajectory/give_back.hpp"
#include "trajectory/rounded.hpp"
#include "trajectory/semi_lagrangian.hpp"

namespace fathom {

template <class T> class LinearTransport {
public:
    using Wind = typename Carrier<T>::Wind;
    using Group = std::span<const FieldSlab>;  ///< up to four fields
    /// As of SemiLagrangian. Throws Error on a stretched sphere.
    LinearTransport(MPI_Comm, const Decomposition&, int halo, const GaussianGrid&,
                    const std::vector<double>& eta, typename SemiLagrangian<T>::Parameters);

    /// Of the trajectories of one step.
    struct About {
        struct Pass {
            Rounded<T> numbers;  ///< [item][longitude, latitude, eta, p, q, G][point]
            typename GiveBack<T>::Ways ways;
        };
        std::vector<Pass> passes;  ///< of each iteration, and the last; its G is of who is carried
        std::size_t bytes() const;
    };
    std::shared_ptr<About> latest;  ///< for who is carried along the same trajectories

    /// Of the state: winds as `depart` is given them. single: kept in fp32.
    void follow(const Wind& now, const Wind& extrapolated, bool single, About&);
    /// G of what is carried, before it is, along the trajectories that were followed last; vector:
    /// the first two fields are one.
    void follow(Group, bool vector, bool single, const About&, Rounded<T>&);

    /// Of a perturbation. First its trajectories, then what is carried changes in place.
    void tangent(const About&, const Wind& now, const Wind& extrapolated);
    void tangent(const About&, const Rounded<T>&, Group, bool vector);
    /// The adjoint in reversed order. What was carried changes in place; then it adds to the
    /// adjoints of the winds.
    void adjoint(const About&, const Rounded<T>&, Group, bool vector);
    void adjoint(const About&, const Wind& now, const Wind& extrapolated);

private:
    using Gathered = Influence<T>;
    using Item = typename Gathered::Item;
    using Points = typename Departure<T>::Points;
    static constexpr int tile = Gathered::tile;
    /// Where a tile of trajectories begins, and how that changes with the mean wind: eastward,
    /// northward, vertical.
    struct Tile {
        T u[tile], v[tile], w[tile];
        Points at;
        typename Departure<T>::Slopes slopes;
    };
    Gathered rows;
    const int iterations;

    Departure<T> departure;
    using Trajectory = typename Gathered::Trajectory;
    using Sight = typename Gathered::Sight;
    static constexpr int of_place = 5, of_pass = of_place + 9;  // numbers of a point
    GiveBack<T> back;
    std::vector<std::size_t> first;  ///< point of each item among all own points
    std::size_t points = 0;
    /// Mean winds of all points, [item][3][point]: of the state, a perturbation, and adjoints,
    /// which are 0 between two calls.
    std::vector<T> mean, change, gradient;
    std::vector<T> values, places;  ///< four of each point; coordinates of a pass in full

    template <class Body> void each_item(Body);
    void pack(const Wind&);
    void locate(const Item&, Tile&) const;
    void trace(const Item&, std::size_t at, const Wind& now, About&);
    Trajectory trajectory(const Item&, int n, const Points&) const;
    void derivatives(const Sight&, const Tile&, int n, int fields, bool vector, T* G) const;
    void need(const About&);
    void place(const Item&, const T* numbers, Points&, typename Gathered::Places&) const;
    void look(Interpolation, const Item&, const T* numbers, T* out);
    typename GiveBack<T>::Points places_of(const typename About::Pass&);
};

}  // namespace fathom
