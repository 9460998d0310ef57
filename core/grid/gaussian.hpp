/// Gaussian grids: rows from SOUTH to north at the zeros mu = sin(phi) of the Legendre polynomial
/// P_rows, so that
///   sum_rows weight f(mu) = 1/2 integral f dmu    exactly for polynomials up to degree 2 rows - 1;
///   weight = 1 / ((1 - mu^2) P'^2).
/// Points of a row are equidistant from longitude 0 eastward. How many a truncation N needs on the
/// longest row, and twice the rows:
///   linear 2N + 1, quadratic 3N + 1 (products of two fields free of aliasing), cubic 4N + 1.
///
/// Reduced rows save points near the poles, where functions of large m vanish:
///   octahedral   4 i + 16 points on the i-th row from a pole (Malardel et al. 2016)
///   classical    the points that waves up to m need, m the largest with |P_n^m(mu)| above 2e-6
///                for some n <= N (Courtier & Naughton 1994)
#pragma once
#include <string>
#include <vector>
#include "grid/stretching.hpp"

namespace fathom {

struct GaussianGrid {
    std::vector<double> sine, cosine, weight;  ///< of each row; weights add up to 1
    /// What rounding took from the sine: P_n changes n times as fast as mu.
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
    /// The same points on a sphere stretched by c. As the weights know how to sum polynomials,
    /// areas add up to the sphere only where the rows resolve m^-2.
    GaussianGrid stretched(double c) const;
};

/// `order` 2, 3, 4: linear, quadratic, cubic. Rows are even in number.
GaussianGrid full_gaussian_grid(int rows, int points);
GaussianGrid full_gaussian_grid_of(int truncation, int order);
GaussianGrid octahedral_gaussian_grid(int rows);
/// Cubic; for less its rows near the poles are too short.
GaussianGrid octahedral_gaussian_grid_of(int truncation);
GaussianGrid classical_gaussian_grid(int rows, int truncation, int order);
GaussianGrid classical_gaussian_grid_of(int truncation, int order);

/// The smallest even number >= points without prime factors above 7: transforms of such rows are
/// fast.
int fast_points(int points);

}  // namespace fathom
