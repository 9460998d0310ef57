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
#include "field/process.hpp"
#include "physics/radiation/rrtmgp/fluxes.hpp"
#include "physics/radiation/rrtmgp/in_model.hpp"

namespace fathom::physics {

struct RRTMGP : rrtmgp::Settings {
    std::vector<std::shared_ptr<const void>> kept;  ///< what its lists belong to

    template <class Real>
    void operator()(rrtmgp::Air<Real> air, rrtmgp::GroundAndSun<Real> ground,
                    rrtmgp::Given<Real> to) const {
        compute(air, ground, to, [](const auto&, int) {});
    }

protected:
    /// force: what changes a column before its fluxes are computed.
    template <class Real>
    void compute(const rrtmgp::Air<Real>& air, const rrtmgp::GroundAndSun<Real>& ground,
                 const rrtmgp::Given<Real>& to, auto&& force) const {
        using T = typename Real::Number;
        const auto one = rrtmgp::InModel<T>::own(*this, air.temperature.levels());
        for (int lane = 0; lane < Real::width; ++lane) {
            one.take(*this, air, ground, lane);
            if (!one.site->there) continue;
            force(one, lane);
            rrtmgp::longwave<T>(thermal, one.in_thermal(*this), angles,
                                {one.up, one.down, one.reaches});
            one.give_longwave(to, lane);
            if (one.site->lit)
                rrtmgp::shortwave<T>(solar, one.in_solar(*this),
                                     {one.up, one.down, one.beam, one.reflected});
            one.give_shortwave(to, lane);
        }
    }
};

/// The same with gases and aerosols of the present time.
struct RRTMGPInTime : RRTMGP {
    template <class Real>
    void operator()(rrtmgp::Air<Real> air, rrtmgp::Changing<Real> gases, rrtmgp::Haze<Real> haze,
                    rrtmgp::GroundAndSun<Real> ground, rrtmgp::Given<Real> to) const {
        compute(air, ground, to,
                [&](const auto& one, int lane) { one.force(*this, air, gases, haze, lane); });
    }
};

}  // namespace fathom::physics
