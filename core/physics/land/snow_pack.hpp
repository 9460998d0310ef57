/// Snow in three layers over the soil, water S [kg m-2 of land] on the share c = S / (S + 10):
///
///   parts of S   w_1 = min(1/3, 10 / (S + 10)),   w_2 = min((1 - w_1) / 2, 50 / (S + 10)),
///       w_3 the rest
///   heat   C_k (T'_k - T_k) / dt = F_k-1 - F_k,   F_k = K_k (T'_k - T'_k+1),   T'_4 the soil's
///   q = c_ice M (T - T_m) + L_f liquid [J m-2 of land]: below 0 cold, above 0 wet;
///       liquid beyond 5 % of M sinks, freezes in cold layers below, and leaves at the bottom
///   conductivity 2.22 (density / 917)^1.88 W m-1 K-1 (Douville et al. 1995, Clim. Dyn. 12, 21-35)
///
/// C_k is the heat capacity of the ice, plus the heat for freezing the liquid within 1 K.
/// Elimination from both ends of layers 2 and 3 gives the coupling of the upper layer and the soil:
///
///   I dT_1 = r_1 + coupling dT_soil,   into the soil   g + coupling dT_1 - held dT_soil
///
/// Three layers and holding of water as in Boone & Etchevers (2001, J. Hydrometeor. 2, 374-394),
/// here with one density for all layers.
#pragma once
#include "base/constants.hpp"
#include "physics/land/tiles.hpp"

