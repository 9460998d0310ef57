/// From a column to its fluxes: gases, then clouds and aerosols, then the transfer.
#pragma once
#include "physics/radiation/rrtmgp/aerosols.hpp"
#include "physics/radiation/rrtmgp/clouds.hpp"
#include "physics/radiation/rrtmgp/ecckd.hpp"
#include "physics/radiation/rrtmgp/gas_optics.hpp"
#include "physics/radiation/rrtmgp/longwave.hpp"
#include "physics/radiation/rrtmgp/shortwave.hpp"

namespace fathom::physics::rrtmgp {

/// Of the gases alone.
template <class T> void add_gases(const KDistribution& k, const Column<T>& c, const Work<T>& work) {
    const auto add = [](auto gases) { gases.locate(), gases.weigh(), gases.absorb(); };
    k.by_gas() ? add(EcCKD<T>(k, c, work)) : add(GasOptics<T>(k, c, work));
}

/// Adds clouds and aerosol to the gases.
template <class T>
void add_particles(const KDistribution& k, const Column<T>& c, const Work<T>& work, bool scaled,
                   bool scatters) {
    std::fill_n(work.touched, c.layers, 0);
    if (c.cover) {
        Clouds<T> clouds(k, c, work);
        clouds.locate(), clouds.add(scaled, scatters);
    }
    if (c.aerosol) Aerosols<T>(k, c, work).add(scaled, scatters);
}

/// angles: 1 to 4 without scattering, 0 for two streams.
template <class T>
void longwave(const KDistribution& k, const Column<T>& c, int angles, const LongwaveFluxes<T>& to) {
    const auto work = Work<T>::own(k, c.layers);
    add_gases(k, c, work);
    if (angles == 0)
        for (int lane = 0; lane < lanes; ++lane) work.clear_scattering(k, c.layers, lane);
    add_particles(k, c, work, false, angles == 0);
    const Longwave<T> transfer(k, c, work);
    transfer.locate(), transfer(angles, to.reaches), transfer.give(to);
}

/// Of a column that the sun reaches: zenith > 0.
template <class T>
void shortwave(const KDistribution& k, const Column<T>& c, const ShortwaveFluxes<T>& to) {
    const auto work = Work<T>::own(k, c.layers);
    add_gases(k, c, work);
    add_particles(k, c, work, true, true);
    const Shortwave<T> transfer(k, c, work);
    transfer(to.reflected), transfer.give(to);
}

/// Moles of dry air in a layer of thickness dp that holds `water` moles of water for each
/// [mol m-2].
template <class T> T dry_air(T dp, T water, double gravity) {
    return dp / (T(gravity) * (T(0.028964) + T(0.018016) * water));
}

}  // namespace fathom::physics::rrtmgp
