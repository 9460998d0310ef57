/// Eigenvectors of a symmetric matrix by Jacobi's rotations: S = Q diag Q'.
#pragma once
#include <cmath>
#include <vector>

namespace fathom {

/// A symmetric matrix S and the product Q of the rotations that make it diagonal.
struct Jacobi {
    int K;
    std::vector<double> S, Q;  ///< row by row
    explicit Jacobi(int K) : K(K), S(K * K, 0), Q(K * K, 0) {
        for (int k = 0; k < K; ++k) Q[k * K + k] = 1;
    }

    /// Turns rows and columns p and q so that S_pq = 0.
    void rotate(int p, int q) {
        const double s = S[p * K + q];
        if (s == 0) return;
        const double theta = (S[q * K + q] - S[p * K + p]) / (2 * s),
                     t = std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta);
        const double cosine = 1 / std::sqrt(t * t + 1), sine = t * cosine;
        for (int k = 0; k < K; ++k) {
            const double a = S[k * K + p], b = S[k * K + q];
            S[k * K + p] = cosine * a - sine * b;
            S[k * K + q] = sine * a + cosine * b;
        }
        for (int k = 0; k < K; ++k) {
            const double a = S[p * K + k], b = S[q * K + k], x = Q[k * K + p], y = Q[k * K + q];
            S[p * K + k] = cosine * a - sine * b;
            S[q * K + k] = sine * a + cosine * b;
            Q[k * K + p] = cosine * x - sine * y;
            Q[k * K + q] = sine * x + cosine * y;
        }
    }
    bool is_diagonal() const {
        double off = 0, all = 0;
        for (int k = 0; k < K; ++k)
            for (int j = 0; j < K; ++j) {
                all += S[k * K + j] * S[k * K + j];
                if (j != k) off += S[k * K + j] * S[k * K + j];
            }
        return off <= 1e-34 * all;
    }
    void solve() {
        for (int sweep = 0; sweep < 60 && !is_diagonal(); ++sweep)
            for (int p = 0; p < K; ++p)
                for (int q = p + 1; q < K; ++q) rotate(p, q);
    }
};

}  // namespace fathom
