/// The profile `sun` of a sequence that has Sunlight (physics/radiation/sun.hpp): direction of the
/// sun and inverse square of its distance at the start of each step, and its direction half a
/// `period` later, for radiation that is used for that long.
#pragma once
#include "physics/radiation/sun.hpp"
#include "sequence/step_program.hpp"

namespace fathom::atmosphere {

/// days: of the start of the run, since 2000-01-01 12:00. fixed_season: the sun of the start's day
/// on every day.
inline void follow_sun(StepProgram& sequence, double step, double days, double period,
                       bool fixed_season) {
    sequence.before_step("sun", 7, [=](std::span<double> sun, long steps) {
        const auto at = [&](double later) {
            const double now = days + later / 86400;
            return fixed_season ? physics::sun_at(now - std::floor(later / 86400))
                                : physics::sun_at(now);
        };
        const auto now = at(double(steps) * step), ahead = at(double(steps) * step + 0.5 * period);
        sun[0] = now.x;
        sun[1] = now.y;
        sun[2] = now.z;
        sun[3] = 1 / (now.distance * now.distance);
        sun[4] = ahead.x;
        sun[5] = ahead.y;
        sun[6] = ahead.z;
    });
}

}  // namespace fathom::atmosphere
