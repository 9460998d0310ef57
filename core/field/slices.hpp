/// What output takes of fields: the first levels of all own points, or some columns. From a field
/// whose newest values are on a device only these travel: they are packed there.
#pragma once
#include <span>
#include <vector>
#include "field/field_set.hpp"

namespace fathom {

/// Block by block (levels, ny, nx), without halos; a profile has one point.
std::vector<std::byte> first_levels(const FieldSet&, int field, int levels);

/// An own point of a rank: block, row and column without halos.
struct OwnPoint {
    int block, row, column;
};
/// (levels, points) of a field.
std::vector<double> columns(const FieldSet&, int field, std::span<const OwnPoint>, int levels);

}  // namespace fathom
