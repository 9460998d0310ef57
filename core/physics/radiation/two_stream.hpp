/// Radiative fluxes in a column of gases and clouds, a few spectral terms (gases.hpp), every few
/// hours:
///
///   long wave    U_k = U_k+1 t + (1 - t) B_up,   D_k+1 = D_k t + (1 - t) B_down,
///       t = exp(-tau) (1 - c (1 - exp(-a L)))
///                B = w sigma T^4, towards the source at the interface where a layer is opaque:
///                    B_mean + tau / (3.6 + tau) (B_interface - B_mean)
///   short wave   layers reflect R and transmit (1 - R) A,
///       A = exp(-tau / mu) downward and exp(-1.66 tau) upward, joined by adding:
///                alpha_k = R + T alpha_k+1 T' / (1 - alpha_k+1 R'),
///                    D_k+1 = D_k T / (1 - alpha_k+1 R'),   net = D (1 - alpha)
///                conservative two-stream R of the scaled depth s: [3/4 s + (1/2 - 3/4 mu)(1
///                    - exp(-s / mu))] / (1 + 3/4 s); diffuse 3/4 s / (1 + 3/4 s)
///
///   overlap      1 - C = prod (1 - max(c_k, c_k-1)) / (1 - c_k-1);
///       fluxes = (1 - C) those of clear air + C those under clouds of fraction c_k / C
///
/// c is the cloud's fraction of a layer, L its water [kg m-2], s = 22 L for clouds, a = 130 m2 kg-1
/// for water above 263 K, half of that for the larger particles of ice below 243 K (Kiehl et al.
/// 1998, J. Climate 11, 1131-1149), linear between. Clouds of neighbouring layers lie above each
/// other, others at random (Geleyn & Hollingsworth 1979); within the cloudy part of the column, C,
/// they are taken at random (Morcrette & Fouquart 1986). Aerosol, the same everywhere, lies in the
/// lowest kilometres as p^4: of its optical depth tau_a 6 per cent absorb, (1 - g) = 0.35 of the
/// rest scatter (as the uniform one of Kiehl et al. 1998); it acts on short wave only. If all
/// clouds overlapped at random, six layers of a quarter each would hide four fifths of the ground,
/// and thinner layers more. Kept until the next call, and then scaled by sun and surface
/// (RadiativeHeating): the net short wave per insolation, the net long wave, and the share of
/// the surface's emission that reaches each interface. mu is that in the middle of the period.
/// Absorption and scattering of the beam are computed one after the other, not as one two-stream
/// problem with the gases.
#pragma once
#include "base/brief.hpp"
#include "base/constants.hpp"
#include "base/pack.hpp"
#include "base/usual.hpp"
#include "field/process.hpp"
#include "physics/radiation/gases.hpp"

namespace fathom::physics {

struct Radiation {
    double carbon_dioxide = usual::carbon_dioxide, aerosol = 0.12;

