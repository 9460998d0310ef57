/// Which levels are transformed together: lanes of registers for the levels of all items. The
/// parts of an item (two of a wind; f and northward derivative of a gradient; three of its adjoint)
/// are in one batch, so that operations that mix them have them together.
#include <algorithm>
#include "base/error.hpp"
#include "transform/rows/row_transform.hpp"

namespace fathom {

/// Whether a gradient needs more than f: d/dlambda follows from f where it is a result, but is a
/// separate part where it is given.
template <class Number> bool RowTransform<Number>::has_slope(const Item& item, Way way) {
    return item.north || (item.east && way == Way::inverse_adjoint);
}

/// Lanes of a level.
template <class Number> int RowTransform<Number>::parts_of(const Item& item, Way way) {
    switch (item.kind) {
        case Item::Kind::wind: return 2;
        case Item::Kind::scalar: return 1;
        default:
            return way == Way::inverse_adjoint ? 1 + 2 * has_slope(item, way)
                                               : 1 + has_slope(item, way);
    }
}

template <class Number> void RowTransform<Number>::check(const Item& item, Way way) const {
    if (item.kind == Item::Kind::gradient && (way == Way::direct || way == Way::direct_adjoint))
        throw Error("a gradient is transformed to the grid only: use inverse or inverse_adjoint");
    const int capacity = most_cells * width, parts = parts_of(item, way);
    if (parts > capacity)
        throw Error("transforms of ", capacity, " fields at once; a gradient or wind needs ",
                    parts);
}

/// Lanes of a batch: as few batches as there must be, of about the same size.
template <class Number> int RowTransform<Number>::batch_size(Items items, Way way) const {
    const int capacity = most_cells * width;
    int cells = 0;
    for (const Item& item : items) cells += (item.levels * parts_of(item, way) + width - 1) / width;
    const int number = (cells + most_cells - 1) / most_cells;
    if (number == 0) return capacity;
    return std::min(capacity, std::max((cells + number - 1) / number, 2) * width);
}

template <class Number> void RowTransform<Number>::arrange(Items items, Way way) {
    pieces.clear(), targets.clear(), batches.clear();
    const int size = batch_size(items, way);
    int used = size;
    for (const Item& item : items) {
        check(item, way);
        const int parts = parts_of(item, way);
        for (int level = 0; level < item.levels;) {
            const int take = std::min(item.levels - level, (size - used) / parts);
            if (!take) {
                begin_batch();
                used = 0;
                continue;
            }
            aim(item, way, level, take, used);
            cut(item, parts, level, take, used);
            used += parts * take, level += take;
            Batch& batch = batches.back();
            batch.cells = (used + width - 1) / width, batch.fields = used;
            batch.last_piece = int(pieces.size());
        }
    }
}

template <class Number> void RowTransform<Number>::begin_batch() {
    batches.push_back(
        {0, int(pieces.size()), int(pieces.size()), int(targets.size()), false, false, 0});
    targets.resize(targets.size() + 2 * most_cells * width);
}

/// Assigns `take` levels to the lanes from `used` on, part by part.
template <class Number>
void RowTransform<Number>::aim(const Item& item, Way way, int level, int take, int used) {
    using Kind = Item::Kind;
    Batch& batch = batches.back();
    Target* const lane = targets.data() + batch.first_target + used;
    Target* const derivative = lane + most_cells * width;
    const bool slope = item.kind == Kind::gradient && has_slope(item, way);
    if (item.kind == Kind::wind || slope) batch.slopes = true;
    for (int k = 0; k < take; ++k) {
        const auto target = [&](const FieldSlab* slab, bool cosine) {
            return Target{slab, level + k, cosine};
        };
        if (item.kind == Kind::wind) {
            lane[k] = target(item.east, true);
            lane[k + take] = target(item.north, true);
            continue;
        }
        lane[k] = target(item.field, false);
        if (item.kind == Kind::scalar) continue;
        if (way == Way::inverse) {
            if (item.east) derivative[k] = target(item.east, true), batch.derivative = true;
            if (slope) lane[k + take] = target(item.north, true);
        } else if (slope) {
            lane[k + take] = target(item.east, true);
            lane[k + 2 * take] = target(item.north, true);
        }
    }
}

/// Divides these levels into pieces, so that no part of a piece lies across two registers.
template <class Number>
void RowTransform<Number>::cut(const Item& item, int parts, int level, int take, int used) {
    for (int k = 0, count; k < take; k += count) {
        count = take - k;
        for (int p = 0; p < parts; ++p)
            count = std::min(count, width - (used + p * take + k) % width);
        Piece piece{&item, level + k, count, {}};
        for (int p = 0; p < parts; ++p) piece.lane[p] = used + p * take + k;
        pieces.push_back(piece);
    }
}

template void RowTransform<float>::arrange(Items, Way);
template void RowTransform<double>::arrange(Items, Way);

}  // namespace fathom
