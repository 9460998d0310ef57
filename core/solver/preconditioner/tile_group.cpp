#include "solver/preconditioner/tile_group.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace fathom {

namespace {

using Eight = TileGroup::Eight;
constexpr int side = TileGroup::side, points = TileGroup::points, guesses = TileGroup::guesses;

bool is_wet(const TileFields& tile, int k) { return tile.wet[k] != 0 && tile.scale[k] > 0; }

/// P' = (1 - e)(a + b) and M = a - b of elliptic.hpp at the corners of a tile.
struct Corners {
    static constexpr int width = side + 1;
    double sum[width * width] = {}, difference[width * width] = {};
    const double compact;  // k
    static int northeast_of(int i, int j) { return (j + 1) * width + i + 1; }

    Corners(const TileFields& tile, double mean_area)
        : compact(tile.compactness / (1 - tile.compactness)) {
        double total = 0;
        int wet = 0;
        for (int k = 0; k < width * width; ++k) {
            const double H = tile.depth[k], dx = tile.dx[k], dy = tile.dy[k];
            const double a = 0.25 * H * dy / dx, b = 0.25 * H * dx / dy;
            if (!(H > 0) || !std::isfinite(a + b)) continue;
            sum[k] = (1 - tile.compactness) * (a + b), difference[k] = a - b, total += sum[k],
            ++wet;
        }
        const double fill = wet ? 0.1 * total / wet : tile.mass * mean_area;
        std::ranges::replace(sum, 0.0, fill);
    }
    /// The corners' contribution to the diagonal of the point (i, j).
    double around(int i, int j) const {
        const double* P = sum + northeast_of(i, j);
        return (1 + 2 * compact) * ((P[-width - 1] + P[-width]) + (P[-1] + P[0]));
    }
    /// The contribution to the cells west and east of a corner, and to those south and north of it.
    double east_west(int corner) const { return -(difference[corner] + compact * sum[corner]); }
    double north_south(int corner) const { return difference[corner] - compact * sum[corner]; }
};

/// Mean area of the wet points of a tile; 0 if there are none.
double mean_area(const TileFields& tile) {
    double total = 0;
    int wet = 0;
    for (int k = 0; k < points; ++k)
        if (is_wet(tile, k)) total += tile.area[k], ++wet;
    return wet ? total / wet : 0;
}

/// diagonal^(-1/2)
std::array<double, points> scales(const TileFields& tile, const Corners& corners, double mean) {
    std::array<double, points> scale;
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            const int k = j * side + i;
            const double area = is_wet(tile, k) ? tile.area[k] : mean;
            scale[k] = 1 / std::sqrt(tile.mass * area + corners.around(i, j));
        }
    return scale;
}

/// A matrix of one tile, and next to it the unit matrix, which becomes the inverse.
class Matrix {
public:
    Matrix() {
        for (int row = 0; row < guesses; ++row) (*this)(row, guesses + row) = 1;
    }
    double& operator()(int row, int column) { return numbers[row * 2 * guesses + column]; }
    double inverse(int row, int column) { return (*this)(row, guesses + column); }

    /// Gauss & Jordan, with the largest pivot of each column.
    void invert() {
        for (int c = 0; c < guesses; ++c) {
            swap_rows(c, row_of_pivot(c));
            scale_row(c, 1 / (*this)(c, c));
            for (int row = 0; row < guesses; ++row)
                if (row != c) subtract(row, (*this)(row, c), c);
        }
    }

private:
    double numbers[guesses * 2 * guesses] = {};

    int row_of_pivot(int c) {
        int pivot = c;
        for (int row = c + 1; row < guesses; ++row)
            if (std::abs((*this)(row, c)) > std::abs((*this)(pivot, c))) pivot = row;
        return pivot;
    }
    void swap_rows(int a, int b) {
        for (int k = 0; k < 2 * guesses; ++k) std::swap((*this)(a, k), (*this)(b, k));
    }
    /// The elements before column `row` are 0 already.
    void scale_row(int row, double by) {
        for (int k = row; k < 2 * guesses; ++k) (*this)(row, k) *= by;
    }
    void subtract(int row, double factor, int c) {
        for (int k = c; k < 2 * guesses; ++k) (*this)(row, k) -= factor * (*this)(c, k);
    }
};

}  // namespace

