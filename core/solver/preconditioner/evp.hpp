/// Blocks of 8 x 8 points solved directly by marching (error vector propagation, Roache 1995; as a
/// preconditioner Hu et al. 2015): the equation of (i,j) gives the unknown (i+1,j+1) from those
/// south and west of it,
///   x(i+1,j+1) = [b - (x + E x_e + E_w x_w + N x_n + N_s x_s + NE_sw x_sw + NW_w x_nw
///       + NW_s x_se)] / NE       at (i,j)
/// With a first row and column of zeros that leaves residuals F in the last ones; F depends on the
/// first ones by a matrix of 15 x 15, whose inverse gives what they should have been, and a second
/// march the solution.
///
/// At dry corners NE is 0: in the preconditioner alone they get a tenth of the mean of the tile's
/// wet ones, and land the tile's mean area; beyond the tile x = 0. What is symmetric and positive
/// definite stays so between masks. Marching loses some five digits; each tile is tried when it is
/// made, and left to the diagonal if that fails. Tiles are fixed by the grid: those that lie in
/// several blocks travel to one rank and back.
#pragma once
#include "solver/preconditioner/preconditioner.hpp"

namespace fathom {

class MarchingBlocks final : public Preconditioner {
public:
    explicit MarchingBlocks(const PreconditionerParts&);
    void apply(int from, int to, double size) override;

private:
    static constexpr int n = 8, points = n * n, guesses = 2 * n - 1, lanes = 8;
    using Eight = Pack<double, lanes>;
    enum { east, north, northeast, northwest, inverse, weight, coefficients };
    static constexpr std::ptrdiff_t group_numbers =
        (coefficients * points + guesses * guesses + 1) * lanes;
    struct Tile {
        int row, column, travelling;
    };  ///< row: in A.rows, -1 where its numbers lie in the buffers

    EllipticSpace<double>& space;
    std::vector<Tile>
        tiles;  ///< eight in a group, side by side in a register; travelling ones last
    std::size_t own_groups = 0;  ///< of which none travels
    std::vector<double> numbers;
    std::vector<double> arrived, solved;  ///< of travelling tiles
    FieldSlab slab_arrived, slab_solved;
    std::unique_ptr<Exchange> there, back;

    double* group(std::size_t g) {
        return numbers.data() + 2 * points * lanes + g * group_numbers;
    }  ///< what lies before the first is read, and taken times 0
    static void march(const double* group, const Eight* b, Eight* x);
    static Eight defect(const double* group, const Eight* b, const Eight* x, int i, int j);
    static void defects(const double* group, const Eight* b, const Eight* x, Eight* F);
    static void solve(const double* group, const Eight* b, Eight* x);
    void apply(int from, int to, std::size_t begin, std::size_t end);
    void make_group(std::size_t, const std::vector<std::vector<double>>& fields, double mass,
                    std::span<const int> field_of_tile);
};

}  // namespace fathom
