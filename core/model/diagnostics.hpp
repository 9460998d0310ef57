/// Numbers that describe a state and do not depend on ranks, blocks or threads: extremes with their places, weighted means by exact
/// sums, a checksum of the bits.
#pragma once
#include "model/sequence.hpp"

namespace fathom {

struct Extremes {
    double minimum, maximum, mean;                        ///< mean: weighted by area (centre or corner) x thickness
    struct At { int i, j, k; } at_minimum, at_maximum;    ///< global indices
    bool finite; At not_finite;                           ///< the first value that is NaN or infinite
};
/// Of the wet values of a field at centres or corners.
Extremes extremes(const Sequence&, std::string_view field, std::span<const double> thickness);

/// Sum of weight x value over wet points, exact; the top layer counts with thickness + sea_surface_height if `moving_surface`.
double content(const Sequence&, std::string_view field, std::span<const double> thickness, bool moving_surface);
double volume(const Sequence&, std::span<const double> thickness, bool moving_surface);

struct Motion { double kinetic_energy, speed; Extremes::At at; double courant; Extremes::At at_courant; };
/// Mean kinetic energy [m2 s-2], largest speed [m s-1] and largest |u| step / dx + |v| step / dy.
Motion motion(const Sequence&, std::span<const double> thickness, double step);

/// 64-bit hash of all wet values of the state with their global positions.
std::uint64_t checksum(const Sequence&, std::span<const std::string> fields);

}  // namespace fathom
