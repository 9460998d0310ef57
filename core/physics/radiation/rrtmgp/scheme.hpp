/// RRTMGP as a process of the atmosphere: from its air, clouds and ground to the shares of sunlight
/// and the long-wave fluxes that RadiativeHeating (heating.hpp) scales until the next call.
///
///   shortwave_share = (down - up) / (S mu),   longwave_flux = up - down
///   emission_share: the part of what the ground emits that reaches an interface
///   surface_downward_share = down / (S mu) at the ground;  reflection_share: the part of what the
///       ground reflects that passes an interface, less what comes back, over a black ground
///
/// What the ground emits is its surface_emission, spread over the spectrum as Planck's function.
/// Interfaces have the temperature that lies between their layers', linear in pressure; the lowest
/// that of the lowest layer. Random numbers of clouds are keyed by where the column lies and where
/// the sun stands. Columns that the sun does not reach before the next call are left out of the
/// short wave; with `twilight` (a sine) only where it is farther than this below the horizon, since
/// neighbours are interpolated from them.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"
#include "physics/radiation/rrtmgp/fluxes.hpp"

namespace fathom::physics {

struct RRTMGP {
    std::shared_ptr<const rrtmgp::KDistribution> thermal, solar;
    /// Mole fractions of dry air by number of gas in the tables; water and ozone come from fields.
    std::vector<double> mole_fraction_thermal, mole_fraction_solar;
    int ozone = 3, angles = 1;
    double droplet_radius = 10, ice_diameter = 60, decorrelation = 2000;
    int overlap = 2;
    /// Empty: cloud water does not vary.
    std::shared_ptr<const std::vector<float>> water_factors =
        std::make_shared<const std::vector<float>>();
    double twilight = 0;

    template <class Real>
    void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "ozone", place::center_layer, "kg kg-1"> ozone_mass,
        Reads<Real, "cloud_fraction", place::center_layer, "1"> cloud_fraction,
        Reads<Real, "cloud_water", place::center_layer, "kg kg-1"> cloud_water,
        Reads<Real, "surface_temperature", place::center_column, "K"> surface_temperature,
        Reads<Real, "surface_emission", place::center_column, "W m-2"> surface_emission,
        Reads<Real, "albedo", place::center_column, "1"> albedo,
        Reads<Real, "cosine_zenith", place::center_column, "1"> zenith,
        Reads<Real, "cosine_zenith_ahead", place::center_column, "1"> zenith_ahead,
        Reads<Real, "latitude", place::center_column, "rad"> latitude,
        Reads<Real, "longitude", place::center_column, "rad"> longitude,
        ReadsProfile<Real, "sun", "1"> sun,
        Writes<Real, "shortwave_share", place::center_interface, "1"> shortwave,
        Writes<Real, "longwave_flux", place::center_interface, "W m-2"> longwave,
        Writes<Real, "emission_share", place::center_interface, "1"> emission_share,
        Writes<Real, "emission_seen", place::center_column, "W m-2"> emission_seen,
        Writes<Real, "surface_downward_longwave", place::center_column, "W m-2"> downward,
        Writes<Real, "surface_downward_share", place::center_column, "1"> downward_share,
        Writes<Real, "reflection_share", place::center_interface, "1"> reflection_share) const {
        using T = typename Real::Number;
        Column<T>& one = Column<T>::own();
        const int L = temperature.levels();
        one.resize(*this, L);
        for (int lane = 0; lane < Real::width; ++lane) {
            const auto at = [lane](auto& field, int k) {
                return field.at[field.column + k * field.level + lane];
            };
            const auto put = [lane](auto& field, int k, T x) {
                field.at[field.column + k * field.level + lane] = x;
            };
            if (!(at(interface, L) > 0)) continue;  // no column: what fills the last pack
            for (int k = 0; k < L; ++k) {
                one.temperature[k] = at(temperature, k), one.pressure[k] = at(pressure, k);
                one.layer(*this, k, at(interface, k + 1) - at(interface, k), at(humidity, k),
                          at(ozone_mass, k), at(cloud_fraction, k), at(cloud_water, k));
            }
            one.air.key = rrtmgp::key_of(
                rrtmgp::bits_of(at(latitude, 0)), rrtmgp::bits_of(at(longitude, 0)),
                rrtmgp::bits_of(sun.at[0]), rrtmgp::bits_of(sun.at[1]), rrtmgp::bits_of(sun.at[2]));
            one.interfaces([&](int k) { return at(interface, k); });
            const T emission = at(surface_emission, 0);
            one.emit(*this, at(surface_temperature, 0));
            const T whole = one.reaches[L], more = emission / whole - 1;
            for (int k = 0; k <= L; ++k) {
                put(longwave, k, one.up[k] + more * one.reaches[k] - one.down[k]);
                put(emission_share, k, one.reaches[k] / whole);
            }
            put(longwave, L, emission - one.down[L]);
            put(emission_seen, 0, emission);
            put(downward, 0, one.down[L]);
            const T now = at(zenith, 0), ahead = at(zenith_ahead, 0);
            const bool lit =
                std::max({now, ahead}) > 0 ||
                (twilight > 0 && height_of(sun, at(latitude, 0), at(longitude, 0)) > T(-twilight));
            one.shine(*this, lit, std::max(ahead, T(0.05)), at(albedo, 0));
            for (int k = 0; k <= L; ++k) {
                put(shortwave, k, one.net[k]);
                put(reflection_share, k, one.reflected[k]);
            }
            put(downward_share, 0, one.reaches_ground);
        }
    }

private:
    /// Sine of the sun's height over a place, the higher of now and ahead; below 0 at night.
    template <class Sun, class T> static T height_of(const Sun& sun, T latitude, T longitude) {
        const auto [z, across] = sine_cosine(Pack<T, 1>(latitude));
        const auto [sine, cosine] = sine_cosine(Pack<T, 1>(longitude));
        const T x = across.lanes * cosine.lanes, y = across.lanes * sine.lanes;
        const auto of = [&](int n) -> T {
            return x * sun[n] + y * sun[n + 1] + z.lanes * sun[n + 2];
        };
        return std::max(of(0), of(4));
    }

