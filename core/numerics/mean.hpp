/// Running sums for time means: a process like any other, so that a mean costs nothing unless somebody asks for it. Which field, and
/// where it is, is said when the sequence is assembled (Process::on, Process::at).
#pragma once
#include "field/process.hpp"

namespace fathom::numerics {

struct TimeSum {
    static constexpr std::string_view summary = "running sum of a field of layers, for time means";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads  ("value", place::center_layer, "1"),
        updates("sum",   place::center_layer, "1")};
    template <class Real> void operator()(In<Real> value, InOut<Real> sum) const {
        for (int k = 0; k < sum.levels(); ++k) sum[k] += value[k];
    }
};

struct SurfaceTimeSum {
    static constexpr std::string_view summary = "running sum of the top layer of a field, or of a field without levels, for time means";
    static constexpr std::tuple parameters{};
    static constexpr std::array fields{
        reads  ("value", place::center_layer,  "1"),
        updates("sum",   place::center_column, "1")};
    template <class Real> void operator()(In<Real> value, InOut<Real> sum) const { sum[0] += value[0]; }
};

}  // namespace fathom::numerics
