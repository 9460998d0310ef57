/// The profile `sun` of a sequence that has Sunlight (physics/radiation/sun.hpp): direction and flux of the sun at the start of each step, and
/// its direction half a `period` later, for radiation that stays as long.
#pragma once
#include "model/sequence.hpp"
#include "physics/radiation/sun.hpp"

namespace fathom {

/// days: of the start of the run, since 2000-01-01 12:00; solar_constant [W m-2] at 1 au.
inline void follow_sun(Sequence& sequence, double step, double days, double period, double solar_constant) {
    if (!(solar_constant >= 0)) throw Error("solar_constant = ", solar_constant, " W m-2 must be at least 0");
    sequence.before_step("sun", 7, [=](std::span<double> sun, long steps) {
        const double now = days + double(steps) * step / 86400;
        const auto at = physics::sun_at(now), ahead = physics::sun_at(now + 0.5 * period / 86400);
        sun[0] = at.x; sun[1] = at.y; sun[2] = at.z; sun[3] = solar_constant / (at.distance * at.distance);
        sun[4] = ahead.x; sun[5] = ahead.y; sun[6] = ahead.z;
    });
}

}  // namespace fathom
