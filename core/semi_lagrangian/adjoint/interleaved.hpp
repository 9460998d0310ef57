/// The transposes of `pack` and `surround` (stencils/interleaved.hpp): adjoints in the buffer are
/// added to the points whose values the buffer held. Steps backwards: rows beyond the poles, levels
/// beyond the first and last, ends of rows. `wanted` are the rows of the buffer, stored at j + 2,
/// that become own points.
#pragma once
#include "semi_lagrangian/stencils/interleaved.hpp"

namespace fathom {

template <class T> void clear(const InterleavedRows<T>& rows, const std::vector<char>& wanted) {
#pragma omp parallel for schedule(static)
    for (std::size_t j = 0; j < wanted.size(); ++j)
        if (wanted[j])
            std::memset(rows.at(rows.rows[j], -1, -1), 0,
                        (rows.levels + 2) * rows.rows[j].level * sizeof(T));
}

namespace interleaved_detail {
template <class T> void add(T* to, const T* from, std::ptrdiff_t count) {
    for (std::ptrdiff_t n = 0; n < count; ++n) to[n] += from[n];
}
template <class T> void add_across(const InterleavedRows<T>& rows, int j, bool vector) {
    const auto &from = rows.rows[j + rows.beyond],
               &to = rows.rows[rows.row_across(j) + rows.beyond];
    for (int k = -1; k <= rows.levels; ++k)
        for (int i = -1; i < from.points + 2; ++i) {
            const T* in = rows.at(from, k, i);
            T* out = rows.at(to, k, (i + from.points / 2 + from.points) % from.points);
            for (int f = 0; f < rows.fields; ++f) out[f] += vector && f < 2 ? -in[f] : in[f];
        }
}
template <class T> void open_row(const InterleavedRows<T>& rows, int j) {
    const auto& r = rows.rows[j + rows.beyond];
    constexpr int fields = InterleavedRows<T>::fields;
    add(rows.at(r, 0, -1), (const T*)rows.at(r, -1, -1), r.level);
    add(rows.at(r, rows.levels - 1, -1), (const T*)rows.at(r, rows.levels, -1), r.level);
    for (int k = 0; k < rows.levels; ++k) {
        T* first = rows.at(r, k, 0);
        add(first, (const T*)first + r.points * fields, 2 * fields);
        add(first + (r.points - 1) * fields, (const T*)first - fields, fields);
    }
}
}  // namespace interleaved_detail

template <class T>
void fold(const InterleavedRows<T>& rows, const std::vector<char>& wanted, bool vector) {
    using namespace interleaved_detail;
    const auto is_wanted = [&](int j) { return wanted[j + rows.beyond]; };
    for (int n = 0; n < 2 * rows.beyond; ++n)
        if (const int j = n < rows.beyond ? -1 - n : rows.ny + n - rows.beyond; is_wanted(j))
            add_across(rows, j, vector);
#pragma omp parallel for schedule(static)
    for (int j = 0; j < rows.ny; ++j)
        if (is_wanted(j)) open_row(rows, j);
}

/// Own points of up to four fields.
template <class T>
void add_to(const InterleavedRows<T>& rows, std::span<const FieldSlab> to, bool /* no map */) {
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t n = 0; n < rows.items.size(); ++n) {
        const auto& t = rows.items[n];
        const auto& b = rows.blocks[t.block];
        const T* from = rows.at(rows.rows[b.j0 + t.row + rows.beyond], t.level, b.i0 + t.column);
        for (std::size_t f = 0; f < to.size(); ++f) {
            T* out = rows.target(to[f], t);
            for (int i = 0; i < t.count; ++i) out[i] += from[i * rows.fields + f];
        }
    }
}

}  // namespace fathom
