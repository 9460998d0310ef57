/// Submesoscale eddies of the mixed layer let light water flow over dense (Fox-Kemper et al. 2008,
/// J. Phys. Oceanogr. 38, 1145-1165; 2011, Ocean Modelling 39, 61-78):
///   Psi = C_e (ds / L_f) H^2 |grad b| / sqrt(f^2 + tau^-2) mu(depth),
///       mu = (1 - x^2) (1 + 5 x^2 / 21),   x = 1 - 2 depth / H,   0 below H
///   |Psi| <= largest_speed H 21 / 104   (104 / 21 Psi / H is the flow at the surface)
/// b is the buoyancy of the mixed layer's mean density, H the lesser of both sides of a face, ds
/// the spacing, at most `widest`, L_f the width of fronts. The transports Psi_bottom - Psi_top
/// towards the dense side are added to those of the flow before tracers are advected: they close in
/// every column, a constant tracer stays constant, and a scheme of advection without new extremes
/// makes none here.
#pragma once
#include <array>
#include "base/constants.hpp"
#include "field/process.hpp"
#include "ocean/face_geometry.hpp"

namespace fathom::ocean {

/// Mean over the mixed layer.
struct MixedLayerBuoyancy {
    static constexpr std::string_view summary = "buoyancy of the mean density of the mixed layer";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "density_anomaly", place::center_layer, "kg m-3"> density,
        Reads<Real, "mixed_layer_depth", place::center_column, "m"> depth,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Writes<Real, "mixed_layer_buoyancy", place::center_column, "m s-2"> buoyancy) const {
        using T = typename Real::Number;
        Real sum = 0, rest = larger(depth[0], Real(1e-3));
        const Real scale = T(-constants::gravity / constants::sea_water_density) / rest;
        for (int k = 0; k < density.levels(); ++k) {
            const Real part = smaller(rest, Real(thickness[k]));
            sum = fma(part, density[k], sum);
            rest = rest - part;
        }
        buoyancy[0] = sum * scale;
    }
};

struct MixedLayerEddies {
    double efficiency = 0.07, front_width = 5e3, time_scale = 86400, widest = 111e3,
           largest_speed = 0.5;
    static constexpr std::string_view summary =
        "restratification by submesoscale eddies of the mixed layer (Fox-Kemper et al. 2008, 2011)";
    static constexpr std::tuple parameters{
        Parameter{"efficiency", &MixedLayerEddies::efficiency, "1", 0, 1,
                  "of the release of potential energy"},
        Parameter{"front_width", &MixedLayerEddies::front_width, "m", 10, 1e6,
                  "of the fronts that the grid does not see"},
        Parameter{"time_scale", &MixedLayerEddies::time_scale, "s", 3600, 1e8,
                  "in which momentum is mixed through the layer; replaces 1 / f at the equator"},
        Parameter{"widest", &MixedLayerEddies::widest, "m", 1e3, 1e6,
                  "largest spacing for which fronts grow with it"},
        Parameter{"largest_speed", &MixedLayerEddies::largest_speed, "m s-1", 1e-3, 100,
                  "of their flow at the surface; a bound where the sea convects to the ground"}};
    /// Of |Psi| by depth of the layer: its slope is 104 / 21 / H at the surface.
    constexpr double largest() const { return largest_speed * (21. / 104); }
    template <class Real>
    constexpr void operator()(
        Reads<Real, "mixed_layer_buoyancy", place::center_column, "m s-2", 1> buoyancy,
        Reads<Real, "mixed_layer_depth", place::center_column, "m", 1> depth,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        Reads<Real, "coriolis", place::corner_column, "s-1", 1> coriolis, FaceGeometry<Real> faces,
        ReadsProfile<Real, "thickness", "m"> thickness,
        Updates<Real, "transport_east", place::center_layer, "m3 s-1"> to_east,
        Updates<Real, "transport_west", place::center_layer, "m3 s-1"> from_west,
        Updates<Real, "transport_north", place::center_layer, "m3 s-1"> to_north,
        Updates<Real, "transport_south", place::center_layer, "m3 s-1"> from_south,
        Updates<Real, "transport_up", place::center_interface, "m3 s-1"> up) const {
        using T = typename Real::Number;
        struct Face {
            Real strength, per_depth;
        };  // of Psi, positive where light water is on the western or southern side
        auto face = [&](Shift low, Shift high, Real length, Real distance, Real f_a, Real f_b) {
            const Real H = smaller(depth(low)[0], depth(high)[0]), f = 0.5 * (f_a + f_b),
                       slowness = 1.0 / sqrt(fma(f, f, Real(1 / (time_scale * time_scale))));
            const Real strength = T(efficiency / front_width) * length *
                                  (smaller(distance, Real(widest)) / distance) *
                                  ((buoyancy(low)[0] - buoyancy(high)[0]) * (H * H)) * slowness;
            const Real bound = T(largest()) * length * H,
                       bounded = larger(smaller(strength, bound), -bound);
            return Face{select(smaller(wet(low)[0], wet(high)[0]) > Real(0), bounded, Real(0)),
                        1.0 / larger(H, Real(1e-3))};
        };
        const Face e = face(here, east, faces.length_east[0], faces.distance_east[0], coriolis[0],
                            coriolis(-north)[0]);
        const Face w = face(-east, here, faces.length_east(-east)[0], faces.distance_east(-east)[0],
                            coriolis(-east)[0], coriolis(-northeast)[0]);
        const Face n = face(here, north, faces.length_north[0], faces.distance_north[0],
                            coriolis[0], coriolis(-east)[0]);
        const Face s =
            face(-north, here, faces.length_north(-north)[0], faces.distance_north(-north)[0],
                 coriolis(-north)[0], coriolis(-northeast)[0]);
        Real E = 0, W = 0, N = 0, S = 0;  // Psi at the interface above
        T z = 0;
        for (int k = 0; k < to_east.levels(); ++k) {
            z = z + thickness[k];
            auto psi = [&](const Face& face) {
                const Real x = 1.0 - 2.0 * z * face.per_depth, xx = x * x;
                return face.strength *
                       larger((1.0 - xx) * fma(xx, Real(5. / 21), Real(1)), Real(0));
            };
            const Real E_below = psi(e), W_below = psi(w), N_below = psi(n), S_below = psi(s);
            to_east[k] += E_below - E;
            from_west[k] += W_below - W;
            to_north[k] += N_below - N;
            from_south[k] += S_below - S;
            E = E_below;
            W = W_below;
            N = N_below;
            S = S_below;
            up[k + 1] += (E - W) + (N - S);  // the outflow above has come through the interface
        }
    }
};

}  // namespace fathom::ocean