    /// Memory of a thread for one column after the other.
    template <class T> struct Column {
        rrtmgp::Column<T> air;
        std::vector<T> temperature, pressure, edge, thermal, solar, cover, liquid, ice, radius,
            diameter, up, down, reaches, beam, net, reflected;
        T reaches_ground = 0;  ///< share of the sunlight

        static Column& own() {
            static thread_local Column column;
            return column;
        }
        void resize(const RRTMGP& scheme, int layers) {
            const auto n = std::size_t(layers);
            for (auto* x : {&temperature, &pressure, &cover, &liquid, &ice}) x->resize(n);
            for (auto* x : {&edge, &up, &down, &reaches, &beam, &net, &reflected}) x->resize(n + 1);
            thermal.resize(n * std::size_t(scheme.thermal->gases + 1));
            solar.resize(n * std::size_t(scheme.solar->gases + 1));
            radius.assign(n, T(scheme.droplet_radius));
            diameter.assign(n, T(scheme.ice_diameter));
            air = {.layers = layers,
                   .pressure = pressure.data(),
                   .temperature = temperature.data(),
                   .interface_temperature = edge.data(),
                   .amount = thermal.data(),
                   .cover = cover.data(),
                   .liquid_path = liquid.data(),
                   .ice_path = ice.data(),
                   .droplet_radius = radius.data(),
                   .ice_diameter = diameter.data(),
                   .overlap = rrtmgp::Overlap(scheme.overlap),
                   .decorrelation = T(scheme.decorrelation),
                   .water_factors =
                       scheme.water_factors->empty() ? nullptr : scheme.water_factors->data()};
        }
        void layer(const RRTMGP& scheme, int k, T dp, T q, T o, T fraction, T cloud) {
            q = std::max(q, T(0));
            const T mass = dp * T(1 / constants::gravity), water = q * mass * T(1 / 0.018016),
                    dry = (1 - q) * mass * T(1 / 0.028964), ozone = o * mass * T(1 / 0.0479982);
            const auto fill = [&](std::vector<T>& amount, const std::vector<double>& fractions) {
                for (std::size_t gas = 0; gas < fractions.size(); ++gas)
                    amount[gas * std::size_t(air.layers) + std::size_t(k)] =
                        T(fractions[gas]) * dry;
            };
            fill(thermal, scheme.mole_fraction_thermal);
            fill(solar, scheme.mole_fraction_solar);
            for (auto* amount : {&thermal, &solar}) {
                (*amount)[std::size_t(air.layers + k)] = water;
                (*amount)[std::size_t(scheme.ozone * air.layers + k)] = ozone;
            }
            const T path = 1000 * std::max(cloud, T(0)) * mass,
                    warm = std::clamp<T>((temperature[k] - T(243.15)) * T(1 / 20.), 0, 1);
            cover[k] = std::clamp<T>(fraction, 0, 1);
            liquid[k] = warm * path, ice[k] = (1 - warm) * path;
        }
        template <class F> void interfaces(F p) {
            const int L = air.layers;
            edge[0] = temperature[0], edge[L] = temperature[L - 1];
            for (int k = 1; k < L; ++k) {
                const T share = (p(k) - pressure[k - 1]) / (pressure[k] - pressure[k - 1]);
                edge[k] = temperature[k - 1] + share * (temperature[k] - temperature[k - 1]);
            }
        }
        void emit(const RRTMGP& scheme, T ground) {
            air.amount = thermal.data();
            air.surface_temperature = ground;
            rrtmgp::longwave<T>(*scheme.thermal, air, scheme.angles,
                                {up.data(), down.data(), reaches.data()});
        }
        void shine(const RRTMGP& scheme, bool lit, T mu, T albedo) {
            for (auto* x : {&net, &reflected}) std::fill(x->begin(), x->end(), T(0));
            reaches_ground = 0;
            if (!lit) return;
            air.amount = solar.data();
            air.zenith = mu, air.albedo_direct = air.albedo_diffuse = albedo;
            rrtmgp::shortwave<T>(*scheme.solar, air,
                                 {up.data(), down.data(), beam.data(), reflected.data()});
            const T arriving = 1 / down[0], whole = down[net.size() - 1];
            for (std::size_t k = 0; k < net.size(); ++k) {
                net[k] = (down[k] - up[k]) * arriving;
                reflected[k] /= whole;
            }
            reaches_ground = whole * arriving;
        }
    };
};

/// The scheme as a process of a sequence: no tangent, its operations are not counted.
inline Process process_of(const RRTMGP& scheme, int precision) {
    using process_detail::run;
    Process p;
    p.name = "RRTMGP";
    p.scheme = std::make_shared<RRTMGP>(scheme);
    if (precision == 4)
        p.run = run<RRTMGP, Pack<float, cell_width<float>>, cell_width<float>>;
    else
        p.run = run<RRTMGP, Pack<double, cell_width<double>>, cell_width<double>>;
    p.operations = [] { return operations_counted; };
    p.set_shadow = [](std::ptrdiff_t) {};
    p.fields = process_detail::fields(uses<RRTMGP>);
    return p;
}

}  // namespace fathom::physics
