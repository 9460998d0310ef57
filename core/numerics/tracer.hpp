/// Tracers at the centres of cells, flux form:
///   d(V T)/dt = -sum of (volume transport x T at the face) + lateral diffusion + d(kappa dT/dz)/dz + surface flux
/// with the volume transports of VolumeTransport: a constant stays constant and the content changes by surface fluxes only, both to
/// round-off. The value at a face is extrapolated in time, T* = weights[0] T + weights[1] T_before. The top layer's thickness is dz + eta.
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
/// land cell upstream leaves the centred mean.
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

    /// (U, L, R) weights of the value at the face between donor L and receiver R, widths hU, hL, hR.
    template <class Real> struct Weights {
        Real L, R, U;
        Weights(Real hU, Real hL, Real hR) {
            const Real d2 = hL / (hL + hR), d3 = hL * hR / (hU + hL + hR);
            const Real to_R = d2 - d3 / (hL + hR), to_U = -d3 / (hU + hL);
            R = to_R; U = to_U; L = 1.0 - to_R - to_U;
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
                const Real far = select(leaves, now(-s)[k], now(2 * s)[k]), far_bottom = select(leaves, wet(-s)[0], wet(2 * s)[0]);
                const Real L = select(leaves, C, N), R = select(leaves, N, C);
                auto pick = [&](auto part) { return select(leaves, part(faces[n].out), part(faces[n].in)); };
                const Real upwind = fma(pick([](auto& w) { return w.U; }), far, fma(pick([](auto& w) { return w.L; }), L, pick([](auto& w) { return w.R; }) * R));
                return transport * (select(level < far_bottom, upwind, 0.5 * (L + R)) + C_extra + N_extra);
            };
            // vertical: upward transport through the interface below
            Real bottom = 0;
            if (k + 1 < levels) {
                const Real B = now[k + 1], B_extra = fma(Real(a), B, b * before[k + 1]), W = up[k + 1];
                const auto rises = W > Real(0);
                const T hC = thickness[k], hB = thickness[k + 1], hA = thickness[k > 0 ? k - 1 : 0], hD = thickness[k + 2 < levels ? k + 2 : k + 1];
                const Weights<Pack<T, 1>> down{hA, hC, hB}, rise{hD, hB, hC};
                const Real A = now[k > 0 ? k - 1 : 0], D = now[k + 2 < levels ? k + 2 : k + 1];
                const Real upwind_down = A * down.U.lanes + C * down.L.lanes + B * down.R.lanes, upwind_rise = D * rise.U.lanes + B * rise.L.lanes + C * rise.R.lanes;
                const Real mean = 0.5 * (C + B);
                const Real value = select(rises, select(level + T(2) < wet[0], upwind_rise, mean), k > 0 ? upwind_down : mean);
                bottom = W * (value + C_extra + B_extra);
            }
            tendency[k] = (bottom - top) - ((outflow(0, to_east[k]) + outflow(1, -from_west[k])) + (outflow(2, to_north[k]) + outflow(3, -from_south[k])));
            top = bottom;
        }
    }
};

/// Laplacian diffusion along levels: kappa dy dz / dx (T_E - T) through each face between two wet cells.
struct LaplacianDiffusion {
    double diffusivity = 1e3;
    static constexpr std::string_view summary = "Laplacian lateral diffusion of a tracer with a grid-scaled coefficient";
    static constexpr std::tuple parameters{Parameter<LaplacianDiffusion>{"diffusivity", &LaplacianDiffusion::diffusivity, "m2 s-1", 0, 1e7, "lateral diffusivity where diffusivity_scale is 1"}};
    static constexpr std::array fields{
        reads  ("tracer",            place::center_layer,      "1", 1),
        reads  ("wet_levels",        place::center_column,     "1", 1),
        reads  ("diffusivity_scale", place::center_column,     "1", 1),
        reads  ("length_north_face", place::north_face_column, "m", 1),
        reads  ("dy_north_face",     place::north_face_column, "m", 1),
        reads  ("length_east_face",  place::east_face_column,  "m", 1),
        reads  ("dx_east_face",      place::east_face_column,  "m", 1),
        reads  ("thickness",         place::profile,           "m"),
        updates("tracer_tendency",   place::center_layer,      "1")};

