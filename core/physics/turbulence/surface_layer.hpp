/// The surface layer: the upper tenth of a boundary layer, whose mean properties are compared with
/// those at its base (Large, McWilliams & Doney 1994). Its depth is not known before the search, so
/// means are needed for each possible depth:
///
///   mean_k = mean over the upper max(dz_0, z_k / 10),   z_k the middle of layer k
#pragma once
#include "base/pack.hpp"
#include "field/field.hpp"

namespace fathom::physics {

inline constexpr double surface_layer_share = 0.1;

/// Means of `count` properties, as k goes down.
template <class Real, int count> struct SurfaceLayer {
    Real mean[count];

    /// Extends the means to the surface layer of a boundary layer of this depth; value(n, k) is
    /// property n in layer k. Returns whether the means have changed.
    template <class Value>
    constexpr bool reach(double depth, Profile<Real> thickness, Value value) {
        const double wanted = larger_of(double(thickness[0]), surface_layer_share * depth);
        if (wanted <= reached) return false;
        for (; whole + double(thickness[next]) <= wanted; ++next) {
            const double dz = double(thickness[next]);
            for (int n = 0; n < count; ++n)
                sum[n] = next == 0 ? value(n, 0) * dz : fma(value(n, next), dz, sum[n]);
            whole += dz;
        }
        const double rest = wanted - whole, share = 1 / wanted;
        for (int n = 0; n < count; ++n)
            mean[n] = rest > 0 ? fma(value(n, next), rest, sum[n]) * share : sum[n] * share;
        reached = wanted;
        return true;
    }

private:
    static constexpr double larger_of(double a, double b) { return a > b ? a : b; }
    Real sum[count];
    double whole = 0, reached = 0;  // depth of the layers in `sum`, and of the mean
    int next = 0;
};

}  // namespace fathom::physics
