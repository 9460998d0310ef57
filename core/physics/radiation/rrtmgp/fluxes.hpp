/// From a column to its fluxes: gases, then clouds and aerosols, then the transfer.
#pragma once
#include <vector>
#include "physics/radiation/rrtmgp/aerosols.hpp"
#include "physics/radiation/rrtmgp/clouds.hpp"
#include "physics/radiation/rrtmgp/ecckd.hpp"
#include "physics/radiation/rrtmgp/gas_optics.hpp"
#include "physics/radiation/rrtmgp/longwave.hpp"
#include "physics/radiation/rrtmgp/shortwave.hpp"

namespace fathom::physics::rrtmgp {

/// Of the gases alone.
template <class T> void add_gases(const KDistribution& k, const Column<T>& c, Work<T>& work) {
    if (k.by_gas())
        EcCKD<T>(k, c, work)();
    else
        GasOptics<T>(k, c, work)();
}

/// Adds clouds and aerosol to the gases; returns which layers have them.
template <class T>
const std::uint8_t* add_particles(const KDistribution& k, const Column<T>& c, Work<T>& work,
                                  bool scaled, bool scatters) {
    static thread_local std::vector<std::uint8_t> touched;
    touched.assign(std::size_t(c.layers), 0);
    if (c.cover) Clouds<T>(k, c, work).add(scaled, scatters, touched.data());
    if (c.aerosol) Aerosols<T>(k, c, work).add(scaled, scatters, touched.data());
    return touched.data();
}

/// angles: 1 to 4 without scattering, 0 for two streams.
template <class T>
void longwave(const KDistribution& k, const Column<T>& c, int angles, const LongwaveFluxes<T>& to) {
    Work<T>& work = Work<T>::own();
    add_gases(k, c, work);
    if (angles == 0) {
        const std::size_t all = std::size_t(c.layers) * stride(k) + lanes;
        for (T* x : {work.scattering(all), work.asymmetry(all)}) std::fill(x, x + all, T(0));
    }
    add_particles(k, c, work, false, angles == 0);
    Longwave<T>(k, c, work)(angles, to);
}

/// Of a column that the sun reaches: zenith > 0.
template <class T>
void shortwave(const KDistribution& k, const Column<T>& c, const ShortwaveFluxes<T>& to) {
    Work<T>& work = Work<T>::own();
    add_gases(k, c, work);
    const auto* const cloudy = add_particles(k, c, work, true, true);
    Shortwave<T>(k, c, work)(cloudy, to);
}

/// Moles of dry air in a layer of thickness dp that holds `water` moles of water for each
/// [mol m-2].
template <class T> T dry_air(T dp, T water, double gravity) {
    return dp / (T(gravity) * (T(0.028964) + T(0.018016) * water));
}

}  // namespace fathom::physics::rrtmgp
