/// A pass of Chebyshev's iteration with the diagonal (fused.hpp), on a processor or a device.
#pragma once
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include "solver/preconditioner/spectrum.hpp"
#include "solver/search.hpp"

namespace fathom {

/// sweeps(list, unit) does this number of times two iterations, then returns r.r; note(iteration,
/// r.r). r.r is summed every twentieth iteration, towards the end every tenth.
template <class Sweeps, class Note>
End chebyshev_steps(Spectrum& spectrum, double rr, double goal, int& iterations, int maximum,
                    Sweeps sweeps, Note note) {
    ChebyshevFactors factors(spectrum);
    double alpha = 0;
    auto next = [&] {
        const auto [a, b] = factors.next();
        const double before = std::exchange(alpha, a);
        return FusedStep{a, before > 0 ? b * before / a : 0, before};
    };
    const double begun = rr;
    Progress progress(iterations);
    std::array<TwoSteps, most_sweeps> list;
    while (iterations < maximum) {
        const int count =
            std::min(until_sum(spectrum, rr, goal) > 10 ? most_sweeps : most_sweeps / 2,
                     (maximum - iterations + 1) / 2);
        for (int n = 0; n < count; ++n) list[n].step[0] = next(), list[n].step[1] = next();
        rr = sweeps(std::span<const TwoSteps>(list.data(), count), SumUnit::for_largest(256 * rr));
        iterations += 2 * count;
        if (!(rr <= 1e8 * begun))
            return std::isfinite(rr) ? (widen(spectrum), End::many) : End::not_a_number;
        note(iterations, rr);
        if (rr <= goal) return End::small;
        if (progress.stuck(iterations, rr)) return End::many;
    }
    return End::many;
}

}  // namespace fathom
