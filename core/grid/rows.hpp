/// Rows of a grid: latitudes phi(j) that solve
///   dphi/dj = h s(phi),     s the shape of the spacing, h the spacing where s = 1,
///   s(phi) = sqrt((cos^2 phi + polar^2) / (1 + polar^2))
///            [1 - (1 - equatorial) exp(-(phi / width)^2)]
///
/// cos phi keeps cells square (Mercator) down to `polar`, which saves rows where meridians
/// converge; the bracket refines the equator.
#pragma once
#include <vector>

namespace fathom {

struct MeridionalSpacing {
    double equatorial = 1;  ///< s at the equator
    double width = 10;      ///< of the refinement [degrees]
    double polar = 0;       ///< s near the poles
    double operator()(double latitude) const;
};

/// Integral of dphi / s, degrees: the number of rows times h.
double rows_between(const MeridionalSpacing&, double south, double north);
/// n + 1 latitudes from `start`, h > 0 northward, h < 0 southward.
std::vector<double> rows_from(const MeridionalSpacing&, double start, double h, int n);

/// n + 1 corner latitudes between two given ones.
std::vector<double> uniform_latitudes(double south, double north, int n);
std::vector<double> mercator_latitudes(double south, double north, int n);
std::vector<double> stretched_latitudes(double south, double north, int n,
                                        const MeridionalSpacing&);

}  // namespace fathom
