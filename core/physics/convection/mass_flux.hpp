/// Convection by mass flux: a plume rises from the lowest air, entrains, rains and detrains; the
/// air around sinks (Tiedtke 1989, Mon. Wea. Rev. 117, 1779-1800; entrainment, detrainment, rain
/// and vertical speed after Bechtold et al. 2008, Q. J. R. Meteorol. Soc. 134, 1337-1351).
///
///   source     the lowest `source_depth`, mixed, warmer by 0.2 K and moister by 1e-4
///   h, q_t, v  of the plume: dx/dz = epsilon (x_air - x);  v also + c dv_air/dz (Gregory et al.
///       1997, Q. J. R. Meteorol. Soc. 123, 1153-1183), c = `pressure_gradient`
///   epsilon    deep epsilon_0 (1.3 - RH) (q_s / q_s,base)^3, shallow 3.5e-3 m-1 (1.3 - RH);
///       epsilon_0 = `entrainment`
///   w          d(w^2 / 2)/dz = B / 3 - 1.95 epsilon w^2,   1 m/s above the source; where a cloud
///       has become heavier than the air, B instead of B / 3; the top is where it ends
///   M          dM/M = (epsilon - delta) dz,   delta = (0.75e-4 m-1 deep, 3.5e-3 m-1 shallow)
///       (1.6 - RH); times w_k / w_k+1 where w falls
///   rain       dl/dz = -c b l / (0.75 w) (1 - exp(-(b l / 0.5 g kg-1)^2)),   c = `rain_rate`,
///       b = 1 + 0.5 (268.16 K - T)^1/2 in cold clouds, to 250.16 K (Bergeron & Findeisen)
///   ice        what rains out below 0 degC is frozen in the share of ice in mixed clouds
///       (moist.hpp): h of the plume gains L_f of it; the air loses that where it melts, of what
///       falls (T - 273.15 K) / 4 K in each layer, what is left in the lowest
///
/// Clouds that span more than 200 hPa are deep. Their mass flux removes CAPE in the time tau: M_b =
/// CAPE / tau / (loss of CAPE by a unit of M_b), CAPE = sum of positive (T_v,u - T_v) / T_v dp, the
/// loss from the scheme's own tendencies. The mass flux of shallow clouds keeps h of the air below
/// them: M_b (h_u - h)_base = H + L E of the surface. At most the source leaves in a step.
///
/// A downdraught of `downdraught` M_b begins in deep clouds where h of the air is least, keeps h
/// and v, is kept saturated by rain as long as there is any, and mixes into the air below the base.
///
/// Detrained water goes into the air as vapour, with h kept; large-scale clouds form from it.
/// Closed to round-off: water with the rain, int c_p T + L q + v^2 / 2, momentum. The air sinks
/// backward in time (subsidence.hpp).
#pragma once
#include "base/any.hpp"
#include "base/brief.hpp"
#include "field/process.hpp"
#include "physics/convection/parcel.hpp"
#include "physics/convection/plume.hpp"

namespace fathom::physics {

struct MassFluxConvection {
    double step = 1200, relaxation = 3600, source_depth = 6000, downdraught = 0.3,
           pressure_gradient = 0.7, shallow = 1, entrainment = 1e-3, rain_rate = 2e-3;

    static constexpr std::string_view summary =
        "Deep and shallow convection by mass flux with downdraughts and momentum transport";
    static constexpr std::tuple parameters{
        Parameter{"step", &MassFluxConvection::step, "s", 1e-3, 1e5, "time step"},
        Parameter{"relaxation", &MassFluxConvection::relaxation, "s", 60, 1e6,
                  "time in which deep convection removes CAPE, tau"},
        Parameter{"source_depth", &MassFluxConvection::source_depth, "Pa", 100, 3e4,
                  "depth of the air that rises, from the ground"},
        Parameter{"downdraught", &MassFluxConvection::downdraught, "1", 0, 0.9,
                  "mass flux of the downdraught over that of the updraught at its base"},
        Parameter{"pressure_gradient", &MassFluxConvection::pressure_gradient, "1", 0, 1,
                  "share of the wind's change that pressure gives to the plume, c"},
        Parameter{"shallow", &MassFluxConvection::shallow, "1", 0, 1,
                  "1: shallow clouds too; 0: another scheme has them"},
        Parameter{"entrainment", &MassFluxConvection::entrainment, "m-1", 0, 1e-2,
                  "of deep clouds at their base, epsilon_0"},
        Parameter{"rain_rate", &MassFluxConvection::rain_rate, "s-1", 0, 0.1,
                  "cloud water that becomes rain, c"}};
    static constexpr double warmer = 0.2, moister = 1e-4, first_speed = 1, deep_cloud = 2e4;

