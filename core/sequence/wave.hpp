/// A profile of a sequence that is a wave in time.
#pragma once
#include <cmath>
#include "sequence/step_program.hpp"

namespace fathom {

/// Amplitude and phase of a wave that follow an angle N = angle + rate t, as tides do the node of
/// the moon: f = c0 + c1 cos N + c2 cos 2N + ..., u = s1 sin N + s2 sin 2N + ...
struct Modulation {
    std::vector<double> cosines{1}, sines{};
    double angle = 0, rate = 0;  ///< [radians], [s-1]
};

/// Before each step [0] of the profile becomes f cos(frequency t + phase + u), t [s] the time since
/// the start of the run at the end of the step.
inline void follow_wave(StepProgram& sequence, std::string_view profile, double step,
                        double frequency, double phase, Modulation by) {
    sequence.before_step(profile, 1, [=, by = std::move(by)](std::span<double> value, long steps) {
        const double t = double(steps + 1) * step, N = by.angle + by.rate * t;
        double f = 0, u = 0;
        for (std::size_t n = 0; n < by.cosines.size(); ++n)
            f += by.cosines[n] * std::cos(double(n) * N);
        for (std::size_t n = 0; n < by.sines.size(); ++n)
            u += by.sines[n] * std::sin(double(n + 1) * N);
        value[0] = f * std::cos(frequency * t + phase + u);
    });
}

}  // namespace fathom
