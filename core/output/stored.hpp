#pragma once
/// Values of a window as they are stored, rounded to the type of the store, NaN where there is no
/// value.
#include <cstddef>
#include <cstdint>
#include <limits>

namespace fathom {

/// value[k, j, i] lies at value + k * level + j * row + i, its target likewise; there[j, i] at
/// there + j * there_row + i: the number of levels that exist.
template <class In, class Out>
void stored(const In* value, std::ptrdiff_t level, std::ptrdiff_t row, const std::int32_t* there,
            std::ptrdiff_t there_row, Out* out, std::ptrdiff_t out_level, std::ptrdiff_t out_row,
            int levels, int rows, int points) {
    constexpr Out nothing = std::numeric_limits<Out>::quiet_NaN();
    for (int j = 0; j < rows; ++j)
        for (int k = 0; k < levels; ++k) {
            const In* v = value + k * level + j * row;
            const std::int32_t* t = there + j * there_row;
            Out* o = out + k * out_level + j * out_row;
            for (int i = 0; i < points; ++i) o[i] = t[i] > k ? Out(v[i]) : nothing;
        }
}

/// The same of p a + q b, one after the other as a is; p and q [j, i] with rows of `points`: a
/// component of a vector in other directions.
template <class In, class Out>
void stored_sum(const In* a, const In* b, const double* p, const double* q, std::ptrdiff_t level,
                std::ptrdiff_t row, const std::int32_t* there, std::ptrdiff_t there_row, Out* out,
                std::ptrdiff_t out_level, std::ptrdiff_t out_row, int levels, int rows,
                int points) {
    constexpr Out nothing = std::numeric_limits<Out>::quiet_NaN();
    for (int j = 0; j < rows; ++j, p += points, q += points)
        for (int k = 0; k < levels; ++k) {
            const In *x = a + k * level + j * row, *y = b + k * level + j * row;
            const std::int32_t* t = there + j * there_row;
            Out* o = out + k * out_level + j * out_row;
            for (int i = 0; i < points; ++i)
                o[i] = t[i] > k ? Out(double(x[i]) * p[i] + double(y[i]) * q[i]) : nothing;
        }
}

}  // namespace fathom