    template <class Real> using Air = PlumeAir<Real>;
    template <class Real> using Tendencies = PlumeTendencies<Real>;
    template <class Column> using Work = PlumeWork<Column>;
    template <class Real> struct Cloud {
        Real base = 0, top = 0, base_saturation = 0, cape = 0, base_excess = 0;
        Real least_energy = 1e9, sinking_from = -1;  // where h of the air in cloud is least
    };

    template <class Real>
    constexpr void operator()(
        Air<Real> air, Tendencies<Real> tendency,
        Reads<Real, "sensible_heat_flux", place::center_column, "W m-2"> heat,
        Reads<Real, "evaporation_flux", place::center_column, "kg m-2 s-1"> evaporation,
        Writes<Real, "convective_precipitation", place::center_column, "kg m-2 s-1"> precipitation,
        Writes<Real, "convective_mass_flux", place::center_column, "kg m-2 s-1"> base_mass_flux,
        Writes<Real, "convective_cloud_base_pressure", place::center_column, "Pa"> base_pressure,
        Writes<Real, "convective_cloud_top_pressure", place::center_column, "Pa"> top_pressure,
        Keeps<Real, "mass_flux_convection", 13> own) const {
        using namespace constants;
        const int levels = air.temperature.levels();
        const auto columns = own.columns();
        using Column = std::remove_cvref_t<decltype(columns[0])>;
        const auto [u, v, T, q, h, saturated, M, Fu, Fv, Fh, Fq, water, melted] = columns;
        const Work<Column> work{u, v, T, q, h, saturated, M, Fu, Fv, Fh, Fq, water, melted};
        work.look_at(air, tendency, step, levels);

        Cloud<Real> cloud = rise(air, work, Real(0), levels);
        const auto some = cloud.base > 0;
        const auto deep = some & (cloud.base - cloud.top > deep_cloud);
        const auto low = some & (cloud.base - cloud.top <= deep_cloud);
        if (any(low)) cloud = rise(air, work, select(low, 1, Real(0)), levels);
        const auto cloudy = some & (cloud.base > 0);
        if (any(deep)) sink(air, work, cloud, select(deep, downdraught, Real(0)), levels);

        melt(work, levels);
        const Real loss = loss_of_cape(air.interface, work, cloud, levels),
                   supply = heat[0] + evaporation_heat * evaporation[0];
        const Real of_deep =
                       cloud.cape / larger(loss, 1e-6) / (relaxation > step ? relaxation : step),
                   of_shallow = shallow * larger(supply, 0) / larger(cloud.base_excess, 500);
        const Real strength =
            select(cloudy & ((deep & (loss > 1e-6)) | (low & (cloud.base_excess > 0))),
                   smaller(select(deep, of_deep, of_shallow), source_depth / (gravity * step)), 0);
        precipitation[0] = strength * work.act(air.interface, tendency, step, strength, levels);
        base_mass_flux[0] = strength;
        base_pressure[0] = select(strength > 0, cloud.base, 0);
        top_pressure[0] = select(strength > 0, cloud.top, 0);
    }

private:
    /// The plume from the ground to its top; low: 1 for a plume of shallow clouds.
    // long: a plume is one sweep, whose running values parts would need as arguments
    template <class Real, class Column>
    constexpr Cloud<Real> rise(const Air<Real>& air, const Work<Column>& work, Real low,
                               int levels) const {
        using namespace constants;
        constexpr double cp = dry_air_heat_capacity, L = evaporation_heat;
        const int last = levels - 1;
        const Real source_top = air.interface[levels] - source_depth;
        Cloud<Real> cloud;
        Real mass = 0, u = 0, v = 0, h = 0, water = 0, square = first_speed * first_speed,
             alive = 1, cloudy = 0, light = 0, u_below = work.u[last], v_below = work.v[last];
        for (int k = last; k >= 0; --k) {
            const Real upper = air.interface[k], lower = air.interface[k + 1],
                       depth = lower - upper, p = air.pressure[k], T_air = work.T[k],
                       q_air = work.q[k], q_s = work.saturated[k];
            const Real T_v = T_air * (1 + virtual_factor * q_air),
                       thick = (dry_air_gas_constant / gravity) * depth * T_v / p,
                       dry = larger(1 - q_air / q_s, 0);  // 1 - RH
            const Real gained =
                alive * smaller(larger(lower - source_top, 0), depth) * (1 / source_depth);
            const Real shrunk = q_s / larger(cloud.base_saturation, 1e-9),
                       rate = select(low > 0.5, 3.5e-3, entrainment * shrunk * shrunk * shrunk) *
                              (0.3 + dry),
                       entrained = cloudy * smaller(rate * thick, 1);
            const Real before = mass, taken = gained + mass * entrained, all = mass + taken,
                       per_all = 1 / larger(all, 1e-9), mixed = taken * per_all,
                       added = gained * per_all;
            h += mixed * (work.h[k] - h) + added * (cp * warmer + L * moister);
            water += mixed * (q_air - water) + added * moister;
            u += mixed * (work.u[k] - u) + cloudy * pressure_gradient * (work.u[k] - u_below);
            v += mixed * (work.v[k] - v) + cloudy * pressure_gradient * (work.v[k] - v_below);
            u_below = work.u[k], v_below = work.v[k];

            const Parcel<Real> parcel(h, water, air.geopotential[k], p, T_air);
            const Real lifted = parcel.virtual_temperature / T_v - 1, old = square;
            const Real risen = (square + select((lifted < 0) & (light > 0.5), 2, Real(2. / 3)) *
                                             gravity * lifted * thick) /
                               (1 + 3.9 * entrained);
            square = select(lower - source_top > 0.5 * depth, square, risen);
            alive = select((square > 0) & (all > 0), alive, 0);
            const Real condensed = alive * select(parcel.condensate > 0, 1, Real(0));
            cloud.base = select((cloudy < 0.5) & (condensed > 0.5), lower, cloud.base);
            cloud.base_saturation =
                select((cloudy < 0.5) & (condensed > 0.5), q_s, cloud.base_saturation);
            cloud.base_excess =
                select((cloudy < 0.5) & (condensed > 0.5), h - work.h[k], cloud.base_excess);
            cloudy = larger(cloudy, condensed);
            light = select((cloudy > 0.5) & (lifted > 0), 1, light);
            cloud.cape = fma(alive * cloudy * larger(lifted, 0), depth, cloud.cape);
            const auto lower_energy = (alive * cloudy > 0.5) & (work.h[k] < cloud.least_energy);
            cloud.least_energy = select(lower_energy, work.h[k], cloud.least_energy);
            cloud.sinking_from = select(lower_energy, Real(k), cloud.sinking_from);

            const Real speed = larger(sqrt(larger(square, 0)), 1), l = parcel.condensate,
                       cold = 1 + 0.5 * sqrt(smaller(larger(268.16 - parcel.temperature, 0), 18)),
                       ratio = cold * l * (1 / 5e-4);
            const Real fate = (rain_rate / 0.75) * cold * thick / speed *
                              (1 - brief_exp(-smaller(ratio * ratio, 80)));
            const Real rained = cloudy * l * (1 - brief_exp(-smaller(fate, 80)));
            const Real warmth = smaller(larger((parcel.temperature - 250.16) * (1 / 23.), 0), 1),
                       froze = rained * (1 - warmth * warmth);
            water -= rained;
            h += fusion_heat * froze;
            work.water[k] = -(all * rained);
            work.melted[k] = -(all * froze);
            const Real leaves = cloudy * select(low > 0.5, 3.5e-3, Real(0.75e-4)) * (0.6 + dry),
                       slower = sqrt(larger(smaller(square / larger(old, 1e-6), 1), 0));
            mass = alive * all * larger(1 - leaves * thick, 0) *
                   select((cloudy > 0.5) & (before > 0), slower, 1);
            if (k == 0) mass = 0;
            cloud.top = select((cloudy > 0.5) & (all > 0), upper, cloud.top);
            work.mass_flux[k] = mass;
            if (k == 0) break;
            work.u_flux[k] = mass * (u - work.u[k - 1]);
            work.v_flux[k] = mass * (v - work.v[k - 1]);
            work.h_flux[k] = mass * (h - work.h[k - 1]);
            work.q_flux[k] = mass * (water - work.q[k - 1]);
        }
        return cloud;
    }

