#include "solver/preconditioner/front_matrix.hpp"
#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

/// y[0 .. n) -= sum of a[k] row_k; the a are `next` apart, rows `up` apart. Four rows at a time: y
/// is then read and written a quarter as often.
void subtract_rows(double* __restrict y, const double* a, std::ptrdiff_t next, int rows,
                   const double* __restrict row, std::ptrdiff_t up, int n) {
    int k = 0;
    for (; k + 4 <= rows; k += 4) {
        const double *r0 = row + k * up, *r1 = r0 + up, *r2 = r1 + up, *r3 = r2 + up;
        const double a0 = a[k * next], a1 = a[(k + 1) * next], a2 = a[(k + 2) * next],
                     a3 = a[(k + 3) * next];
        for (int c = 0; c < n; ++c) y[c] -= (a0 * r0[c] + a1 * r1[c]) + (a2 * r2[c] + a3 * r3[c]);
    }
    for (; k < rows; ++k)
        for (int c = 0; c < n; ++c) y[c] -= a[k * next] * row[k * up + c];
}

}  // namespace

/// Subtracts the terms of the previous pivots from each row.
void FrontMatrix::eliminate_pivots() {
    for (int row = 0; row < size; ++row) {
        double* a = row_of(row);
        const double* column = matrix.data() + row;
        subtract_rows(a + row, column, size, std::min(row, pivots), column, size, size - row);
        if (row >= pivots) continue;
        const double scale = 1 / std::sqrt(a[row]);
        for (int c = row; c < size; ++c) a[c] *= scale;
    }
}

std::vector<double> FrontMatrix::remainder() const {
    std::vector<double> left(std::size_t(boundary) * boundary);
    for (int u = 0; u < boundary; ++u)
        std::copy_n(matrix.data() + std::size_t(pivots + u) * size + pivots + u, boundary - u,
                    left.data() + std::size_t(u) * boundary + u);
    return left;
}

/// inverse(L), from the first row down: row f of L is column f of L'.
void FrontMatrix::invert_factor() {
    double* z = inverse.data();
    for (int f = 0; f < pivots; ++f) {
        double* row = z + std::size_t(f) * pivots;
        row[f] = 1;
        subtract_rows(row, matrix.data() + f, size, f, z, pivots, f);
        const double diagonal = row_of(f)[f];
        for (int c = 0; c <= f; ++c) row[c] /= diagonal;
    }
}

/// L' W = X and L' inverse(A_FF) = inverse(L), from the last row up.
void FrontMatrix::invert_pivots() {
    invert_factor();
    for (int f = pivots - 1; f >= 0; --f) {
        double *row = row_of(f), *z = inverse.data() + std::size_t(f) * pivots;
        const double* factor = row + f + 1;
        const int below = pivots - 1 - f;
        subtract_rows(row + pivots, factor, 1, below, row + size + pivots, size, boundary);
        subtract_rows(z, factor, 1, below, z + pivots, pivots, pivots);
        for (int c = pivots; c < size; ++c) row[c] /= row[f];
        for (int c = 0; c < pivots; ++c) z[c] /= row[f];
    }
}

}  // namespace fathom
