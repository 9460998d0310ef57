/// Shallow convection by an updraught of the boundary layer, dry or with a cloud at its top, in
/// addition to the diffusion of small eddies (EDMF: Siebesma, Soares & Teixeira 2007, J. Atmos.
/// Sci. 64, 1230-1248; in clouds Siebesma et al. 2003, J. Atmos. Sci. 60, 1201-1219):
///
///   start      x_u = x + F_x / (rho sigma_w) in the lowest layer, of h and q, where the surface
///       gives buoyancy;   sigma_w^3 = 2.2 u*^3 + 1.3 z B
///   h, q_t, v  dx/dz = epsilon (x_air - x);  epsilon = c / z + c / (z_top - z), in clouds 2e-3 m-1
///   w          0.35 d(w^2)/dz = b - 0.5 epsilon w^2; z_top is where a first sweep, with
///       epsilon = c / z, finds its end
///   M          a rho w below the cloud; at its base at most 0.03 rho (B z)^1/3 (Grant 2001,
///       Q. J. R. Meteorol. Soc. 127, 407-421), in it dM/M = -1e-3 m-1 dz
///
/// A plume without a cloud ends where it is heavier than the air: the diffusion does the
/// entrainment there. The cloud's water stays as vapour where the plume ends; it does not rain. The
/// properties of a plume follow those of the air at its start only from one part of the step to the
/// next: a part is at most 300 s. Water, energy and momentum close (plume.hpp).
#pragma once
#include "base/any.hpp"
#include "base/brief.hpp"
#include "physics/convection/parcel.hpp"
#include "physics/convection/plume.hpp"

namespace fathom::physics {

template <class Real> struct Rising {
    Real h, q, square, cloudy;  // J kg-1; kg kg-1; w^2, m2 s-2; 1 from the cloud's base on
    Real buoyancy = 0, kept = 1;

    /// From the layer below to layer k, through `rise` [m].
    template <class Work>
    constexpr void to(int k, Real rise, Real rate, const Work& work, const PlumeAir<Real>& air) {
        const Real mixed = rate * rise;
        kept = 1 / (1 + mixed);
        h = fma(kept, h - work.h[k], Real(work.h[k]));
        q = fma(kept, q - work.q[k], Real(work.q[k]));
        const Parcel<Real> parcel(h, q, air.geopotential[k], air.pressure[k], work.T[k]);
        const Real T_v = work.T[k] * (1 + virtual_factor * work.q[k]);
        buoyancy = constants::gravity * (parcel.virtual_temperature / T_v - 1);
        const Real faster = (square + rise / 0.35 * buoyancy) / (1 + mixed / 0.7);
        square = select(square > 0, larger(faster, 0), 0);
        cloudy = larger(cloudy, select((square > 0) & (parcel.condensate > 0), 1, Real(0)));
    }
};

/// The height of the plume's top, z_top [m], and whether it has a cloud there (1).
template <class Real> struct Reach {
    Real top, cloudy;
};

struct ShallowMassFlux {
    double step = 1200, area = 0.1, deepest = 4000, mixing = 0.4;

    static constexpr std::string_view summary =
        "Shallow convection by an updraught from the surface, with diffusion (EDMF)";
    static constexpr std::tuple parameters{
        Parameter{"step", &ShallowMassFlux::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"area", &ShallowMassFlux::area, "1", 0, 0.5, "share of the area that rises, a"},
        Parameter{"deepest", &ShallowMassFlux::deepest, "m", 100, 2e4,
                  "height above the ground where any plume ends"},
        Parameter{"mixing", &ShallowMassFlux::mixing, "1", 0, 4, "of dry air into the plume, c"}};