    static constexpr std::string_view summary =
        "Long-wave and short-wave fluxes of a clear and cloudy column";
    static constexpr std::tuple parameters{Parameter{"carbon_dioxide", &Radiation::carbon_dioxide,
                                                     "1e-6", 0, 1e5, "mole fraction of CO2"},
                                           Parameter{"aerosol", &Radiation::aerosol, "1", 0, 5,
                                                     "optical depth of the aerosol, tau_a"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "air_temperature", place::center_layer, "K"> temperature,
        Reads<Real, "specific_humidity", place::center_layer, "kg kg-1"> humidity,
        Reads<Real, "air_pressure", place::center_layer, "Pa"> pressure,
        Reads<Real, "pressure_interface", place::center_interface, "Pa"> interface,
        Reads<Real, "ozone", place::center_layer, "kg kg-1"> ozone,
        Reads<Real, "cloud_fraction", place::center_layer, "1"> cloud_fraction,
        Reads<Real, "cloud_water", place::center_layer, "kg kg-1"> cloud_water,
        Reads<Real, "surface_temperature", place::center_column, "K"> surface_temperature,
        Reads<Real, "surface_emission", place::center_column, "W m-2"> surface_emission,
        Reads<Real, "albedo", place::center_column, "1"> albedo,
        Reads<Real, "cosine_zenith_ahead", place::center_column, "1"> zenith,
        Writes<Real, "shortwave_share", place::center_interface, "1"> shortwave,
        Writes<Real, "longwave_flux", place::center_interface, "W m-2"> longwave,
        Writes<Real, "emission_share", place::center_interface, "1"> emission_share,
        Writes<Real, "emission_seen", place::center_column, "W m-2"> emission_seen,
        Writes<Real, "surface_downward_longwave", place::center_column, "W m-2"> downward,
        Keeps<Real, "radiation_layers", 7> layers, Keeps<Real, "radiation", 10> own) const {
        const int levels = temperature.levels();
        const auto [mass, vapour, moist, absorber, level, cloud, water] = layers.columns();
        for (int k = 0; k < levels; ++k) {
            const Real m = (interface[k + 1] - interface[k]) * (1 / constants::gravity),
                       q = larger(humidity[k], 0);
            mass[k] = m;
            level[k] = pressure[k] * 1e-5;
            vapour[k] = q * m;
            moist[k] = Real(vapour[k]) * Real(level[k]);
            absorber[k] = ozone[k] * m;
            cloud[k] = smaller(larger(cloud_fraction[k], 0), 1);
            water[k] = larger(cloud_water[k], 0) * m;
        }
        Real free = 1, above = 0;  // of cloud, from the top to here
        for (int k = 0; k < levels; ++k) {
            free = free * ((1 - larger(cloud[k], above)) / larger(1 - above, 1e-6));
            above = cloud[k];
        }
        const Real cover = 1 - free, per_cover = 1 / larger(cover, 1e-6);
        for (int k = 0; k < levels; ++k) cloud[k] = smaller(cloud[k] * per_cover, 1);
        const Layers<Real> here{mass, vapour, moist, absorber, level, cloud, water};
        emit(temperature, humidity, surface_temperature[0], surface_emission[0], here, free, cover,
             own, longwave, emission_share, downward);
        emission_seen[0] = surface_emission[0];
        shine(levels, albedo[0], larger(zenith[0], 0.05), here, free, cover, own, shortwave);
    }

private:
    /// Of each layer: m, q m, q m p/p0, o m, p/p0, c, L.
    template <class Real> struct Layers {
        OwnColumn<Real> mass, vapour, moist, absorber, level, cloud, water;
    };
    template <class Real> using Own = Keeps<Real, "radiation", 10>;

    template <class Real> static constexpr Real through(Real tau) {
        return brief_exp(-smaller(tau, 80));
    }

    // long: the sweeps of a spectral term share the optical properties of the layers
    /// free: the clear part of the column; cover: the cloudy part.
    template <class Real>
    constexpr void emit(In<Real> temperature, In<Real> humidity, Real surface_temperature,
                        Real surface_emission, const Layers<Real>& layers, Real free, Real cover,
                        const Own<Real>& own, Out<Real> longwave, Out<Real> share,
                        Out<Real> downward) const {
        using namespace gases;
        const int levels = temperature.levels();
        const auto [mass, vapour, moist, absorber, level, cloud, water] = layers;
        const auto [T_scaled, black, T_edge, black_edge, open, gas, from_above, from_below, net,
                    reaching] = own.columns();
        const auto planck = [](Real T, auto scaled, auto emission) {
            const Real square = T * T;
            scaled = (T - 250) * (1 / 50.);
            emission = constants::stefan_boltzmann * (square * square);
        };
        Real T_above = temperature[0], m_above = mass[0];
        planck(T_above, T_edge[0], black_edge[0]);
        for (int k = 0; k < levels; ++k) {
            const Real T = temperature[k], m = mass[k];
            planck(T, T_scaled[k], black[k]);
            if (k > 0)
                planck((T_above * m + T * m_above) / (m + m_above), T_edge[k], black_edge[k]);
            const Real liquid = smaller(larger((T - 243.15) * (1 / 20.), 0), 1);
            open[k] = 1 - cloud[k] * (1 - through(fma(65, liquid, 65) * water[k]));
            T_above = T;
            m_above = m;
            net[k] = 0;
            reaching[k] = 0;
        }
        planck(T_above, T_edge[levels], black_edge[levels]);
        net[levels] = 0;
        reaching[levels] = 0;
        const double x = carbon_dioxide * 1e-6;
        const Real t_surface = (surface_temperature - 250) * (1 / 50.);
        Real arriving = 0;
        for (int g = 0; g < longwave_terms; ++g) {
            const auto weight = [g](Real scaled) -> Real {
                return fma(scaled, fma(scaled, w2::at(g), w1::at(g)), Real(w0::at(g)));
            };
            const double carbon = c0::at(g) * x, with_pressure = c1::at(g) * x + b::at(g);
            Real B_upper = weight(T_edge[0]) * black_edge[0];
            for (int k = 0; k < levels; ++k) {
                const Real tau = fma(vapour[k], h0::at(g),
                                     moist[k] * fma(larger(humidity[k], 0), hc::at(g), h1::at(g))) +
                                 fma(mass[k], fma(level[k], with_pressure, carbon),
                                     absorber[k] * fma(level[k], o1::at(g), Real(o0::at(g))));
                const Real opaque = tau / (3.6 + tau), B = weight(T_scaled[k]) * black[k],
                           B_lower = weight(T_edge[k + 1]) * black_edge[k + 1];
                gas[k] = through(tau);
                from_above[k] = fma(opaque, B_upper - B, B);
                from_below[k] = fma(opaque, B_lower - B, B);
                B_upper = B_lower;
            }
            const Real of_surface = weight(t_surface);
            for (int r = 0; r < 2; ++r) {
                const Real part = r ? cover : free;
                Real D = 0, U = part * of_surface * surface_emission, reaches = part * of_surface;
                for (int k = 0; k < levels; ++k) {
                    const Real passes = r ? gas[k] * open[k] : gas[k];
                    D = fma(passes, D - part * from_below[k], part * from_below[k]);
                    net[k + 1] -= D;
                }
                arriving += D;
                net[levels] += U;
                reaching[levels] += reaches;
                for (int k = levels - 1; k >= 0; --k) {
                    const Real passes = r ? gas[k] * open[k] : gas[k];
                    U = fma(passes, U - part * from_above[k], part * from_above[k]);
                    reaches *= passes;
                    net[k] += U;
                    reaching[k] += reaches;
                }
            }
        }
        for (int k = 0; k < levels; ++k) longwave[k] = net[k], share[k] = reaching[k];
        longwave[levels] = surface_emission - arriving;
        share[levels] = 1;
        downward[0] = arriving;
    }

    // long: the sweeps of a spectral term share the optical properties of the layers
    template <class Real>
    constexpr void shine(int levels, Real albedo, Real mu, const Layers<Real>& layers, Real free,
                         Real cover, const Own<Real>& own, Out<Real> shortwave) const {
        using namespace gases;
        const auto [mass, vapour, moist, absorber, level, cloud, water] = layers;
        // reflection of cloud from above and from below; dust: optical depth of the aerosol, tau_a
        // over a surface at 1000 hPa
        const auto [beam_cloud, cloud_back, beam, back, R_beam, R_back, T_down, alpha, net, dust] =
            own.columns();
        const Real slant = 1 / mu, upper_half = 0.5 - 0.75 * mu;
        for (int k = 0; k < levels; ++k) {
            const Real square = level[k] * level[k];
            dust[k] = (5e-5 * constants::gravity * aerosol) * mass[k] * (square * square);
            const Real s = 22 * water[k], inverse = 1 / (1 + 0.75 * s);
            beam_cloud[k] = (0.75 * s + upper_half * (1 - through(s * slant))) * inverse;
            cloud_back[k] = 0.75 * s * inverse;
            net[k] = 0;
        }
        net[levels] = 0;
        for (int g = 0; g < shortwave_terms; ++g) {
            for (int k = 0; k < levels; ++k) {
                const Real tau = fma(vapour[k], sh0::at(g), moist[k] * sh1::at(g)) +
                                 fma(absorber[k], so::at(g),
                                     fma(mass[k] * level[k], sb::at(g), 0.06 * dust[k])),
                           s = fma(mass[k], rayleigh::at(g), 0.33 * dust[k]);
                const Real x = s * slant, grown = x * fma(x, fma(x, 1 / 6., 0.5), 1),
                           both = 1 / ((1 + 0.75 * s) *
                                       (1 + grown));  // 1 - exp(-x) ~ grown / (1 + grown)
                beam[k] = through(tau * slant);
                back[k] = through(1.66 * tau);
                R_beam[k] = fma(upper_half, grown, 0.75 * s * (1 + grown)) * both;
                R_back[k] = 0.75 * s * (1 + grown) * both;
            }
            for (int r = 0; r < 2; ++r) {
                alpha[levels] = albedo;
                for (int k = levels - 1; k >= 0; --k) {
                    const Real cloudy = r ? cloud[k] : Real(0), clear = 1 - cloudy;
                    const Real by_cloud =
                        cloudy /
                        (1 + (1.66 * cloud_absorption::at(g)) *
                                 water[k]);  // what cloud scatters and its water does not absorb
                    const Real T = beam[k] *
                                   fma(clear, 1 - R_beam[k], by_cloud * (1 - beam_cloud[k])),
                               T_back = back[k] *
                                        fma(clear, 1 - R_back[k], by_cloud * (1 - cloud_back[k]));
                    const Real R = fma(0.5, beam[k], 0.5) *
                                   fma(clear, R_beam[k], by_cloud * beam_cloud[k]),
                               R_below = fma(0.5, back[k], 0.5) *
                                         fma(clear, R_back[k], by_cloud * cloud_back[k]);
                    const Real join = 1 / (1 - alpha[k + 1] * R_below);
                    T_down[k] = T * join;
                    alpha[k] = fma(T * T_back * join, alpha[k + 1], R);
                }
                Real D = sw::at(g) * (r ? cover : free);
                net[0] += D * (1 - alpha[0]);
                for (int k = 0; k < levels; ++k) {
                    D *= T_down[k];
                    net[k + 1] += D * (1 - alpha[k + 1]);
                }
            }
        }
        for (int k = 0; k <= levels; ++k) shortwave[k] = net[k];
    }
};

}  // namespace fathom::physics