namespace fathom::physics {

namespace snow {
inline constexpr int layers = 3;
inline constexpr double heat_capacity = 2100, holds = 0.05, upper = 10, middle = 50;
inline constexpr double coldest = 100;  // below melting: the limit for a layer without mass [K]
template <class Real> using Profile = std::array<Real, layers>;

/// The parts w of the snow in each layer.
template <class Real> constexpr Profile<Real> parts(Real amount) {
    const Real per = 1 / (amount + ground::snow_half_cover);
    const Real w_1 = smaller(upper * per, 1. / 3), w_2 = smaller(middle * per, 0.5 * (1 - w_1));
    return {w_1, w_2, 1 - w_1 - w_2};
}
}  // namespace snow

template <class Real> struct SnowState {
    Reads<Real, "snow_amount", place::center_column, "kg m-2"> amount;
    Reads<Real, "snow_density", place::center_column, "kg m-3"> density;
    Reads<Real, "snow_departure_2", place::center_column, "K"> departure_2;
    Reads<Real, "snow_departure_3", place::center_column, "K"> departure_3;
    Reads<Real, "snow_liquid_2", place::center_column, "kg m-2"> liquid_2;
    Reads<Real, "snow_liquid_3", place::center_column, "kg m-2"> liquid_3;
};
template <class Real> struct SnowUpdate {
    Updates<Real, "snow_amount", place::center_column, "kg m-2"> amount;
    Updates<Real, "snow_density", place::center_column, "kg m-3"> density;
    Updates<Real, "snow_albedo", place::center_column, "1"> albedo;
    Updates<Real, "snow_departure_1", place::center_column, "K"> departure_1;
    Updates<Real, "snow_departure_2", place::center_column, "K"> departure_2;
    Updates<Real, "snow_departure_3", place::center_column, "K"> departure_3;
    Updates<Real, "snow_liquid_1", place::center_column, "kg m-2"> liquid_1;
    Updates<Real, "snow_liquid_2", place::center_column, "kg m-2"> liquid_2;
    Updates<Real, "snow_liquid_3", place::center_column, "kg m-2"> liquid_3;
};

/// Conduction between the upper layer of snow and the soil, a square metre of snow.
template <class Real> struct SnowHeat {
    snow::Profile<Real> T, K;
    Real inertia, rest;              ///< of the upper layer: I without the terms above, r_1
    Real coupling, held, into_soil;  ///< c; of the soil's own balance; g

    constexpr SnowHeat(const snow::Profile<Real>& T_, const snow::Profile<Real>& liquid,
                       Real amount, Real density, Real soil_T, Real soil_resistance, double step)
        : T(T_) {
        const auto w = snow::parts(amount);
        const Real on = amount + ground::snow_half_cover;
        const Real per_conductivity =
            0.5 / (density * (2.22 * exp(1.88 * log(density * (1 / constants::ice_density)))));
        snow::Profile<Real> C, resistance;
        for (int k = 0; k < snow::layers; ++k) {
            const Real m = w[k] * on, wet = liquid[k] / larger(w[k] * amount, 1e-6);
            C[k] =
                m * (snow::heat_capacity + constants::fusion_heat * smaller(wet, 1)) * (1 / step);
            resistance[k] = m * per_conductivity;
        }
        K[0] = 1 / (resistance[0] + resistance[1]);
        K[1] = 1 / (resistance[1] + resistance[2]);
        K[2] = 1 / (resistance[2] + soil_resistance);
        const Real down_1 = K[0] * (T[0] - T[1]), down_2 = K[1] * (T[1] - T[2]),
                   down_3 = K[2] * (T[2] - soil_T);
        const Real r_3 = down_2 - down_3;
        per_3 = 1 / (C[2] + K[1] + K[2]);
        from_soil = K[1] * K[2] * per_3;
        per_2 = 1 / (C[1] + K[0] + K[1] - K[1] * K[1] * per_3);
        r_2 = down_1 - down_2 + K[1] * per_3 * r_3;
        rest_3 = r_3;
        inertia = C[0] + K[0] - K[0] * K[0] * per_2;
        rest = K[0] * per_2 * r_2 - down_1;
        coupling = K[0] * from_soil * per_2;
        held = K[2] - K[2] * K[2] * per_3 - from_soil * from_soil * per_2;
        into_soil = down_3 + K[2] * per_3 * r_3 + from_soil * per_2 * r_2;
    }
    /// Fluxes downward through the lower ends of the layers [W m-2 of snow].
    constexpr snow::Profile<Real> fluxes(Real rise, Real soil_T, Real soil_rise) const {
        const Real rise_2 = (K[0] * rise + from_soil * soil_rise + r_2) * per_2,
                   rise_3 = (K[1] * rise_2 + K[2] * soil_rise + rest_3) * per_3;
        return {K[0] * (T[0] + rise - T[1] - rise_2), K[1] * (T[1] + rise_2 - T[2] - rise_3),
                K[2] * (T[2] + rise_3 - soil_T - soil_rise)};
    }

private:
    Real per_2, per_3, from_soil, r_2, rest_3;
};

/// Changes mass and heat q of the layers, per square metre of land, in a step.
template <class Real> struct SnowPack {
    snow::Profile<Real> M, q;
    Real leaves = 0, heat_left = 0;  ///< at the bottom: water [kg m-2], heat [J m-2]

    constexpr SnowPack(const snow::Profile<Real>& T, const snow::Profile<Real>& liquid, Real amount)
        : M(snow::parts(amount)) {
        for (int k = 0; k < snow::layers; ++k) {
            M[k] *= amount;
            q[k] = snow::heat_capacity * M[k] * (T[k] - tile::melting) +
                   constants::fusion_heat * liquid[k];
        }
    }
    /// Takes ice from above; returns the mass that there was.
    constexpr Real take(Real wanted) {
        Real left = wanted;
        for (int k = 0; k < snow::layers; ++k) {
            const Real taken = smaller(left, M[k]);
            M[k] -= taken;
            left -= taken;
        }
        return wanted - left;
    }
    /// Melting, freezing, and water on its way down.
    constexpr void settle() {
        constexpr double fusion = constants::fusion_heat;
        Real water = 0, heat = 0;
        for (int k = 0; k < snow::layers; ++k) {
            M[k] += water;
            q[k] += fma(fusion, water, heat);
            // heat that no phase of this mass can hold is passed on
            const Real least = -(snow::heat_capacity * snow::coldest) * M[k], most = fusion * M[k];
            const Real kept = smaller(larger(q[k], least), most);
            heat = q[k] - kept;
            const Real liquid = larger(kept, 0) * (1 / fusion);
            water = larger(liquid - snow::holds * M[k], 0);
            M[k] -= water;
            q[k] = kept - fusion * water;
        }
        leaves = water;
        heat_left = heat;
    }
    /// Takes what is beyond a limit, from below; returns its mass and q.
    constexpr std::pair<Real, Real> calve(Real most) {
        const Real mass = larger(M[0] + M[1] + M[2] - most, 0);
        Real left = mass, heat = 0;
        for (int k = snow::layers - 1; k >= 0; --k) {
            const Real taken = smaller(left, M[k]), part = q[k] * (taken / larger(M[k], 1e-30));
            M[k] -= taken;
            q[k] -= part;
            left -= taken;
            heat += part;
        }
        return {mass, heat};
    }
    /// Moves the limits between the layers to their new places; returns all mass.
    constexpr Real divide() {
        const Real amount = M[0] + M[1] + M[2];
        const auto w = snow::parts(amount);
        const auto old = M;
        const auto held = q;
        Real top = 0;
        for (int k = 0; k < snow::layers; ++k) {
            const Real bottom = k + 1 < snow::layers ? top + w[k] * amount : amount;
            Real heat = 0, mass = 0, from = 0;
            for (int j = 0; j < snow::layers; ++j) {
                const Real to = from + old[j];
                const Real common = larger(smaller(to, bottom) - larger(from, top), 0);
                heat += common * held[j] / larger(old[j], 1e-30);
                mass += common;
                from = to;
            }
            M[k] = mass;
            q[k] = heat;
            top = bottom;
        }
        return amount;
    }
    constexpr Real liquid(int k) const { return larger(q[k], 0) * (1 / constants::fusion_heat); }
    constexpr Real temperature(int k) const {
        const Real cold = smaller(q[k], 0) / (snow::heat_capacity * larger(M[k], 1e-9));
        return tile::melting + larger(cold, -snow::coldest);
    }
};

}  // namespace fathom::physics
