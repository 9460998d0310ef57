/// Eigenvectors of a symmetric tridiagonal matrix by the implicit QL iteration (Bowdler, Martin,
/// Reinsch & Wilkinson 1968): S = Q diag Q'.
#pragma once
#include <cmath>
#include <limits>
#include <vector>

namespace fathom {

/// The matrix, and after `solve` its eigenvalues instead of the diagonal.
struct TridiagonalModes {
    int K;
    std::vector<double> diagonal, beside;  ///< beside[k] = S_k,k+1, the last one is 0
    std::vector<double> modes;             ///< row by row: those of each eigenvalue
    explicit TridiagonalModes(int K) : K(K), diagonal(K, 0), beside(K, 0), modes(K * K, 0) {
        for (int k = 0; k < K; ++k) modes[k * K + k] = 1;
    }

    void solve() {
        for (int l = 0; l < K; ++l)
            for (int most = 60, m = parted(l); m != l && most; m = parted(l), --most) sweep(l, m);
    }

private:
    /// The first row from l on that is not coupled to the next.
    int parted(int l) const {
        constexpr double round_off = std::numeric_limits<double>::epsilon();
        while (l + 1 < K && std::abs(beside[l]) >
                                round_off * (std::abs(diagonal[l]) + std::abs(diagonal[l + 1])))
            ++l;
        return l;
    }
    /// One sweep of rotations from row m up to l, with Wilkinson's shift.
    void sweep(int l, int m) {
        auto &d = diagonal, &e = beside;
        const double half = (d[l + 1] - d[l]) / (2 * e[l]),
                     root = std::copysign(std::sqrt(half * half + 1), half);
        double g = d[m] - d[l] + e[l] / (half + root), sine = 1, cosine = 1, p = 0;
        for (int i = m - 1; i >= l; --i) {
            const double f = sine * e[i], b = cosine * e[i], r = std::sqrt(f * f + g * g);
            e[i + 1] = r;
            if (r == 0) {
                d[i + 1] -= p, e[m] = 0;
                return;
            }
            sine = f / r, cosine = g / r, g = d[i + 1] - p;
            const double turn = (d[i] - g) * sine + 2 * cosine * b;
            p = sine * turn, d[i + 1] = g + p, g = cosine * turn - b;
            double *own = &modes[i * K], *next = own + K;
            for (int k = 0; k < K; ++k) {
                const double x = own[k], y = next[k];
                next[k] = sine * x + cosine * y, own[k] = cosine * x - sine * y;
            }
        }
        d[l] -= p, e[l] = g, e[m] = 0;
    }
};

}  // namespace fathom