    /// Freezing in the plume, melted[k] = -froze, and melting below.
    template <class Column> static constexpr void melt(const Work<Column>& work, int levels) {
        using Real = std::remove_cvref_t<decltype(work.T[0] + work.T[0])>;
        Real falls = 0;
        for (int k = 0; k < levels; ++k) {
            falls -= work.melted[k];
            const Real warmth = smaller(larger((work.T[k] - constants::celsius) * 0.25, 0), 1),
                       melts = falls * (k + 1 < levels ? warmth : Real(1));
            work.melted[k] += melts;
            falls -= melts;
        }
    }

    /// The downdraught, subtracted from the fluxes of the plume; share: its mass flux at its start.
    template <class Real, class Column>
    constexpr void sink(const Air<Real>& air, const Work<Column>& work, const Cloud<Real>& cloud,
                        Real share, int levels) const {
        const Real surface = air.interface[levels], per_depth = 1 / larger(surface - cloud.base, 1);
        Real mass = 0, u = 0, v = 0, h = 0, water = 0, rain = 0;
        for (int k = 0; k + 1 < levels; ++k) {
            const auto begins = abs(cloud.sinking_from - k) < 0.5;
            u = select(begins, work.u[k], u), v = select(begins, work.v[k], v);
            h = select(begins, work.h[k], h), water = select(begins, work.q[k], water);
            mass = select(begins, share, mass);
            rain -= work.water[k];
            const Parcel<Real> wet(h, Real(1), air.geopotential[k], air.pressure[k], work.T[k]);
            const Real wanted = larger(wet.vapour - water, 0),
                       evaporated = smaller(mass * wanted, rain);
            rain -= evaporated;
            water += evaporated / larger(mass, 1e-9);
            work.water[k] += evaporated;
            const Real below = smaller(larger((surface - air.interface[k + 1]) * per_depth, 0), 1);
            mass = smaller(smaller(mass, share * below), work.mass_flux[k + 1]);
            work.mass_flux[k + 1] -= mass;
            work.u_flux[k + 1] -= mass * (u - work.u[k]);
            work.v_flux[k + 1] -= mass * (v - work.v[k]);
            work.h_flux[k + 1] -= mass * (h - work.h[k]);
            work.q_flux[k + 1] -= mass * (water - work.q[k]);
        }
    }

    /// The decrease of CAPE per second by a unit of mass flux.
    template <class Real, class Interface, class Column>
    constexpr Real loss_of_cape(const Interface& interface, const Work<Column>& work,
                                const Cloud<Real>& cloud, int levels) const {
        using namespace constants;
        Real loss = 0, h_above = 0, q_above = 0;
        for (int k = 0; k < levels; ++k) {
            const bool lowest = k + 1 == levels;
            const Real h_below = lowest ? Real(0) : Real(work.h_flux[k + 1]),
                       q_below = lowest ? Real(0) : Real(work.q_flux[k + 1]);
            const Real dh = h_below - h_above - fusion_heat * work.melted[k],
                       dq = q_below - q_above + work.water[k],
                       dT = (dh - evaporation_heat * dq) * (1 / dry_air_heat_capacity);
            const Real warming = dT / work.T[k] + virtual_factor * dq;  // m dT_v / T_v
            const auto inside = (interface[k + 1] <= cloud.base) & (interface[k] >= cloud.top);
            loss += select(inside, warming * gravity, 0);
            h_above = h_below, q_above = q_below;
        }
        return loss;
    }
};

}  // namespace fathom::physics
