/// Gaussian grids: rows from SOUTH to north at the zeros mu = sin(phi) of the Legendre polynomial
/// P_rows, so that
///   sum_rows weight f(mu) = 1/2 integral f dmu    exactly for polynomials up to degree 2 rows - 1;
///   weight = 1 / ((1 - mu^2) P'^2).
/// Points of a row are equidistant from longitude 0 eastward. Points needed by a truncation N on
/// the longest row, and twice the number of rows:
///   linear 2N + 1, quadratic 3N + 1 (products of two fields free of aliasing), cubic 4N + 1.
///
/// Reduced rows save points near the poles, where functions of large m vanish:
///   octahedral   4 i + 16 points on the i-th row from a pole (Malardel et al. 2016)
///   classical    the points needed by waves up to m, the largest m with |P_n^m(mu)| above 2e-6
///                for some n <= N (Courtier & Naughton 1994)
#pragma once
#include <string>
#include <vector>
#include "grid/stretching.hpp"

namespace fathom {

struct GaussianGrid {
    std::vector<double> sine, cosine, weight;  ///< of each row; weights add up to 1
    /// Rounding errors of the sine: P_n changes n times as fast as mu.
    std::vector<double> sine_rest;
    std::vector<int> points;  ///< of each row: even, never fewer nearer to the equator
    /// Of the real sphere; sines, cosines and weights are those of the computational one.
    Stretching stretching;
    int rows() const { return int(points.size()); }
    int longest() const;
    long size() const;  ///< points of the whole grid
    double map_factor(int row) const { return stretching.map_factor(sine[row]); }
    /// Part of the real sphere that belongs to a row.
    double area(int row) const { return weight[row] / (map_factor(row) * map_factor(row)); }
    /// The same points on a sphere stretched by c. The weights are exact for polynomials, so areas
    /// add up to the sphere only where the rows resolve m^-2.
    GaussianGrid stretched(double c) const;
};

/// `order` 2, 3, 4: linear, quadratic, cubic. The number of rows is even.
GaussianGrid full_gaussian_grid(int rows, int points);
GaussianGrid full_gaussian_grid_of(int truncation, int order);
GaussianGrid octahedral_gaussian_grid(int rows);
/// Cubic; with a lower order its rows near the poles are too short.
GaussianGrid octahedral_gaussian_grid_of(int truncation);
GaussianGrid classical_gaussian_grid(int rows, int truncation, int order);
GaussianGrid classical_gaussian_grid_of(int truncation, int order);

/// The smallest even number >= points without prime factors above 7: transforms of such rows are
/// fast.
int fast_points(int points);

}  // namespace fathom
