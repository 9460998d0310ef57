/// The budget of a tracer in every cell, per area [tracer m s-1]:
///   (h(after) T(after) - h T) / tau  =  sum of shares  +  (F_k - F_k+1) / tau
///       +  surface flux in the top cell,      F_k = exchange_k (T_k-1 - T_k)(after)
/// the terms of TracerUpdate's equation, computed from the new values: their closed sum is a test
/// of the model, to round-off. A share is the part that a process has added to the explicit
/// tendency.
#pragma once
#include "field/process.hpp"
#include "field/thickness.hpp"

namespace fathom::ocean {

template <bool first> struct BudgetShare {
    static constexpr std::string_view summary =
        "contribution of the previous process to the tendency of a tracer";
    template <class Real>
    using Before = std::conditional_t<
        first, Writes<Real, "tracer_tendency_before", place::center_layer, "any m3 s-1">,
        Updates<Real, "tracer_tendency_before", place::center_layer, "any m3 s-1">>;

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer_tendency", place::center_layer, "any m3 s-1"> tendency,
        Reads<Real, "area_center", place::center_column, "m2"> area, Before<Real> so_far,
        Writes<Real, "tracer_budget_share", place::center_layer, "any m s-1"> share) const {
        const Real per_area = 1.0 / area[0];
        for (int k = 0; k < share.levels(); ++k) {
            const Real now = tendency[k];
            if constexpr (first)
                share[k] = now * per_area;
            else
                share[k] = (now - Real(so_far[k])) * per_area;
            so_far[k] = now;
        }
    }
};

/// (h T)(after) - h T; the top cell has the height of the surface.
template <class Real>
constexpr Real stored(int k, In<Real> before, In<Real> after, In<Real> eta, In<Real> eta_after,
                      auto& thickness, auto& thickness_after) {
    const Real h = k == 0 ? Real(thickness[k]) + eta[0] : Real(thickness[k]),
               then = k == 0 ? Real(thickness_after[k]) + eta_after[0] : Real(thickness_after[k]);
    return then * after[k] - h * before[k];
}

template <bool own> struct TracerBudget {
    double step = 3600;
    static constexpr std::string_view summary =
        "storage, vertical mixing and surface flux of a tracer in every cell";
    static constexpr std::tuple parameters{
        Parameter{"step", &TracerBudget::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any"> before,
        Reads<Real, "tracer_after", place::center_layer, "any"> after,
        Reads<Real, "tracer_surface_flux", place::center_column, "any m s-1"> flux,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "sea_surface_height_after", place::center_column, "m"> eta_after,
        Reads<Real, "mixing_exchange", place::center_interface, "m"> exchange,
        Writes<Real, "tracer_budget_storage", place::center_layer, "any m s-1"> storage,
        Writes<Real, "tracer_budget_mixing", place::center_layer, "any m s-1"> mixing,
        Writes<Real, "tracer_budget_surface", place::center_layer, "any m s-1"> surface,
        CellThickness<Real, own> thickness, CellThicknessAfter<Real, own> thickness_after) const {
        const double rate = 1 / step;
        const int levels = storage.levels();
        Real from_above = 0;
        for (int k = 0; k < levels; ++k) {
            const Real to_below =
                k + 1 < levels ? exchange[k + 1] * (after[k] - after[k + 1]) : Real(0);
            storage[k] =
                stored(k, before, after, eta, eta_after, thickness, thickness_after) * rate;
            mixing[k] = (from_above - to_below) * rate;
            surface[k] = k == 0 ? Real(flux[0]) : Real(0);
            from_above = to_below;
        }
    }
};

/// Changes of a tracer after its update, and after the storage above: a share, and part of the
/// storage.
template <bool own> struct LateBudgetShare {
    double step = 3600;
    static constexpr std::string_view summary = "change of a tracer after its update";
    static constexpr std::tuple parameters{
        Parameter{"step", &LateBudgetShare::step, "s", 0, 1e6, "time step"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "tracer", place::center_layer, "any"> before,
        Reads<Real, "tracer_after", place::center_layer, "any"> after,
        Reads<Real, "sea_surface_height", place::center_column, "m"> eta,
        Reads<Real, "sea_surface_height_after", place::center_column, "m"> eta_after,
        Updates<Real, "tracer_budget_storage", place::center_layer, "any m s-1"> storage,
        Writes<Real, "tracer_budget_share", place::center_layer, "any m s-1"> share,
        CellThickness<Real, own> thickness, CellThicknessAfter<Real, own> thickness_after) const {
        for (int k = 0; k < share.levels(); ++k) {
            const Real gained =
                stored(k, before, after, eta, eta_after, thickness, thickness_after) * (1 / step);
            share[k] = gained - storage[k];
            storage[k] = gained;
        }
    }
};

}  // namespace fathom::ocean
