/// RandomPattern: a smooth random field on the sphere, whose waves are AR(1) processes in time,
///
///   r = sum_n sum_m (c_nm cos m lon + s_nm sin m lon) P_nm(sin lat)
///   c(t + dt) = phi c(t) + (1 - phi^2)^1/2 sigma_n eta,   phi = exp(-dt / time)
///
/// one set of waves for each of several scales. P_nm are Legendre functions for which the squares
/// of all waves of n add up to 2 n + 1; so the variance of r is sum_n (2 n + 1) sigma_n^2
/// everywhere. eta are random numbers of (seed, member, step, scale, n, m) alone: no rank, no row
/// and no other member changes them, and a run that continues counts them again from the start.
///
/// As a streamfunction it gives a wind: u = -1/a dr/dlat, v = 1/(a cos lat) dr/dlon.
#pragma once
#include <cstdint>
#include <map>
#include <vector>
#include "field/global_process.hpp"

namespace fathom::stochastic {

struct Scale {
    double time;                    ///< [s] of its correlation
    std::vector<double> deviation;  ///< sigma_n, from n = 0 on
};

class RandomPattern final : public GlobalProcess {
public:
    /// fields: one name of r, or two of its wind [units]; radius [m] and step [s].
    RandomPattern(std::string name, const std::vector<std::string>& fields,
                  const std::string& units, std::vector<Scale>, std::uint64_t seed, double radius,
                  double step);
    void apply(Given) override;
    std::uint32_t member = 0;  ///< whose pattern it makes

    /// c_nm, s_nm of all scales after so many steps, in the order of n, then m.
    std::vector<double> waves(long step);

private:
    struct State {
        long step = -1;
        std::vector<std::vector<double>> waves;  // of each scale
    };
    struct Row {
        std::vector<double> even, odd, even_slope, odd_slope;  // by m: with cos, with sin; d / dlat
    };
    const std::vector<Scale> scales;
    const std::uint64_t seed;
    const double radius, step;
    int truncation = 0;
    std::vector<double> forward, backward, slope;  // of the recursion of P_nm
    std::map<std::uint32_t, State> states;         // by member
    std::vector<Item> made;
    Item latitude, longitude;

    void draw(State&, long step) const;
    void take_row(Row&, const std::vector<double>& waves, double latitude) const;
    template <class T> void fill(Given, const std::vector<double>& waves) const;
};

}  // namespace fathom::stochastic