void TileGroup::Unknowns::clear() { std::ranges::fill(x, Eight(0.0)); }

void TileGroup::assemble_nothing(int tile) {
    for (int k = 0; k < points; ++k) {
        for (Coefficient which : {east, north, northeast, northwest, rescaling})
            at(which, k, tile) = 0;
        at(inverse_northeast, k, tile) = 1;
    }
}

void TileGroup::assemble(int tile, const TileFields& fields) {
    const double area = mean_area(fields);
    if (area == 0) return assemble_nothing(tile);
    const Corners corners(fields, area);
    const auto scale = scales(fields, corners, area);
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            const int c = Corners::northeast_of(i, j);
            const double* P = corners.sum + c;
            const int k = j * side + i;
            const bool has_east = i < side - 1, has_north = j < side - 1,
                       has_both = has_east && has_north;
            at(east, k, tile) =
                has_east ? (corners.east_west(c) + corners.east_west(c - Corners::width)) *
                               scale[k] * scale[k + 1]
                         : 0;
            at(north, k, tile) = has_north ? (corners.north_south(c) + corners.north_south(c - 1)) *
                                                 scale[k] * scale[k + side]
                                           : 0;
            at(northeast, k, tile) = has_both ? -P[0] * scale[k] * scale[k + side + 1] : 0;
            at(northwest, k, tile) = has_both ? -P[0] * scale[k + 1] * scale[k + side] : 0;
            at(inverse_northeast, k, tile) = has_both ? 1 / at(northeast, k, tile) : 1;
            at(rescaling, k, tile) = is_wet(fields, k) ? scale[k] / fields.scale[k] : 0;
        }
}

/// Column by column: the residuals of a guess that is 1 at one point and 0 elsewhere.
void TileGroup::invert_influence() {
    Unknowns x;
    Eight nothing[points], f[guesses];
    x.clear();
    std::ranges::fill(nothing, Eight(0.0));
    std::vector<Matrix> influence(tiles);
    for (int c = 0; c < guesses; ++c) {
        for (int n = 0; n < guesses; ++n) guess(x, n) = Eight(n == c ? 1.0 : 0.0);
        march(nothing, x);
        unused_equations(nothing, x, f);
        for (int row = 0; row < guesses; ++row)
            for (int tile = 0; tile < tiles; ++tile) influence[tile](row, c) = -f[row].lanes[tile];
    }
    for (int tile = 0; tile < tiles; ++tile) {
        influence[tile].invert();
        for (int row = 0; row < guesses; ++row)
            for (int c = 0; c < guesses; ++c)
                inverse_influence()[(row * guesses + c) * tiles + tile] =
                    influence[tile].inverse(row, c);
    }
}

/// |b - A x|, or 1 where x is not a number.
Eight TileGroup::largest_error(const Eight* b, const Unknowns& x) const {
    Eight worst(0.0);
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            const Eight last = i < side - 1 && j < side - 1
                                   ? of(northeast, j * side + i) * x(i + 1, j + 1)
                                   : Eight(0.0);
            worst = larger(worst, abs(residual(b, x, i, j) - last));
            for (int tile = 0; tile < tiles; ++tile)
                if (!std::isfinite(x(i, j).lanes[tile])) worst.lanes[tile] = 1;
        }
    return worst;
}

void TileGroup::leave_failures_to_diagonal() {
    Eight b[points];  // a right-hand side that contains all wavelengths
    for (int k = 0; k < points; ++k) b[k] = Eight(double((k * 37 + k * k * 11) % 64) / 32 - 1);
    Unknowns x;
    x.clear();
    solve(b, x);
    const Eight error = largest_error(b, x);
    for (int tile = 0; tile < tiles; ++tile) {
        if (error.lanes[tile] < 1e-6) continue;
        assemble_nothing(tile);
        for (int k = 0; k < guesses * guesses; ++k) inverse_influence()[k * tiles + tile] = 0;
        numbers[size - 2 * tiles + tile] = 1;
    }
}

}  // namespace fathom
