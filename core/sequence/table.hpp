/// A profile of a sequence that follows a table in time: rows of values at given times. Between
/// times they are interpolated, or each row holds until the next. Before the first time the first
/// row holds, after the last time the last row.
#pragma once
#include <algorithm>
#include "sequence/step_program.hpp"

namespace fathom {

/// times [s] since the start of the run, ascending; rows: values at each, all of one length.
inline void follow_table(StepProgram& sequence, std::string_view profile, double step,
                         std::vector<double> times, std::vector<std::vector<double>> rows,
                         bool interpolated) {
    if (times.empty() || times.size() != rows.size())
        throw Error("the table of '", profile, "' has ", rows.size(), " rows for ", times.size(),
                    " times");
    for (std::size_t n = 1; n < times.size(); ++n)
        if (!(times[n] > times[n - 1]))
            throw Error("the times of '", profile, "' must ascend: ", times[n - 1], " s, then ",
                        times[n], " s");
    for (auto& row : rows)
        if (row.size() != rows[0].size())
            throw Error("the rows of '", profile, "' hold ", rows[0].size(), " and ", row.size(),
                        " values");
    const int count = int(rows[0].size());
    sequence.before_step(
        profile, count,
        [=, times = std::move(times), rows = std::move(rows)](std::span<double> value, long steps) {
            const double now = double(steps) * step;
            const auto next = std::size_t(std::upper_bound(times.begin(), times.end(), now) -
                                          times.begin()),
                       last = next ? next - 1 : 0;
            const double weight = interpolated && next && next < times.size()
                                      ? (now - times[last]) / (times[next] - times[last])
                                      : 0;
            for (std::size_t n = 0; n < value.size(); ++n)
                value[n] = weight ? rows[last][n] + weight * (rows[next][n] - rows[last][n])
                                  : rows[last][n];
        });
}

}  // namespace fathom
