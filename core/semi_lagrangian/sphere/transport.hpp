/// Semi-Lagrangian advection on the sphere and on levels, at the points of a Gaussian grid, full or
/// reduced.
///
///   departure point (SETTLS, Hortal 2002)
///       V = 1/2 { V(n)_A + [2 V(n) - V(n-1)]_D, rotated to A },
///       by fixed-point iteration from V = V(n)_A (sphere/departure.hpp)
///   interpolation
///       linear along each axis, and along one axis after the other the correction that makes it
///       cubic (C, L: cubic and linear interpolation):
///           f_D = [L_x L_y L_z + (C-L)_x L_y L_z + L_x (C-L)_y L_z + L_x L_y (C-L)_z] f
///       The 32 points of Ritchie et al. (1995), but fourth order, and no wave grows (theirs do, by
///       up to 1 % a step). On reduced rows, whose points are not beneath each other,
///           C_x C_y L_z + L_x L_y (C-L)_z,     40 points.
///       First and last interval of the vertical: linear. Quasi-monotone: clipped to the 8 nearest
///       values (Bermejo & Staniforth 1992).
///   vectors
///       turn with the frame carried along the great circle. 2 Omega x r can be carried with the
///       wind (Parameters::rotation); its oscillations grow by (f dt)^4 / 4 a step, so at long
///       steps the Coriolis force has to be implicit (docs/spectral.md) and rotation 0.
///
/// All fields of a group are next to each other, buffer[row][level][point][4 fields]: one set of
/// weights, one vector instruction, one cache line serve all. A row is continued beyond its ends,
/// the sphere beyond the poles (half a turn further, vectors change their sign), the column by a
/// copy of the first and last level: no index needs a test. Buffers span the globe in address
/// space; only rows that are used exist in memory. A halo on demand brings only those points of
/// other ranks that departures need.
#pragma once
#include <memory>
#include "base/error.hpp"
#include "grid/gaussian.hpp"
#include "semi_lagrangian/stencils/carrier.hpp"
#include "semi_lagrangian/stencils/interpolation.hpp"

namespace fathom {

template <class Number> class SemiLagrangian final : public Carrier<Number> {
public:
    struct Parameters {
        double step, radius, rotation = 0;  ///< [s], [m], [s-1]
        int iterations = 2;                 ///< interpolations of the wind to the departure point
    };
    /// eta: of the layers, growing downward. The rank's blocks hold what is computed; rows shorter
    /// than the grid's longest end early.
    SemiLagrangian(MPI_Comm, const Decomposition&, int halo, const GaussianGrid&,
                   std::vector<double> eta, Parameters);
    ~SemiLagrangian() override;

    using typename Carrier<Number>::Wind, typename Carrier<Number>::Kind;
    using typename Carrier<Number>::Group;
    using Carrier<Number>::spent;
    void depart(const Wind& now, const Wind& extrapolated) override;
    void depart_between(Carrier<Number>&) override {
        throw Error("trajectories of interfaces exist on a plane alone");
    }
    void depart_between_on(Device&, Carrier<Number>& layers) override { depart_between(layers); }
    /// To a wind 2 Omega x r is added.
    void interpolate(const Group& from, std::span<const FieldSlab> to) override;
    const OnDemandHalo& halo() const override;
    void depart_on(Device&, const Wind& now, const Wind& extrapolated) override;
    void interpolate_on(Device&, const Group&) override;

    /// For measurements: the seconds of one pass over all points with the trajectories of the last
    /// `depart` and the fields that were packed last. Every pass finds the departure points;
    /// `departure` does only that, the others then interpolate, too. Operations: of a pass without
    /// the departure points, for this number of fields.
    using Pass = InterpolationPass;
    double seconds(Pass);
    double operations(Pass, int fields) const;

private:
    struct Tables;
    std::unique_ptr<Tables> tables;
};

}  // namespace fathom
