/// Advection of a tracer by the volume transports through the faces of its cell:
///   tendency = -sum of (volume transport x T at the face)
/// A constant stays constant, and the content is only moved. The value at a face is extrapolated in time, T* = weights[0] T + weights[1] T_before.
#pragma once
#include "field/process.hpp"

namespace fathom::numerics {

/// T at a face is the mean of both sides.
struct CentredAdvection {
    static constexpr std::string_view summary = "second-order centred advection of a tracer";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads ("tracer",          place::center_layer,     "1", 1),
        reads ("tracer_before",   place::center_layer,     "1", 1),
        reads ("time_weights",    place::profile,          "1"),
        reads ("transport_east",  place::center_layer,     "m3 s-1"),
        reads ("transport_west",  place::center_layer,     "m3 s-1"),
        reads ("transport_north", place::center_layer,     "m3 s-1"),
        reads ("transport_south", place::center_layer,     "m3 s-1"),
        reads ("transport_up",    place::center_interface, "m3 s-1"),
        writes("tracer_tendency", place::center_layer,     "1")};

    template <class Real>
    void operator()(In<Real, 1> now, In<Real, 1> before, Profile<Real> weights, In<Real> to_east, In<Real> from_west, In<Real> to_north, In<Real> from_south,
                    In<Real> up, Out<Real> tendency) const {
        using T = typename Real::Number;
        const int levels = tendency.levels();
        const T a = weights[0] / 2, b = weights[1] / 2;                // the half of the mean is in the weights
        auto half = [&](Shift s, int k) { return fma(Real(a), now(s)[k], b * before(s)[k]); };
        Real C = half(here, 0), top = 0;
        for (int k = 0; k < levels; ++k) {
            const Real below = k + 1 < levels ? half(here, k + 1) : C;
            const Real bottom = up[k + 1] * (C + below);
            tendency[k] = fma(from_west[k], half(-east, k) + C, fma(from_south[k], half(-north, k) + C, bottom))
                        - fma(to_east[k], half(east, k) + C, fma(to_north[k], half(north, k) + C, top));
            top = bottom; C = below;
        }
    }
};

/// Third-order upwind by cell averages (Leonard 1979): T_f = L + hL d2 - hL hR d3 on uneven spacing, that is the centred mean less a sixth of
/// the upstream curvature where cells are even. The centred part is extrapolated in time, the dissipative part is that of now. A
/// cell of land upstream has the value of the donor: no gradient through the wall. (The centred mean in its place makes a hollow that
/// water enters from the side and leaves upward as much colder than what enters as the water above is warmer.)
struct UpwindAdvection {
    static constexpr std::string_view summary = "third-order upwind advection of a tracer";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads ("tracer",          place::center_layer,     "1", 2),
        reads ("tracer_before",   place::center_layer,     "1", 1),
        reads ("time_weights",    place::profile,          "1"),
        reads ("transport_east",  place::center_layer,     "m3 s-1"),
        reads ("transport_west",  place::center_layer,     "m3 s-1"),
        reads ("transport_north", place::center_layer,     "m3 s-1"),
        reads ("transport_south", place::center_layer,     "m3 s-1"),
        reads ("transport_up",    place::center_interface, "m3 s-1"),
        reads ("wet_levels",      place::center_column,    "1", 2),
        reads ("dx_center",       place::center_column,    "m", 2),
        reads ("dy_center",       place::center_column,    "m", 2),
        reads ("thickness",       place::profile,          "m"),
        writes("tracer_tendency", place::center_layer,     "1")};

    /// The value at the face between donor L and receiver R, widths hU, hL, hR: L + R (T_R - T_L) + U (T_U - T_L), at a wall behind the donor L + wall (T_R - T_L).
    template <class Real> struct Weights {
        Real R, U, wall;
        Weights(Real hU, Real hL, Real hR) {
            const Real both = hL + hR, d2 = hL / both, d3 = hL * hR / (hU + both);
            R = d2 - d3 / both; U = -d3 / (hU + hL);
            wall = d2 - hL * hR / ((hL + both) * both);
        }
    };

    template <class Real>
    void operator()(In<Real, 2> now, In<Real, 1> before, Profile<Real> weights, In<Real> to_east, In<Real> from_west, In<Real> to_north, In<Real> from_south,
                    In<Real> up, In<Real, 2> wet, In<Real, 2> dx, In<Real, 2> dy, Profile<Real> thickness, Out<Real> tendency) const {
        using T = typename Real::Number;
        const int levels = tendency.levels();
        const T a = (weights[0] - 1) / 2, b = weights[1] / 2;          // what the extrapolation adds to now, halved for the mean
        // The four faces, each with its two directions of flow: s points from here to the neighbour.
        struct Face { Weights<Real> out, in; };
        auto face = [&](In<Real, 2> h, Shift s) { return Face{{h(-s)[0], h[0], h(s)[0]}, {h(2 * s)[0], h(s)[0], h[0]}}; };
        const Face faces[4] = {face(dx, east), face(dx, -east), face(dy, north), face(dy, -north)};
        const Shift shifts[4] = {east, -east, north, -north};
        Real top = 0;
        for (int k = 0; k < levels; ++k) {
            const Real C = now[k], C_extra = fma(Real(a), C, b * before[k]), level = Real(T(k));
            auto outflow = [&](int n, Real transport) {                // transport counts positive out of the cell
                const Shift s = shifts[n];
                const Real N = now(s)[k], N_extra = fma(Real(a), N, b * before(s)[k]);
                const auto leaves = transport > Real(0);
                const Real L = select(leaves, C, N), R = select(leaves, N, C);
                const Real far = select(leaves, now(-s)[k], now(2 * s)[k]) - L, across = R - L;
                const auto& [out, in] = faces[n];
                const Real upwind = fma(select(leaves, out.U, in.U), far, select(leaves, out.R, in.R) * across), at_wall = select(leaves, out.wall, in.wall) * across;
                return transport * (L + select(level < select(leaves, wet(-s)[0], wet(2 * s)[0]), upwind, at_wall) + C_extra + N_extra);
            };
            // vertical: upward transport through the interface below
            Real bottom = 0;
            if (k + 1 < levels) {
                const Real B = now[k + 1], B_extra = fma(Real(a), B, b * before[k + 1]), W = up[k + 1];
                const auto rises = W > Real(0);
                const T hC = thickness[k], hB = thickness[k + 1], hA = thickness[k > 0 ? k - 1 : 0], hD = thickness[k + 2 < levels ? k + 2 : k + 1];
                const Weights<Pack<T, 1>> down{hA, hC, hB}, rise{hD, hB, hC};
                const Real A = now[k > 0 ? k - 1 : 0], D = now[k + 2 < levels ? k + 2 : k + 1], fall = B - C;
                const Real sinking = C + (fall * down.R.lanes + (A - C) * down.U.lanes);
                const Real rising = B + select(level + T(2) < wet[0], (D - B) * rise.U.lanes - fall * rise.R.lanes, -fall * rise.wall.lanes);
                bottom = W * (select(rises, rising, sinking) + C_extra + B_extra);
            }
            tendency[k] = (bottom - top) - ((outflow(0, to_east[k]) + outflow(1, -from_west[k])) + (outflow(2, to_north[k]) + outflow(3, -from_south[k])));
            top = bottom;
        }
    }
};

}  // namespace fathom::numerics
