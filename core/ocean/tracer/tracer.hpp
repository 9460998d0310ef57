/// One step of a tracer at the centres of cells, flux form:
///   h(after) T(after) - tau d(kappa dT/dz)/dz = h T + tau (advection + lateral diffusion) / area
///       + tau (surface flux)
/// with the volume transports of VolumeTransport: a constant stays constant and the content changes
/// by surface fluxes only, both to round-off. The top layer's thickness is dz + eta.
#pragma once
#include "base/unbiased.hpp"
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

/// Backward vertical diffusion, factorised once for all tracers: pivot and factor of the Thomas
/// algorithm.
template <bool own> struct VerticalFactors {
    double step = 3600;
    static constexpr std::string_view summary =
        "factorisation of implicit vertical diffusion, shared by all tracers";
    static constexpr std::tuple parameters{
        Parameter{"step", &VerticalFactors::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "vertical_diffusivity", place::center_interface, "m2 s-1"> diffusivity,
        Reads<Real, "sea_surface_height_after", place::center_column, "m"> eta,
        CellThickness<Real, own> thickness,
        Writes<Real, "mixing_exchange", place::center_interface, "m"> exchange,
        Writes<Real, "mixing_pivot", place::center_layer, "m-1"> pivots) const {
        using T = typename Real::Number;
        const int levels = pivots.levels();
        Real from_above = 0, factor = 0;
        exchange[0] = Real(0);
        for (int k = 0; k < levels; ++k) {
            const auto dz = thickness[k], per_distance = k + 1 < levels
                                                             ? T(2 * step) / (dz + thickness[k + 1])
                                                             : dz * T(0);
            const Real volume = k == 0 ? Real(dz) + eta[0] : Real(dz);
            const Real to_below =
                diffusivity[k + 1] * per_distance;  // the diffusivity is 0 at surface and bottom
            const Real pivot = 1.0 / (volume + to_below + from_above * (1.0 - factor));
            exchange[k + 1] = to_below;
            pivots[k] = pivot;
            factor = to_below * pivot;
            from_above = to_below;
        }
    }
};

/// In increments, T(after) = T + d:
///     h(after) d - tau d(kappa dd/dz) = (h - h(after)) T + tau tendency / area + tau flux
///     + tau d(kappa dT/dz).
/// The rounding errors of pivots multiply the change of T only: with fp32, T itself, multiplied by
/// h and 1 / h in every step, would drift by 1e-9 of its value per step, at each level differently.
template <bool own> struct TracerUpdate {
    double step = 3600;
    static constexpr std::string_view summary =
        "one step of a tracer: explicit tendency, surface flux, implicit vertical diffusion";
    static constexpr std::tuple parameters{
        Parameter{"step", &TracerUpdate::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any"> tracer,
        Reads<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Reads<Real, "tracer_surface_flux", place::center_column, "any m s-1"> surface_flux,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "sea_surface_height_after", place::center_column, "m"> eta_after,
        Reads<Real, "area_center", place::center_column, "m2"> area,
        CellThickness<Real, own> thickness, CellThicknessAfter<Real, own> thickness_after,
        Reads<Real, "mixing_exchange", place::center_interface, "m"> exchange,
        Reads<Real, "mixing_pivot", place::center_layer, "m-1"> pivots,
        Reads<Real, "wet_levels", place::center_column, "1"> wet,
        Writes<Real, "tracer_after", place::center_layer, "any"> after,
        Keeps<Real, "tracer_update", 1> kept) const {
        using T = typename Real::Number;
        const auto [solved] = kept.columns();
        const int levels = after.levels();
        const Real per_area = step / area[0], bottom = wet[0];
        Real from_above = 0, value = 0, here = tracer[0];
        for (int k = 0; k < levels; ++k) {
            const Real below = k + 1 < levels ? Real(tracer[k + 1]) : here,
                       to_below = exchange[k + 1] * (here - below);
            Real gain = fma(tendency[k], per_area, from_above - to_below);
            if (k == 0) gain += fma(eta[0] - eta_after[0], here, step * surface_flux[0]);
            if constexpr (own) gain = fma(thickness[k] - thickness_after[k], here, gain);
            value = fma(exchange[k], value, gain) * pivots[k];
            solved[k] = value;
            from_above = to_below;
            here = below;
        }
        value = 0;
        for (int k = levels - 1; k >= 0; --k) {
            value = fma(exchange[k + 1] * pivots[k], value, solved[k]);
            after[k] = select(Real(T(k)) < bottom, unbiased_sum(Real(tracer[k]), value), Real(0));
        }
    }
};

}  // namespace fathom::ocean
