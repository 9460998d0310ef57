#include "transform/sphere/between_levels.hpp"
#include <algorithm>
#include <numbers>
#include "base/groups.hpp"
#include "transform/fourier/register.hpp"
#include "transform/sphere/in_register.hpp"

namespace fathom {

namespace {
constexpr int rows = 4;
}

template <class V_, int group, int count>
void BetweenLevels::product(int n, int g, const Row* of) const {
    int at[group];
    for (int q = 0; q < group; ++q) at[q] = std::min((g + q) * V_::width, to - V_::width);
    V_ sum[count * group];
    for (int q = 0; q < count * group; ++q) sum[q] = V_(0.0);
    const double* v = V + std::int64_t(n) * from * to;
#pragma GCC unroll 1
    for (int k = 0; k < from; ++k, v += to) {
        V_ b[group];
        for (int q = 0; q < group; ++q) b[q] = in_register(V_::load(v + at[q]));
#pragma GCC unroll 4
        for (int i = 0; i < count; ++i) {
            const V_ a = in_register(V_(of[i].x[k]));
#pragma GCC unroll 3
            for (int q = 0; q < group; ++q) sum[i * group + q] = fma(a, b[q], sum[i * group + q]);
        }
    }
#pragma GCC unroll 12
    for (int q = 0; q < count * group; ++q) sum[q].store(of[q / group].out + at[q % group]);
}

template <class V_, int group> void BetweenLevels::some(int n, int g) const {
    const std::int64_t first = std::int64_t(n) * n, last = first + 2 * n + 1;
    Row of[rows];
    for (std::int64_t r = first; r < last; r += rows) {
        for (int i = 0; i < rows; ++i) of[i] = row(std::min(r + i, last - 1));
        if (r + 1 == last)
            product<V_, group, 1>(n, g, of);
        else
            product<V_, group, rows>(n, g, of);
    }
}

template <class V_> void BetweenLevels::levels() const {
    for (int n = 0; n < degrees; ++n) {
        // the matrix of a group of levels stays in the first cache while all rows pass through
        each_group<3>(
            (to + V_::width - 1) / V_::width,
            [&]<int group>(int g, std::integral_constant<int, group>) { some<V_, group>(n, g); });
        double* const zonal = row(std::int64_t(n) * n).out;
        for (int l = 0; l < to; ++l) zonal[l] *= std::numbers::sqrt2;
    }
}

void BetweenLevels::run() const {
    if (to >= Register<double>::width)
        levels<Register<double>>();
    else
        levels<Pack<double, 1>>();
}

}  // namespace fathom
