/// The Helmholtz equation of columns that are all equal, on rows whose points are all equal, solved
/// exactly:
///   (A x)_k = up_k x_k-1 + centre_k x_k + down_k x_k+1 + face_k (L x)_k
///   L x = 1 / area [east_j (2 x - x_i+1 - x_i-1) + north_j (x - x_j+1) + north_j-1 (x - x_j-1)]
/// The eigenvectors of V = diag(1 / face) tridiagonal(up, centre, down) give one equation (L +
/// lambda) y = r for each vertical mode; Fourier transforms along rows give tridiagonal ones along
/// the columns of rows; where the last row joins the first, the corners of the matrix are corrected
/// afterwards (Sherman & Morrison). Each rank gets some modes whole: the same bits on any ranks;
/// more ranks than modes do not help.
#pragma once
#include <vector>
#include "machine/memory.hpp"
#include "parallel/halo/packing.hpp"
#include "parallel/ownership/domain.hpp"
#include "solver/helmholtz/separable_steps.hpp"
#include "transform/fourier/fourier.hpp"

namespace fathom {

/// Of waves along rows of so many points: 4 sin^2(pi m / nx), m = 0 ... nx / 2.
std::vector<double> separable_waves(int nx);
/// Error: the equation cannot be solved on these rows.
void check_separable(const Topology&);

/// Which modes each rank has whole, and how numbers travel: own points of all modes <-> all points
/// of own modes, pieces of ranks one after another on both sides.
struct SeparableRanks {
    explicit SeparableRanks(const Domain&);
    int rank, ranks;
    std::vector<int> first_mode;                       ///< of each rank, and one more
    std::vector<std::ptrdiff_t> first_point;           ///< of its blocks; the same
    std::vector<std::ptrdiff_t> own_side, whole_side;  ///< where pieces begin; the same
    int modes_of(int r) const { return first_mode[r + 1] - first_mode[r]; }
    int own_modes() const { return modes_of(rank); }
    std::ptrdiff_t own_points() const { return first_point[rank + 1] - first_point[rank]; }
};

template <class T> class SeparableSolver {
public:
    explicit SeparableSolver(const Domain&);
    void renew(const SeparableColumns&);
    /// Slabs with a halo of so many points.
    void solve(const FieldSlab& right_side, int halo_of_right_side, const FieldSlab& x,
               int halo_of_x);

private:
    const Domain& domain;
    const int nx, ny, levels, waves;
    const SeparableRanks ranks;
    const bool joined;                      // the last row to the first
    std::vector<T> to_modes, from_modes;    // [mode][level], [level][mode]
    LargeVector<T> factor, above;           // [own mode][row][wave]
    LargeVector<T> ring, share;             // the same, [own mode][wave], of joined rows
    std::vector<T> across;                  // [wave]
    std::vector<T> below;                   // [row]
    LargeVector<T> local, planes, spectra;  // [mode][own points], [own mode][row][point], waves
    LargeVector<T> arrived;                 // from other ranks
    std::vector<std::size_t> first_own;     // of each block, among own points
    const std::size_t own;                  // points
    Fourier<T> fourier;

    int own_modes() const { return ranks.own_modes(); }
    void factorise(const SeparableModes&);
    template <class Body> void each_row(Body) const;
    void project(const FieldSlab&, int halo);
    void compose(const FieldSlab&, int halo) const;
    void transpose(bool to_planes);
    void along_rows(int mode, bool direct);
    void across_rows(int mode);
    SeparableElimination<T> elimination(int mode);
    auto each_wave() const {
        return [this](const auto& body) {
            for (int m = 0; m < waves; ++m) body(m);
        };
    }
};

}  // namespace fathom
