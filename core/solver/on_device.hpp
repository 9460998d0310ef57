/// The vectors of an elliptic solver in memory of a device, and all that is done with them there:
/// of the passes of solver.hpp and the iterations of fused.hpp, on the blocks of one rank that has
/// them all. The kernels are in device/elliptic.cpp.
///
/// A point is computed from its neighbours alone: the sums over corners are those of
/// fused_rows.hpp, in the same order, so that the bits are the processor's. Blocks have a halo of
/// four points, filled once in two iterations.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>
#include "parallel/sum/unit.hpp"
#include "parallel/travel/packing.hpp"
#include "solver/search.hpp"

namespace fathom {

/// What it is made from. Arrays are numbers of all blocks, one after another, in rows of `up`.
struct EllipticPoints {
    static constexpr int halo = 4;
    struct OwnBlock {
        int at, nx, ny;  ///< its first own point
    };
    struct Copy {
        int from, to;
    };
    int up = 0, numbers = 0;
    std::vector<OwnBlock> blocks;
    /// Own points first, those along the fold last of them; then those 1, 2, 3 points in the halo.
    std::vector<int> wet;
    std::array<int, halo> wet_until{};  ///< so many points in the halo: how many
    int fold = 0;              ///< the first own one along the fold: its corner counts half
    std::vector<Copy> copies;  ///< of wet points of the halo, from the edge outwards
    std::array<int, halo + 1> copies_until{};
    /// P', M, d^2, d of elliptic.hpp.
    template <class Number> struct Numbers {
        std::vector<Number> sum, difference, square, scale;
        Number compact = 0;
    };
    Numbers<double> in_double;
    Numbers<float> in_single;  ///< empty: all is done in fp64
    int history = 0;           ///< residuals of a pass that are kept
};

class EllipticOnDevice {
public:
    virtual ~EllipticOnDevice() = default;

    /// An exact sum of squares (reduce.hpp): sums of n1 and n2, each as 2^32 [1] + [0]; whether a
    /// term was too large for the unit, which is that of the largest number.
    struct Squares {
        double largest;
        std::int64_t n1[2], n2[2], strange;
    };
    /// All numbers of a field, times `by`.
    virtual void scale(const FieldSlab&, int halo, int bytes, double by) = 0;
    /// y = x / d, r = b = D rhs; b.b. Slabs are in memory of the device; halo: theirs.
    virtual Squares begin(const FieldSlab& rhs, const FieldSlab& x, int halo, int bytes) = 0;
    /// r = b - A y; r.r
    virtual Squares residual() = 0;
    /// x = D y, or 0.
    virtual void end(const FieldSlab& x, int halo, int bytes, bool zero) = 0;

    /// A pass begins: r and y become D r and D y; in fp32 D r times `up` and 0.
    virtual void enter(bool single, double up) = 0;
    /// It ends: y is itself again, and r if it is asked for; in fp32 y += down times what was
    /// found.
    virtual void leave(bool single, double down, bool residual) = 0;

    struct Residual {
        int iteration;
        double rr;
    };
    /// Conjugate gradients; the residuals on the way.
    virtual std::span<const Residual> gradients(GradientSearch&) = 0;
    /// Chebyshev's iteration: steps known beforehand, at most `most_sweeps`, and r.r.
    virtual void sweeps(bool single, std::span<const TwoSteps>) = 0;
    virtual double squares(bool single, SumUnit) = 0;

    virtual std::vector<double> fetch_residual() = 0;  ///< r, an array
};

template <class Number> class EllipticOperator;
/// Blocks alone; with all else. history: residuals of a pass that are kept.
EllipticPoints elliptic_places(const EllipticOperator<double>&);
EllipticPoints elliptic_points(const EllipticOperator<double>&, const EllipticOperator<float>*,
                               const Decomposition&, int rank, int history);

}  // namespace fathom
