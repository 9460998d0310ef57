/// A column of a model for RRTMGP: taken from the fields of the model; they get its fluxes.
/// Each step is a function of one column, so that it can be a kernel of a device by itself.
#pragma once
#include "base/constants.hpp"
#include "base/elementary.hpp"
#include "field/field.hpp"
#include "physics/radiation/rrtmgp/aerosols.hpp"
#include "physics/radiation/rrtmgp/clouds.hpp"
#include "physics/radiation/rrtmgp/column.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics::rrtmgp {

/// Of the process; lists lie where it is computed.
struct Settings {
    KDistribution thermal, solar;
    /// Mole fractions of dry air by number of gas in the tables; water and ozone come from fields.
    std::span<const double> of_thermal, of_solar;
    /// Empty: cloud water does not vary.
    std::span<const float> water_factors;
    /// Numbers of `changing` gases in the tables, 0: not there; rows of `aerosols` in the tables,
    /// none: no aerosols; the band of 550 nm.
    std::span<const int> thermal_gases, solar_gases, aerosols;
    int visible = 0;
    int ozone = 3, angles = 1, overlap = 2;
    double droplet_radius = 10, ice_diameter = 60, decorrelation = 2000, twilight = 0;
};

template <class Real> struct Air {
    Reads<Real, "air_temperature", place::center_layer, "K"> temperature;
    Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity;
    Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure;
    Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface;
    Reads<Real, "ozone", place::center_layer, "kg kg-1"> ozone;
    Reads<Real, "cloud_fraction", place::center_layer, "1"> cloud_fraction;
    Reads<Real, "cloud_water", place::center_layer, "kg kg-1"> cloud_water;
};
template <class Real> struct GroundAndSun {
    Reads<Real, "surface_temperature", place::center_column, "K"> temperature;
    Reads<Real, "surface_emission", place::center_column, "W m-2"> emission;
    Reads<Real, "albedo", place::center_column, "1"> albedo;
    Reads<Real, "cosine_zenith", place::center_column, "1"> zenith;
    Reads<Real, "cosine_zenith_ahead", place::center_column, "1"> zenith_ahead;
    Reads<Real, "latitude", place::center_column, "rad"> latitude;
    Reads<Real, "longitude", place::center_column, "rad"> longitude;
    ReadsProfile<Real, "sun", "1"> sun;
};
template <class Real> struct Given {
    Writes<Real, "shortwave_share", place::center_interface, "1"> shortwave;
    Writes<Real, "longwave_flux", place::center_interface, "W m-2"> longwave;
    Writes<Real, "emission_share", place::center_interface, "1"> emission_share;
    Writes<Real, "emission_seen", place::center_column, "W m-2"> emission_seen;
    Writes<Real, "surface_downward_longwave", place::center_column, "W m-2"> downward;
    Writes<Real, "surface_downward_share", place::center_column, "1"> downward_share;
    Writes<Real, "reflection_share", place::center_interface, "1"> reflection_share;
};
/// Gases of the present time, mole fractions of dry air: of all heights.
template <class Real> struct Changing {
    Reads<Real, "carbon_dioxide", place::center_column, "1"> carbon_dioxide;
    Reads<Real, "methane", place::center_column, "1"> methane;
    Reads<Real, "nitrous_oxide", place::center_column, "1"> nitrous_oxide;
    Reads<Real, "cfc11", place::center_column, "1"> cfc11;
    Reads<Real, "cfc12", place::center_column, "1"> cfc12;
    Reads<Real, "cfc22", place::center_column, "1"> cfc22;
    Reads<Real, "carbon_tetrachloride", place::center_column, "1"> carbon_tetrachloride;
};
inline constexpr int changing = 7;
/// Optical depths at 550 nm.
template <class Real> struct Haze {
    Reads<Real, "dust_optical_depth", place::center_column, "1"> dust;
    Reads<Real, "sea_salt_optical_depth", place::center_column, "1"> sea_salt;
    Reads<Real, "sulfate_optical_depth", place::center_column, "1"> sulfate;
    Reads<Real, "black_carbon_optical_depth", place::center_column, "1"> black_carbon;
    Reads<Real, "organic_carbon_optical_depth", place::center_column, "1"> organic_carbon;
    Reads<Real, "stratospheric_optical_depth", place::center_column, "1"> stratospheric;
};
inline constexpr int hazes = 6;
/// One column of a pack, at a layer or interface.
template <class Field> constexpr auto at(const Field& field, int lane, int k = 0) {
    return field.at[field.column + k * field.level + lane];
}
template <class Field> constexpr void put(const Field& field, int lane, int k, auto x) {
    field.at[field.column + k * field.level + lane] = x;
}

