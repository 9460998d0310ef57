/// The vectors of an elliptic solver in memory of a device, and all operations on them there, those
/// of the passes of solver.hpp and the iterations of fused.hpp. The kernels are in
/// device/elliptic.cpp.
///
/// A point is computed from its neighbours alone: the sums over corners are those of
/// fused_rows.hpp, in the same order, so that the bits are the processor's. Blocks have a halo of
/// four points, and so have tiles, on which iterations work, four at a time. Points of other blocks
/// of the rank are read where they are; those of other ranks lie in the halo, which is filled
/// before each four iterations.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>
#include "parallel/halo/packing.hpp"
#include "parallel/sums/limbs.hpp"
#include "parallel/sums/unit.hpp"
#include "solver/search.hpp"

namespace fathom {

/// What the ranks of a solve do together.
class EllipticRanks {
public:
    virtual ~EllipticRanks() = default;
    /// Fills `width` points of the halo of vectors in memory of the device, from other ranks.
    virtual void fill(std::span<const FieldSlab>, int bytes, int width) = 0;
    virtual double largest(double) = 0;
};

/// Its input. Arrays are numbers of all blocks, one after another, in rows of `up`.
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
    std::vector<int> wet;      ///< own points, those along the fold last
    int fold = 0;              ///< the first own one along the fold: its corner counts half
    std::vector<Copy> copies;  ///< of wet points of the halo, from the edge outwards
    std::array<int, halo + 1> copies_until{};
    /// P', M, d^2, d of elliptic.hpp.
    template <class Number> struct Numbers {
        std::vector<Number> sum, difference, square, scale;
        Number compact = 0;
    };
    Numbers<double> in_double;
    Numbers<float> in_single;  ///< empty: everything is done in fp64
    /// Contiguous own points, some of them wet: together they cover all wet points.
    struct Tile {
        int at, columns, rows;  ///< the first
        int whole;              ///< rows that do not lie along the fold
        static constexpr int most_columns = 32, most_rows = 16;
    };
    std::vector<Tile> tiles;
    std::vector<int> source;  ///< for each number: its place in the block that owns it; -1: land
    int history = 0;          ///< residuals of a pass that are kept
    std::shared_ptr<EllipticRanks> others;  ///< null: there are none

    /// The number of a point, counted from the corner of a stored block.
    int place(int block, int row, int column) const {
        return blocks[block].at + (row - halo) * up + column - halo;
    }
};

class EllipticOnDevice {
public:
    virtual ~EllipticOnDevice() = default;

    /// An exact sum of squares of this rank, in the unit of the largest number of all ranks.
    struct Squares {
        double largest;
        Limbs limbs;
    };
    /// All numbers of a field, times `by`.
    virtual void scale(const FieldSlab&, int halo, int bytes, double by) = 0;
    /// y = x / d, r = b = D rhs; b.b. Slabs are in memory of the device; halo: theirs.
    virtual Squares begin(const FieldSlab& rhs, const FieldSlab& x, int halo, int bytes) = 0;
    /// r = b - A y; r.r
    virtual Squares residual() = 0;
    /// x = D y, or 0.
    virtual void end(const FieldSlab& x, int halo, int bytes, bool zero) = 0;

    /// Begins a pass: r and y become D r and D y; in fp32 D r times `up` and 0.
    virtual void enter(bool single, double up) = 0;
    /// Ends it: y is unscaled again, and r if requested; in fp32 y += down times the solution
    /// found.
    virtual void leave(bool single, double down, bool residual) = 0;

    struct Residual {
        int iteration;
        double rr;
    };
    /// Conjugate gradients, on one rank: all decisions are made there; the residuals on the way.
    virtual std::span<const Residual> gradients(GradientSearch&) = 0;
    /// On several, between two decisions: iterations, if any; then the sums of Products of this
    /// rank, in this unit. And the largest |r| of this rank.
    virtual std::array<Limbs, 4> products(bool single, const TwoSteps*, SumUnit) = 0;
    virtual double largest(bool single) = 0;
    /// Chebyshev's iteration: steps known beforehand, at most `most_sweeps`; then r.r of this rank,
    /// in this unit.
    virtual Limbs sweeps(bool single, std::span<const TwoSteps>, SumUnit) = 0;

    virtual std::vector<double> fetch_residual() = 0;  ///< r, an array
};

template <class Number> class EllipticOperator;
/// Blocks alone; with the points of these blocks.
EllipticPoints elliptic_places(const EllipticOperator<double>&);
EllipticPoints elliptic_points(const EllipticOperator<double>&, const EllipticOperator<float>*,
                               const Decomposition&, int rank);

}  // namespace fathom