    template <class Real>
    void operator()(In<Real, 1> tracer, In<Real, 1> wet, In<Real, 1> scale, In<Real, 1> length_north, In<Real, 1> distance_north, In<Real, 1> length_east,
                    In<Real, 1> distance_east, Profile<Real> thickness, InOut<Real> tendency) const {
        using T = typename Real::Number;
        const T half = T(0.5 * diffusivity);
        const Real e = half * (scale[0] + scale(east)[0]) * length_east[0] / distance_east[0], w = half * (scale[0] + scale(-east)[0]) * length_east(-east)[0] / distance_east(-east)[0];
        const Real n = half * (scale[0] + scale(north)[0]) * length_north[0] / distance_north[0], s = half * (scale[0] + scale(-north)[0]) * length_north(-north)[0] / distance_north(-north)[0];
        const Real bottom_e = wet(east)[0], bottom_w = wet(-east)[0], bottom_n = wet(north)[0], bottom_s = wet(-north)[0];
        for (int k = 0; k < tendency.levels(); ++k) {
            const Real C = tracer[k], level = Real(T(k));
            auto flux = [&](Real conductance, Shift to, Real bottom) { return select(level < bottom, conductance * (tracer(to)[k] - C), Real(0)); };
            tendency[k] += thickness[k] * ((flux(e, east, bottom_e) + flux(w, -east, bottom_w)) + (flux(n, north, bottom_n) + flux(s, -north, bottom_s)));
        }
    }
};

/// Biharmonic diffusion along levels, first half: the diffusive convergence a volume (with conductances of unit diffusivity).
struct TracerLaplacian {
    static constexpr std::string_view summary = "Laplacian of a tracer along levels, first half of biharmonic diffusion";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads ("tracer",            place::center_layer,      "1", 1),
        reads ("wet_levels",        place::center_column,     "1", 1),
        reads ("diffusivity_scale", place::center_column,     "1", 1),
        reads ("length_north_face", place::north_face_column, "m", 1),
        reads ("dy_north_face",     place::north_face_column, "m", 1),
        reads ("length_east_face",  place::east_face_column,  "m", 1),
        reads ("dx_east_face",      place::east_face_column,  "m", 1),
        reads ("area_center",       place::center_column,     "m2"),
        writes("tracer_laplacian",  place::center_layer,      "1")};

    template <class Real>
    void operator()(In<Real, 1> tracer, In<Real, 1> wet, In<Real, 1> scale, In<Real, 1> length_north, In<Real, 1> distance_north, In<Real, 1> length_east,
                    In<Real, 1> distance_east, In<Real> area, Out<Real> laplacian) const {
        using T = typename Real::Number;
        const Real per_area = 0.5 / area[0];
        const Real e = per_area * (scale[0] + scale(east)[0]) * length_east[0] / distance_east[0], w = per_area * (scale[0] + scale(-east)[0]) * length_east(-east)[0] / distance_east(-east)[0];
        const Real n = per_area * (scale[0] + scale(north)[0]) * length_north[0] / distance_north[0], s = per_area * (scale[0] + scale(-north)[0]) * length_north(-north)[0] / distance_north(-north)[0];
        const Real bottom_e = wet(east)[0], bottom_w = wet(-east)[0], bottom_n = wet(north)[0], bottom_s = wet(-north)[0];
        for (int k = 0; k < laplacian.levels(); ++k) {
            const Real C = tracer[k], level = Real(T(k));
            auto flux = [&](Real conductance, Shift to, Real bottom) { return select(level < bottom, conductance * (tracer(to)[k] - C), Real(0)); };
            laplacian[k] = (flux(e, east, bottom_e) + flux(w, -east, bottom_w)) + (flux(n, north, bottom_n) + flux(s, -north, bottom_s));
        }
    }
};

/// Second half: minus the diffusive convergence of the Laplacian; the scale enters both halves. Conserves the content.
struct BiharmonicDiffusion {
    double diffusivity = 1e11;
    static constexpr std::string_view summary = "biharmonic lateral diffusion of a tracer; needs TracerLaplacian before it";
    static constexpr std::tuple parameters{Parameter<BiharmonicDiffusion>{"diffusivity", &BiharmonicDiffusion::diffusivity, "m4 s-1", 0, 1e17, "lateral biharmonic diffusivity where diffusivity_scale is 1"}};
    static constexpr std::array fields{
        reads  ("tracer_laplacian",  place::center_layer,      "1", 1),
        reads  ("wet_levels",        place::center_column,     "1", 1),
        reads  ("diffusivity_scale", place::center_column,     "1", 1),
        reads  ("length_north_face", place::north_face_column, "m", 1),
        reads  ("dy_north_face",     place::north_face_column, "m", 1),
        reads  ("length_east_face",  place::east_face_column,  "m", 1),
        reads  ("dx_east_face",      place::east_face_column,  "m", 1),
        reads  ("thickness",         place::profile,           "m"),
        updates("tracer_tendency",   place::center_layer,      "1")};

    template <class Real>
    void operator()(In<Real, 1> laplacian, In<Real, 1> wet, In<Real, 1> scale, In<Real, 1> length_north, In<Real, 1> distance_north, In<Real, 1> length_east,
                    In<Real, 1> distance_east, Profile<Real> thickness, InOut<Real> tendency) const {
        LaplacianDiffusion{-diffusivity}(laplacian, wet, scale, length_north, distance_north, length_east, distance_east, thickness, tendency);
    }
};

