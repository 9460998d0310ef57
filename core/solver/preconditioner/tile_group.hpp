/// Eight tiles of 8 x 8 points, solved side by side in registers by marching (error vector
/// propagation, Roache 1995). The equation of (i, j) gives the unknown (i+1, j+1) from those south
/// and west of it,
///   x(i+1,j+1) = [b - (x + E x_e + E_w x_w + N x_n + N_s x_s + NE_sw x_sw + NW_w x_nw
///                      + NW_s x_se)] / NE          at (i, j)
/// so that a guess of the first row and column, 15 numbers, determines all others. The march does
/// not use the equations of the last row and column: their residuals f depend on the guess,
///   f = f(0) - influence * guess,          guess = inverse(influence) * f(0)
/// One march from a guess of zeros gives f(0), a second one from the right guess the solution.
///
/// At dry corners NE is 0. Only here they get a tenth of the mean of the tile's wet ones, and land
/// gets the tile's mean area; beyond the tile x = 0. Symmetry and positive definiteness are kept
/// between masks. Marching loses some five digits: each tile is tested when it is made, and uses
/// the diagonal if the test fails.
#pragma once
#include "base/pack.hpp"

namespace fathom {

/// The input of one tile: of its points, whether they are wet, their area [m2] and the scale D of
/// the solver; of the corners around them, (side + 1) x (side + 1), depth and widths [m].
struct TileFields {
    const double *wet, *area, *scale, *depth, *dx, *dy;
    double mass, compactness;  ///< of elliptic.hpp [m-1, 1]
};

class TileGroup {
public:
    static constexpr int side = 8, points = side * side;
    static constexpr int guesses = 2 * side - 1;  ///< points of the first row and column
    static constexpr int tiles = 8;
    using Eight = Pack<double, tiles>;
    /// Of a point: its equation's coefficients, scaled to a unit diagonal; 1 / northeast; the
    /// tile's scale over that of the solver, 0 on land.
    enum Coefficient { east, north, northeast, northwest, inverse_northeast, rescaling, kinds };
    /// Numbers of a group: [coefficient][point][tile], [guess][residual][tile], [tile], and the
    /// same number of zeros: memory before the next group is read there.
    static constexpr std::ptrdiff_t size = (kinds * points + guesses * guesses + 2) * tiles;

    /// The unknowns of a tile, with a margin for the points around it.
    class Unknowns {
    public:
        Eight& operator()(int i, int j) { return x[(j + 1) * width + i + 1]; }
        const Eight& operator()(int i, int j) const { return x[(j + 1) * width + i + 1]; }
        void clear();
        void clear_margin();

    private:
        static constexpr int width = side + 2;
        Eight x[width * width];
    };

    /// numbers: of this group; memory before them is read, and multiplied by 0.
    explicit TileGroup(double* numbers) : numbers(numbers) {}

    Eight of(Coefficient which, int point) const {
        return Eight::load(numbers + (which * points + point) * tiles);
    }
    /// 1 for a tile that uses the diagonal, else 0.
    Eight left_to_diagonal() const { return Eight::load(numbers + size - 2 * tiles); }
    /// A x = b; the margin of x is 0.
    void solve(const Eight* b, Unknowns& x) const;

    void assemble(int tile, const TileFields&);
    void assemble_nothing(int tile);  ///< where there is no tile, or no water in it
    /// Call it after all eight are assembled.
    void invert_influence();
    void leave_failures_to_diagonal();

private:
    double* numbers;

    double& at(Coefficient which, int point, int tile) {
        return numbers[(which * points + point) * tiles + tile];
    }
    double* inverse_influence() const { return numbers + kinds * points * tiles; }
    static Eight& guess(Unknowns& x, int n) { return n < side ? x(n, 0) : x(0, n - side + 1); }
    Eight residual(const Eight* b, const Unknowns& x, int i, int j) const;
    void march(const Eight* b, Unknowns& x) const;
    void unused_equations(const Eight* b, const Unknowns& x, Eight* f) const;
    Eight largest_error(const Eight* b, const Unknowns& x) const;
};

/// b - A x at (i, j), with 0 for x(i+1, j+1).
inline TileGroup::Eight TileGroup::residual(const Eight* b, const Unknowns& x, int i, int j) const {
    const int k = j * side + i;
    const Eight along = fma(of(east, k), x(i + 1, j), fma(of(east, k - 1), x(i - 1, j), x(i, j)));
    const Eight south = fma(of(north, k - side), x(i, j - 1),
                            fma(of(northeast, k - side - 1), x(i - 1, j - 1),
                                of(northwest, k - side) * x(i + 1, j - 1)));
    return fma(-of(north, k), x(i, j + 1),
               (b[k] - (along + south)) - of(northwest, k - 1) * x(i - 1, j + 1));
}

/// From the first row and column to all others.
inline void TileGroup::march(const Eight* b, Unknowns& x) const {
    for (int j = 0; j < side - 1; ++j)
        for (int i = 0; i < side - 1; ++i)
            x(i + 1, j + 1) = residual(b, x, i, j) * of(inverse_northeast, j * side + i);
}

/// Residuals of the last column and row.
inline void TileGroup::unused_equations(const Eight* b, const Unknowns& x, Eight* f) const {
    for (int j = 0; j < side; ++j) f[j] = residual(b, x, side - 1, j);
    for (int i = 0; i < side - 1; ++i) f[side + i] = residual(b, x, i, side - 1);
}

inline void TileGroup::solve(const Eight* b, Unknowns& x) const {
    Eight f[guesses];
    for (int n = 0; n < guesses; ++n) guess(x, n) = Eight(0.0);
    march(b, x);
    unused_equations(b, x, f);
    const double* influence = inverse_influence();
    for (int n = 0; n < guesses; ++n) {
        Eight one(0.0), two(0.0), three(0.0);  // sums that do not wait for each other
        for (int k = 0; k < guesses; k += 3, influence += 3 * tiles) {
            one = fma(Eight::load(influence), f[k], one);
            two = fma(Eight::load(influence + tiles), f[k + 1], two);
            three = fma(Eight::load(influence + 2 * tiles), f[k + 2], three);
        }
        guess(x, n) = (one + two) + three;
    }
    march(b, x);
}

inline void TileGroup::Unknowns::clear_margin() {
    for (int k = 0; k < width; ++k)
        x[k] = x[width * (width - 1) + k] = x[k * width] = x[k * width + width - 1] = Eight(0.0);
}

}  // namespace fathom