    template <class Real>
    constexpr void operator()(
        PlumeAir<Real> air, PlumeTendencies<Real> tendency,
        Reads<Real, "surface_geopotential", place::center_column, "m2 s-2"> ground,
        Reads<Real, "sensible_heat_flux", place::center_column, "W m-2"> heat,
        Reads<Real, "evaporation_flux", place::center_column, "kg m-2 s-1"> evaporation,
        Reads<Real, "friction_velocity", place::center_column, "m s-1"> friction,
        Writes<Real, "shallow_mass_flux", place::center_interface, "kg m-2 s-1"> mass_flux,
        Writes<Real, "shallow_cloud_top_height", place::center_column, "m"> cloud_top,
        Keeps<Real, "shallow_mass_flux_convection", 13> own) const {
        const int levels = air.temperature.levels(), last = levels - 1;
        const auto columns = own.columns();
        using Column = std::remove_cvref_t<decltype(columns[0])>;
        const auto [u, v, T, q, h, saturated, M, Fu, Fv, Fh, Fq, water, melted] = columns;
        const PlumeWork<Column> work{u, v, T, q, h, saturated, M, Fu, Fv, Fh, Fq, water, melted};
        const int parts = 1 + int((step - 1e-6) / 300);
        const double part = step / parts;
        for (int n = 0; n < parts; ++n) {
            work.look_at(air, tendency, step, levels);
            const Real rho = air.pressure[last] / (constants::dry_air_gas_constant * work.T[last]);
            const Real z = height(air, ground, last);
            const Real buoyancy = constants::gravity / rho *
                                  (heat[0] / (constants::dry_air_heat_capacity * work.T[last]) +
                                   virtual_factor * evaporation[0]),
                       u_star = larger(friction[0], 0.01);
            const Real sigma = cube_root(
                           fma(1.3 * z, larger(buoyancy, 0), 2.2 * u_star * u_star * u_star)),
                       per_flux = 1 / (rho * sigma);
            const Real enthalpy = heat[0] + constants::evaporation_heat * evaporation[0];
            const Rising<Real> start{work.h[last] + per_flux * larger(enthalpy, 0),
                                     work.q[last] + per_flux * larger(evaporation[0], 0),
                                     select(buoyancy > 0, sigma * sigma, 0), 0};
            const Reach<Real> reach = probe(air, work, ground, start);
            cloud_top[0] = carry(air, work, ground, start, reach, larger(buoyancy, 0), part);
            work.act(air.interface, tendency, part, Real(1), levels, 1.0 / parts);
        }
        for (int k = 0; k < levels; ++k) mass_flux[k] = work.mass_flux[k];
        mass_flux[levels] = 0;
    }

private:
    static constexpr double in_cloud = 2e-3;  // epsilon, m-1

    template <class Real, class Ground>
    constexpr Real height(const PlumeAir<Real>& air, const Ground& ground, int k) const {
        return (air.geopotential[k] - ground[0]) * (1 / constants::gravity);
    }

    /// The first sweep: a plume that mixes with c / z alone.
    template <class Real, class Work, class Ground>
    constexpr Reach<Real> probe(const PlumeAir<Real>& air, const Work& work, const Ground& ground,
                                Rising<Real> plume) const {
        const int last = air.temperature.levels() - 1;
        Real below = height(air, ground, last), top = below;
        for (int k = last - 1; k >= 0; --k) {
            const Real z = height(air, ground, k);
            plume.to(k, z - below, select(plume.cloudy > 0.5, Real(in_cloud), mixing / z), work,
                     air);
            plume.square = select(z < deepest, plume.square, 0);
            top = select(plume.square > 0, z, top);
            below = z;
        }
        return {top, plume.cloudy};
    }

    /// M and F at the lower interface of each layer that the plume reaches; the cloud's top.
    template <class Real, class Work, class Ground>
    constexpr Real carry(const PlumeAir<Real>& air, const Work& work, const Ground& ground,
                         Rising<Real> plume, const Reach<Real>& reach, Real buoyancy,
                         double part) const {
        const int last = air.temperature.levels() - 1;
        const Real most =
            (air.interface[last + 1] - air.interface[last]) * (1 / (constants::gravity * part));
        Real u = work.u[last], v = work.v[last], M = 0, cloud = 0,
             below = height(air, ground, last);
        for (int k = last - 1; k >= 0; --k) {
            const Real z = height(air, ground, k), rise = z - below;
            const Real du = u - work.u[k], dv = v - work.v[k], dh = plume.h - work.h[k],
                       dq = plume.q - work.q[k];
            const Real was_cloudy = plume.cloudy;
            plume.to(k, rise,
                     select(was_cloudy > 0.5, Real(in_cloud),
                            mixing / z + mixing / (larger(reach.top - z, 0) + rise)),
                     work, air);
            plume.square = select((z < deepest) & ((reach.cloudy > 0.5) | (plume.buoyancy > 0)),
                                  plume.square, 0);
            u = fma(plume.kept, du, Real(work.u[k])), v = fma(plume.kept, dv, Real(work.v[k]));
            const Real rho = air.pressure[k] / (constants::dry_air_gas_constant * work.T[k]);
            const Real dry = smaller(area * rho * sqrt(plume.square), most),
                       base = smaller(dry, 0.03 * rho * cube_root(buoyancy * z));
            M = select(was_cloudy > 0.5, M * brief_exp(-1e-3 * rise),
                       select(plume.cloudy > 0.5, base, dry));
            M = select(plume.square > 0, M, 0);
            cloud = select((plume.cloudy > 0.5) & (plume.square > 0), z, cloud);
            work.mass_flux[k + 1] = M;
            work.u_flux[k + 1] = M * du, work.v_flux[k + 1] = M * dv;
            work.h_flux[k + 1] = M * dh, work.q_flux[k + 1] = M * dq;
            below = z;
        }
        work.mass_flux[0] = 0;
        work.u_flux[0] = 0, work.v_flux[0] = 0, work.h_flux[0] = 0, work.q_flux[0] = 0;
        for (int k = 0; k <= last; ++k) work.water[k] = 0, work.melted[k] = 0;
        return cloud;
    }
};

}  // namespace fathom::physics
