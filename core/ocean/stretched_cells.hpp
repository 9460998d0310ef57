/// Layers that follow the surface (z*, Adcroft & Campin 2004, Ocean Modelling 7, 269-284): all
/// cells of a column share its height,
///   h_k = h0_k (1 + eta / H),   H = sum of h0_k,   z_k = eta - Z_k (1 + eta / H)
/// so that no layer runs dry and the free surface is not linear: fluxes have the depth H + eta.
/// Rain adds to the volume, and water crosses the layers only as far as it does not raise them:
///   A (eta' - eta) / tau = W(surface) + A F / rho_fresh,
///       W_k -= A (eta' - eta) / tau (1 - Z_k-1/2 / H),   W_0 = -A F / rho_fresh
/// The elliptic operator of the surface's increment stays linear, with H at rest; the transports
/// are corrected with that depth too (free_surface.hpp).
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"

namespace fathom::ocean {

/// Thickness of a cell at rest.
template <class Real>
constexpr Real cell_at_rest(int k, Real wet, Real bottom_thickness, typename Real::Number layer) {
    using T = typename Real::Number;
    return select(Real(T(k + 1)) < wet, Real(layer),
                  select(wet < Real(T(k + 1)), Real(layer), bottom_thickness));
}
/// 1 + eta / H; 1 on land.
template <class Real> constexpr Real stretch(Real eta, Real depth) {
    return 1.0 + select(depth > Real(0), eta / larger(depth, Real(1e-3)), Real(0));
}

struct StretchedCells {
    static constexpr std::string_view summary =
        "thickness of cells that share the height of the surface (z*)";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "depth_center", place::center_column, "m"> depth,
        Reads<Real, "bottom_thickness", place::center_column, "m"> bottom,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        ReadsProfile<Real, "thickness", "m"> layers,
        Writes<Real, "cell_thickness", place::center_layer, "m"> thickness) const {
        const Real r = stretch(Real(eta[0]), Real(depth[0]));
        for (int k = 0; k < thickness.levels(); ++k)
            thickness[k] = r * cell_at_rest(k, Real(wet[0]), Real(bottom[0]), layers[k]);
    }
};

/// At corners, with the area-weighted mean of the four columns' stretching.
struct StretchedCorners {
    static constexpr std::string_view summary =
        "thickness and depth at velocity points, with the height of the surface (z*)";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "sea_surface_height", place::center_column, "m", 1> eta,
        Reads<Real, "depth_center", place::center_column, "m", 1> depth,
        Reads<Real, "area_center", place::center_column, "m2", 1> area,
        Reads<Real, "depth_corner", place::corner_column, "m"> depth_corner,
        Reads<Real, "bottom_thickness_corner", place::corner_column, "m"> bottom,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        ReadsProfile<Real, "thickness", "m"> layers,
        Writes<Real, "corner_thickness", place::corner_layer, "m"> thickness,
        Writes<Real, "depth_corner_now", place::corner_column, "m"> now) const {
        auto part = [&](Shift s) {
            return area(s)[0] * stretch(Real(eta(s)[0]), Real(depth(s)[0]));
        };
        const Real r = ((part(here) + part(east)) + (part(north) + part(northeast))) /
                       ((area[0] + area(east)[0]) + (area(north)[0] + area(northeast)[0]));
        const Real wet_here =
            smaller(smaller(wet[0], wet(east)[0]), smaller(wet(north)[0], wet(northeast)[0]));
        now[0] = r * depth_corner[0];
        for (int k = 0; k < thickness.levels(); ++k)
            thickness[k] = r * cell_at_rest(k, wet_here, Real(bottom[0]), layers[k]);
    }
};

