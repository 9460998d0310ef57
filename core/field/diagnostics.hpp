/// Numbers that describe a state and do not depend on ranks, blocks or threads: extremes with their
/// places, weighted means by exact sums, a checksum of the bits.
#pragma once
#include "field/field_set.hpp"

namespace fathom {

struct Extremes {
    double minimum, maximum,
        mean;  ///< mean: weighted by the weight of each value in the domain
    struct At {
        int i, j, k;
    } at_minimum, at_maximum;  ///< global indices
    bool finite;
    At not_finite;  ///< the first value that is NaN or infinite
};
/// Of the wet values of a field at centres or corners.
Extremes extremes(const FieldSet&, std::string_view field);

/// Sum of weight x value over wet points, exact; the top layer counts with its weight +
/// sea_surface_height if `moving_surface`.
double content(const FieldSet&, std::string_view field, bool moving_surface);
double volume(const FieldSet&, bool moving_surface);

/// Of each block of this rank, (ny, nx): integral over depth of a field of layers at centres
/// [field m], 0 on land; the top layer has sea_surface_height, or all layers follow it.
std::vector<std::vector<double>> column_contents(const FieldSet&, std::string_view field);

struct Motion {
    double kinetic_energy, speed;
    Extremes::At at;
    double courant;
    Extremes::At at_courant;
};
/// Mean kinetic energy [m2 s-2], largest speed [m s-1] and largest |u| step / dx + |v| step / dy,
/// where the fields of the spacing are named.
Motion motion(const FieldSet&, double step, std::string_view u, std::string_view v,
              std::string_view dx, std::string_view dy);

/// Sum over the wet points of a field of its values in both sets, exact.
double product(const FieldSet&, const FieldSet&, std::string_view field);

/// 64-bit hash of all wet values of the state with their global positions.
std::uint64_t checksum(const FieldSet&, std::span<const std::string> fields);

}  // namespace fathom
