/// The dense matrix of a node of the elimination tree, its pivots F first, then its boundary U:
///   A_FF = L L',     X = inverse(L) A_FU,     A_UU - X' X is left for the parent;
///   inverse(A_FF) = inverse(L)' inverse(L),     W = inverse(A_FF) A_FU = inverse(L)' X.
/// Only the part right of the diagonal is kept up to date.
#pragma once
#include <cstddef>
#include <vector>

namespace fathom {

class FrontMatrix {
public:
    FrontMatrix(int pivots, int boundary)
        : pivots(pivots),
          boundary(boundary),
          size(pivots + boundary),
          matrix(std::size_t(size) * size, 0),
          inverse(std::size_t(pivots) * pivots, 0) {}

    double& operator()(int row, int column) { return row_of(row)[column]; }
    /// Rows of L' and X replace those of A, A_UU - X' X replaces A_UU. Not a number where A is not
    /// positive definite.
    void eliminate_pivots();
    std::vector<double> remainder() const;  ///< A_UU - X' X
    /// W replaces X; inverse(A_FF).
    void invert_pivots();
    const double* row_of_inverse(int f) const { return inverse.data() + std::size_t(f) * pivots; }
    const double* row_of_coupling(int f) const {
        return matrix.data() + std::size_t(f) * size + pivots;
    }

private:
    int pivots, boundary, size;
    std::vector<double> matrix, inverse;
    double* row_of(int row) { return matrix.data() + std::size_t(row) * size; }
    void invert_factor();
};

}  // namespace fathom