template <class T> struct InModel {
    /// Single numbers.
    struct Site {
        std::uint64_t key;
        T ground, emission, mu, albedo;
        bool there, lit;
    };
    int L;
    Site* site;
    T *temperature, *pressure, *edge, *thermal, *solar, *cover, *liquid, *ice, *radius, *diameter;
    T *up, *down, *reaches, *beam, *reflected;
    T *aerosol, *humidity;  // [species][layer] [kg m-2]; null: none

    /// Begins at `at`, which may be null; returns the bytes.
    constexpr std::size_t place(std::byte* at, const Settings& s, int layers) {
        L = layers;
        const std::size_t n = std::size_t(layers);
        Places places(at);
        places(site, 1);
        for (auto* x : {&temperature, &pressure, &cover, &liquid, &ice, &radius, &diameter})
            places(*x, n);
        for (auto* x : {&edge, &up, &down, &reaches, &beam, &reflected}) places(*x, n + 1);
        places(thermal, n * std::size_t(s.thermal.gases + 1));
        places(solar, n * std::size_t(s.solar.gases + 1));
        aerosol = humidity = nullptr;
        if (!s.aerosols.empty())
            places(aerosol, n * std::size_t(s.solar.aerosols)), places(humidity, n);
        return places.bytes;
    }
    /// Of a thread, for columns one after another.
    static InModel own(const Settings& s, int layers) {
        static thread_local Lines<std::byte> room;
        InModel column;
        column.place(room(column.place(nullptr, s, layers)), s, layers);
        return column;
    }

    template <class Real>
    constexpr void take(const Settings& s, const Air<Real>& air, const GroundAndSun<Real>& from,
                        int lane) const {
        site->there = at(air.interface, lane, L) > 0;  // what fills the last pack is no column
        site->lit = false;
        if (!site->there) return;
        for (int k = 0; k < L; ++k) {
            temperature[k] = at(air.temperature, lane, k), pressure[k] = at(air.pressure, lane, k);
            radius[k] = T(s.droplet_radius), diameter[k] = T(s.ice_diameter);
            layer(s, k, at(air.interface, lane, k + 1) - at(air.interface, lane, k),
                  at(air.humidity, lane, k), at(air.ozone, lane, k),
                  at(air.cloud_fraction, lane, k), at(air.cloud_water, lane, k));
        }
        edge[0] = temperature[0], edge[L] = temperature[L - 1];
        for (int k = 1; k < L; ++k) {
            const T share =
                (at(air.interface, lane, k) - pressure[k - 1]) / (pressure[k] - pressure[k - 1]);
            edge[k] = temperature[k - 1] + share * (temperature[k] - temperature[k - 1]);
        }
        const T latitude = at(from.latitude, lane), longitude = at(from.longitude, lane);
        site->key = key_of(bits_of(latitude), bits_of(longitude), bits_of(from.sun[0]),
                           bits_of(from.sun[1]), bits_of(from.sun[2]));
        site->ground = at(from.temperature, lane), site->emission = at(from.emission, lane);
        const T now = at(from.zenith, lane), ahead = at(from.zenith_ahead, lane);
        site->lit = std::max({now, ahead}) > 0 ||
                    (s.twilight > 0 && height_of(from.sun, latitude, longitude) > T(-s.twilight));
        site->mu = std::max(ahead, T(0.05)), site->albedo = at(from.albedo, lane);
    }
    /// Replaces gases by those of the present time, and adds aerosols, of which half of the
    /// optical depth lies below 0.84 p_s, that of the stratosphere evenly in ln p from 120 to 20
    /// hPa.
    template <class Real>
    void force(const Settings& s, const Air<Real>& air, const Changing<Real>& gases,
               const Haze<Real>& haze, int lane) const {
        const T fraction[changing]{at(gases.carbon_dioxide, lane),
                                   at(gases.methane, lane),
                                   at(gases.nitrous_oxide, lane),
                                   at(gases.cfc11, lane),
                                   at(gases.cfc12, lane),
                                   at(gases.cfc22, lane),
                                   at(gases.carbon_tetrachloride, lane)};
        const auto replace = [&](T* amount, std::span<const int> numbers) {
            for (int n = 0; n < changing; ++n)
                for (int k = 0; numbers[n] && k < L; ++k)
                    amount[numbers[n] * L + k] = fraction[n] * amount[k];
        };
        replace(thermal, s.thermal_gases), replace(solar, s.solar_gases);
        if (!aerosol) return;
        const T depth[hazes]{at(haze.dust, lane),           at(haze.sea_salt, lane),
                             at(haze.sulfate, lane),        at(haze.black_carbon, lane),
                             at(haze.organic_carbon, lane), at(haze.stratospheric, lane)};
        std::fill(aerosol, aerosol + s.solar.aerosols * L, T(0));
        const T ground = at(air.interface, lane, L);
        for (int k = 0; k < L; ++k) {
            const T upper = at(air.interface, lane, k), lower = at(air.interface, lane, k + 1);
            humidity[k] = relative_humidity(at(air.humidity, lane, k), temperature[k], pressure[k]);
            const auto fourth = [&](T p) {
                return (p / ground) * (p / ground) * (p / ground) * (p / ground);
            };
            const auto high = [](T p) { return std::log(std::clamp<T>(p, 2000, 12000)); };
            const T low = fourth(lower) - fourth(upper),
                    above = (high(lower) - high(upper)) * T(1 / 1.791759469228055);
            for (int n = 0; n < hazes; ++n) {
                const T tau = std::max(depth[n], T(0)) * (n == hazes - 1 ? above : low);
                if (tau > 0)
                    aerosol[s.aerosols[n] * L + k] +=
                        tau / extinction(s.solar, s.aerosols[n], humidity[k], s.visible);
            }
        }
    }
    constexpr Column<T> column(const Settings& s, const T* amount) const {
        return {.layers = L,
                .pressure = pressure,
                .temperature = temperature,
                .interface_temperature = edge,
                .surface_temperature = site->ground,
                .amount = amount,
                .zenith = site->mu,
                .albedo_direct = site->albedo,
                .albedo_diffuse = site->albedo,
                .cover = cover,
                .liquid_path = liquid,
                .ice_path = ice,
                .droplet_radius = radius,
                .ice_diameter = diameter,
                .overlap = Overlap(s.overlap),
                .decorrelation = T(s.decorrelation),
                .key = site->key,
                .water_factors = s.water_factors.empty() ? nullptr : s.water_factors.data(),
                .aerosol = aerosol,
                .humidity = humidity};
    }
    constexpr Column<T> in_thermal(const Settings& s) const { return column(s, thermal); }
    constexpr Column<T> in_solar(const Settings& s) const { return column(s, solar); }

    /// From up, down and reaches.
    template <class Real> constexpr void give_longwave(const Given<Real>& to, int lane) const {
        const T emission = site->emission, whole = reaches[L], more = emission / whole - 1;
        for (int k = 0; k <= L; ++k) {
            put(to.longwave, lane, k, up[k] + more * reaches[k] - down[k]);
            put(to.emission_share, lane, k, reaches[k] / whole);
        }
        put(to.longwave, lane, L, emission - down[L]);
        put(to.emission_seen, lane, 0, emission);
        put(to.downward, lane, 0, down[L]);
    }
    /// From up, down and reflected, where it is lit.
    template <class Real> constexpr void give_shortwave(const Given<Real>& to, int lane) const {
        const bool lit = site->lit;
        const T arriving = lit ? 1 / down[0] : T(0), whole = lit ? down[L] : T(0);
        for (int k = 0; k <= L; ++k) {
            put(to.shortwave, lane, k, lit ? (down[k] - up[k]) * arriving : T(0));
            put(to.reflection_share, lane, k, lit ? reflected[k] / whole : T(0));
        }
        put(to.downward_share, lane, 0, whole * arriving);
    }

private:
    /// Of vapour over water, by the saturation of the physics.
    static T relative_humidity(T q, T temperature, T pressure) {
        using One = Pack<T, 1>;
        const auto saturated = Saturation<One>::over_water(One(temperature), One(pressure));
        return (larger(One(q), One(0)) / saturated.humidity).lanes;
    }
    constexpr void layer(const Settings& s, int k, T dp, T q, T o, T fraction, T cloud) const {
        q = std::max(q, T(0));
        const T mass = dp * T(1 / constants::gravity), water = q * mass * T(1 / 0.018016),
                dry = (1 - q) * mass * T(1 / 0.028964), ozone = o * mass * T(1 / 0.0479982);
        const auto fill = [&](T* amount, std::span<const double> fractions) {
            for (std::size_t gas = 0; gas < fractions.size(); ++gas)
                amount[gas * std::size_t(L) + std::size_t(k)] = T(fractions[gas]) * dry;
            amount[std::size_t(L + k)] = water;
            amount[std::size_t(s.ozone * L + k)] = ozone;
        };
        fill(thermal, s.of_thermal), fill(solar, s.of_solar);
        const T path = 1000 * std::max(cloud, T(0)) * mass,
                warm = std::clamp<T>((temperature[k] - T(243.15)) * T(1 / 20.), 0, 1);
        cover[k] = std::clamp<T>(fraction, 0, 1);
        liquid[k] = warm * path, ice[k] = (1 - warm) * path;
    }
    /// Sine of the sun's height over a place, the higher of now and ahead; below 0 at night.
    template <class Sun> static constexpr T height_of(const Sun& sun, T latitude, T longitude) {
        const auto [z, across] = sine_cosine(Pack<T, 1>(latitude));
        const auto [sine, cosine] = sine_cosine(Pack<T, 1>(longitude));
        const T x = across.lanes * cosine.lanes, y = across.lanes * sine.lanes;
        const T now = x * sun[0] + y * sun[1] + z.lanes * sun[2],
                ahead = x * sun[4] + y * sun[5] + z.lanes * sun[6];
        return std::max(now, ahead);
    }
};

}  // namespace fathom::physics::rrtmgp