/// Rain, and transports relative to moving layers.
struct SurfaceVolume {
    double step = 3600;
    static constexpr std::string_view summary =
        "fresh water adds to the surface's height; vertical transports relative to layers that "
        "follow it (z*)";
    static constexpr std::tuple parameters{
        Parameter{"step", &SurfaceVolume::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "surface_freshwater_flux", place::center_column, "kg m-2 s-1"> fresh,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        Reads<Real, "depth_center", place::center_column, "m"> depth,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        ReadsProfile<Real, "thickness", "m"> layers,
        Updates<Real, "sea_surface_height_after", place::center_column, "m"> eta_after,
        Updates<Real, "transport_up", place::center_interface, "m3 s-1"> up) const {
        using T = typename Real::Number;
        const Real rise =
            Real(eta_after[0]) - eta[0] + fresh[0] * T(step / constants::fresh_water_density);
        eta_after[0] = eta[0] + rise;
        const Real lift = rise * area[0] * T(1 / step),
                   per_depth = lift / larger(Real(depth[0]), Real(1e-3));
        Real above = 0;
        for (int k = 0; k < up.levels(); ++k) {
            up[k] = up[k] - select(Real(T(k)) < Real(wet[0]), lift - per_depth * above, Real(0));
            above = above + layers[k];
        }
    }
};

/// -grad(p / rho0 + g eta) at constant depth, from p of layers at rest: stretched with them, and
/// along layers that slope by grad z_k,
///   grad[(1 + eta / H) p_k] + g grad eta + g rho'_k / rho0 (grad eta - Z_k grad(eta / H))
struct StretchedPressureGradient {
    double gravity = constants::gravity;
    static constexpr std::string_view summary =
        "gradient of hydrostatic pressure and of the sea surface along layers that follow it (z*)";
    static constexpr std::tuple parameters{Parameter{"gravity", &StretchedPressureGradient::gravity,
                                                     "m s-2", 0, 100, "acceleration of gravity"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "pressure", place::center_layer, "m2 s-2", 1> p,
        Reads<Real, "density_anomaly", place::center_layer, "kg m-3", 1> density,
        Reads<Real, "sea_surface_height", place::center_column, "m", 1> eta,
        Reads<Real, "depth_center", place::center_column, "m", 1> depth,
        Reads<Real, "dx_corner", place::corner_column, "m"> dx,
        Reads<Real, "dy_corner", place::corner_column, "m"> dy,
        ReadsProfile<Real, "thickness", "m"> layers,
        Updates<Real, "velocity_tendency_x", place::corner_vector_layer, "m s-2"> tendency_x,
        Updates<Real, "velocity_tendency_y", place::corner_vector_layer, "m s-2"> tendency_y)
        const {
        using T = typename Real::Number;
        const T g = T(gravity), buoyancy = T(gravity / constants::sea_water_density / 4);
        const Real half_dx = 0.5 / dx[0], half_dy = 0.5 / dy[0];
        struct Four {
            Real sw, se, nw, ne;
        };
        auto at = [](auto value) {
            return Four{value(here), value(east), value(north), value(northeast)};
        };
        auto x = [](const Four& f) { return (f.se - f.sw) + (f.ne - f.nw); };
        auto y = [](const Four& f) { return (f.nw - f.sw) + (f.ne - f.se); };
        const Four height = at([&](Shift s) { return Real(eta(s)[0]); }),
                   r = at([&](Shift s) { return stretch(Real(eta(s)[0]), Real(depth(s)[0])); });
        const Real eta_x = x(height), eta_y = y(height), r_x = x(r), r_y = y(r);
        T Z = 0, above = 0;
        for (int k = 0; k < tendency_x.levels(); ++k) {
            Z = Z + (above + layers[k]) / 2;
            above = layers[k];
            const Four stretched{r.sw * p[k], r.se * p(east)[k], r.nw * p(north)[k],
                                 r.ne * p(northeast)[k]};
            const Real weight = buoyancy * ((density[k] + density(east)[k]) +
                                            (density(north)[k] + density(northeast)[k]));
            tendency_x[k] += -(x(stretched) + fma(weight, eta_x - Z * r_x, g * eta_x)) * half_dx;
            tendency_y[k] += -(y(stretched) + fma(weight, eta_y - Z * r_y, g * eta_y)) * half_dy;
        }
    }
};

}  // namespace fathom::ocean
