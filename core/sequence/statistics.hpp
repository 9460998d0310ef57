/// Running sums, minima and maxima in time: ordinary processes, so that a statistic costs nothing
/// unless the user requests it. Its field, and the field's place, are given when the sequence is
/// assembled (Process::on, Process::at).
#pragma once
#include "field/process.hpp"

namespace fathom {

enum class Statistic { sum, minimum, maximum };

/// Of all levels of a field of layers, or of the top one: all of a field without levels.
template <Statistic statistic, bool surface> struct InTime {
    static constexpr std::string_view summary =
        statistic == Statistic::sum       ? "running sum of a field, for time means"
        : statistic == Statistic::minimum ? "running minimum of a field"
                                          : "running maximum of a field";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "value", place::center_layer, "any"> value,
        Updates<Real, "statistic", surface ? place::center_column : place::center_layer, "any">
            so_far) const {
        for (int k = 0, end = surface ? 1 : so_far.levels(); k < end;
             ++k) {  // levels() are those of the water
            const Real now = value[k], before = so_far[k];
            if constexpr (statistic == Statistic::sum)
                so_far[k] = before + now;
            else if constexpr (statistic == Statistic::minimum)
                so_far[k] = smaller(now, before);
            else
                so_far[k] = larger(now, before);
        }
    }
};

/// A running sum of a field times a number that varies in time: its Fourier coefficients.
template <bool surface> struct WeightedInTime {
    static constexpr std::string_view summary =
        "running sum of a field times a number that varies in time, for harmonic analysis";
    template <class Real>
    constexpr void operator()(
        Reads<Real, "value", place::center_layer, "any"> value,
        ReadsProfile<Real, "weight_in_time", "1"> weight,
        Updates<Real, "statistic", surface ? place::center_column : place::center_layer, "any">
            so_far) const {
        for (int k = 0, end = surface ? 1 : so_far.levels(); k < end; ++k)
            so_far[k] = fma(weight[0], value[k], so_far[k]);
    }
};

}  // namespace fathom