/// Backward vertical diffusion, factorised once for all tracers: pivot and factor of the Thomas algorithm.
struct VerticalFactors {
    double step = 3600;
    static constexpr std::string_view summary = "factorisation of implicit vertical diffusion, shared by all tracers";
    static constexpr std::tuple parameters{Parameter<VerticalFactors>{"step", &VerticalFactors::step, "s", 0, 1e6, "time step"}};
    static constexpr std::array fields{
        reads ("vertical_diffusivity",     place::center_interface, "m2 s-1"),
        reads ("sea_surface_height_after", place::center_column,    "m"),
        reads ("thickness",                place::profile,          "m"),
        writes("mixing_exchange",          place::center_interface, "m"),
        writes("mixing_pivot",             place::center_layer,     "m-1")};

    template <class Real>
    void operator()(In<Real> diffusivity, In<Real> eta, Profile<Real> thickness, Out<Real> exchange, Out<Real> pivots) const {
        using T = typename Real::Number;
        const int levels = pivots.levels();
        Real from_above = 0, factor = 0;
        exchange[0] = Real(0);
        for (int k = 0; k < levels; ++k) {
            const T dz = thickness[k], per_distance = k + 1 < levels ? T(2 * step) / (dz + thickness[k + 1]) : T(0);
            const Real volume = k == 0 ? Real(dz) + eta[0] : Real(dz);
            const Real to_below = diffusivity[k + 1] * per_distance;   // the diffusivity is 0 at surface and bottom
            const Real pivot = 1.0 / (volume + to_below + from_above * (1.0 - factor));
            exchange[k + 1] = to_below;
            pivots[k] = pivot;
            factor = to_below * pivot;
            from_above = to_below;
        }
    }
};

/// h(after) T(after) - tau d(kappa dT/dz) = h T + tau tendency / area + tau flux.
struct TracerUpdate {
    double step = 3600;
    static constexpr std::string_view summary = "one step of a tracer: explicit tendency, surface flux, implicit vertical diffusion";
    static constexpr std::tuple parameters{Parameter<TracerUpdate>{"step", &TracerUpdate::step, "s", 0, 1e6, "time step"}};
    static constexpr std::array fields{
        reads ("tracer",              place::center_layer,     "1"),
        reads ("tracer_tendency",     place::center_layer,     "1"),
        reads ("tracer_surface_flux", place::center_column,    "1"),
        reads ("sea_surface_height",  place::center_column,    "m"),
        reads ("area_center",         place::center_column,    "m2"),
        reads ("thickness",           place::profile,          "m"),
        reads ("mixing_exchange",     place::center_interface, "m"),
        reads ("mixing_pivot",        place::center_layer,     "m-1"),
        reads ("wet_levels",          place::center_column,    "1"),
        writes("tracer_after",        place::center_layer,     "1")};

    template <class Real>
    void operator()(In<Real> tracer, In<Real> tendency, In<Real> surface_flux, In<Real> eta, In<Real> area, Profile<Real> thickness, In<Real> exchange, In<Real> pivots,
                    In<Real> wet, Out<Real> after) const {
        using T = typename Real::Number;
        constexpr int most = 128;
        Real solved[most];
        const int levels = after.levels();
        const Real per_area = step / area[0], bottom = wet[0];
        Real value = 0;
        for (int k = 0; k < levels; ++k) {
            const T dz = thickness[k];
            Real content = fma(k == 0 ? Real(dz) + eta[0] : Real(dz), tracer[k], tendency[k] * per_area);
            if (k == 0) content += step * surface_flux[0];
            solved[k] = value = fma(exchange[k], value, content) * pivots[k];
        }
        value = 0;
        for (int k = levels - 1; k >= 0; --k) {
            value = fma(exchange[k + 1] * pivots[k], value, solved[k]);
            after[k] = select(Real(T(k)) < bottom, value, Real(0));
        }
    }
};

/// Ideal age: 1 year a year, 0 at the surface (restored within a step).
struct IdealAge {
    double step = 3600;
    static constexpr std::string_view summary = "ideal age: grows with time, and is set to 0 at the surface";
    static constexpr std::tuple parameters{Parameter<IdealAge>{"step", &IdealAge::step, "s", 0, 1e6, "time step"}};
    static constexpr std::array fields{
        reads  ("ideal_age",          place::center_layer,  "s"),
        reads  ("sea_surface_height", place::center_column, "m"),
        reads  ("area_center",        place::center_column, "m2"),
        reads  ("thickness",          place::profile,       "m"),
        updates("ideal_age_tendency", place::center_layer,  "s")};

    template <class Real>
    void operator()(In<Real> age, In<Real> eta, In<Real> area, Profile<Real> thickness, InOut<Real> tendency) const {
        const Real A = area[0];
        tendency[0] += -(Real(thickness[0]) + eta[0]) * age[0] * A * (1 / step);
        for (int k = 1; k < tendency.levels(); ++k) tendency[k] += A * thickness[k];
    }
};

}  // namespace fathom::numerics
