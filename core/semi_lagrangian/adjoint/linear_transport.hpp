/// Tangent and adjoint of semi-Lagrangian transport (sphere/transport.hpp, plane/transport.hpp)
/// about a state: of the trajectories with all iterations, and of the fields transported along
/// them. V is the mean wind of a trajectory, R rotates a vector from D to A:
///   d(f_D) = R I_D df + G dV,   G = d(R I_D f) / dx_D . dx_D / dV, and by dR / dV
///   dV = 1/2 { dV_A + R I_D d[V_D] } + 1/2 G dV,   once for each iteration, from dV = dV_A
/// On a plane V is the wind on the map, m times that on earth, and R = 1 for it. Kept of a step,
/// for each departure point of each iteration and the last: position, R and G, 14 numbers, or 5 and
/// three for each carried field. With them nothing of the state is computed again. The adjoint
/// takes the same steps backwards; its contributions to the points around departure points are
/// added up by bands of rows (adjoint/give_back.hpp). Clipping to neighbouring values is left out;
/// the derivative is 0 where a trajectory is stopped at the top, the bottom or the edge of an area.
#pragma once
#include <memory>
#include "semi_lagrangian/adjoint/give_back.hpp"
#include "semi_lagrangian/plane/transport.hpp"
#include "semi_lagrangian/sphere/transport.hpp"
#include "semi_lagrangian/stencils/rounded.hpp"

namespace fathom {

template <class T> class LinearTransport {
public:
    using Wind = typename Carrier<T>::Wind;
    using Group = std::span<const FieldSlab>;  ///< up to four fields
    virtual ~LinearTransport() = default;

    /// Of the trajectories of one step.
    struct About {
        struct Pass {
            Rounded<T> numbers;  ///< [item][x, y, z, p, q, G][point]
            WaysBack<T> ways;
        };
        std::vector<Pass> passes;  ///< of each iteration, and the last; its G is of who is carried
        std::size_t bytes() const {
            std::size_t sum = 0;
            for (auto& pass : passes) sum += pass.numbers.bytes() + pass.ways.bytes();
            return sum;
        }
    };
    std::shared_ptr<About> latest;  ///< for who is carried along the same trajectories

    /// Of the state: winds as `depart` is given them. single: kept in fp32.
    virtual void follow(const Wind& now, const Wind& extrapolated, bool single, About&) = 0;
    /// Of interfaces: the mean winds of the layers above and below that were followed last; none
    /// leaves the first or the last interface (Carrier::depart_between).
    virtual void follow_between(const LinearTransport& layers, bool single, About&) = 0;
    /// G of fields before they are transported, along the trajectories that were followed last.
    /// vector: the first two fields are the components of a vector.
    virtual void follow(Group, bool vector, bool single, const About&, Rounded<T>&) = 0;

    /// Of a perturbation: first its trajectories, then transported fields change in place.
    virtual void tangent(const About&, const Wind& now, const Wind& extrapolated) = 0;
    virtual void tangent_between(const LinearTransport& layers, const About&) = 0;
    virtual void tangent(const About&, const Rounded<T>&, Group, bool vector) = 0;
    /// The adjoint in reversed order. What was carried changes in place; then it adds to the
    /// adjoints of the winds.
    virtual void adjoint(const About&, const Rounded<T>&, Group, bool vector) = 0;
    virtual void adjoint(const About&, const Wind& now, const Wind& extrapolated) = 0;
    virtual void adjoint_between(LinearTransport& layers) = 0;
};

/// As of SemiLagrangian. Throws Error on a stretched sphere.
template <class T>
std::unique_ptr<LinearTransport<T>> linear_transport(const Domain&, const GaussianGrid&,
                                                     const std::vector<double>& eta,
                                                     typename SemiLagrangian<T>::Parameters);
/// As of carrier_on_plane.
template <class T>
std::unique_ptr<LinearTransport<T>> linear_transport(const Domain&, const PlaneArea&,
                                                     const std::vector<double>& eta,
                                                     PlaneTrajectories);

}  // namespace fathom
