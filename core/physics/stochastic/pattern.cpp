#include "physics/stochastic/pattern.hpp"
#include <cmath>
#include "base/error.hpp"
#include "physics/stochastic/philox.hpp"

namespace fathom::stochastic {

/// The place of wave (n, m) in an array of all of them.
static constexpr std::size_t place_of(int n, int m) { return std::size_t(n) * (n + 1) / 2 + m; }

RandomPattern::RandomPattern(std::string name, const std::vector<std::string>& fields,
                             const std::string& units, std::vector<Scale> given, std::uint64_t seed,
                             double radius, double step)
    : GlobalProcess(std::move(name)),
      scales(std::move(given)),
      seed(seed),
      radius(radius),
      step(step),
      latitude(reads("latitude", place::center_column, "rad")),
      longitude(reads("longitude", place::center_column, "rad")) {
    if (fields.empty() || fields.size() > 2) throw Error(this->name, ": one field, or a wind");
    for (auto& field : fields) made.push_back(writes(field, place::center_column, units));
    for (auto& scale : scales) truncation = std::max(truncation, int(scale.deviation.size()) - 1);
    const std::size_t all = place_of(truncation + 1, 0);
    forward.resize(all), backward.resize(all), slope.resize(all);
    for (int n = 1; n <= truncation; ++n)
        for (int m = 0; m < n; ++m) {
            const double N = n, M = m, both = (N - M) * (N + M);
            forward[place_of(n, m)] = std::sqrt((2 * N - 1) * (2 * N + 1) / both);
            backward[place_of(n, m)] =
                n - m < 2
                    ? 0
                    : std::sqrt((2 * N + 1) * (N + M - 1) * (N - M - 1) / (both * (2 * N - 3)));
            slope[place_of(n, m)] = std::sqrt(both * (2 * N + 1) / (2 * N - 1));
        }
}

/// The next step of all waves; the first one has the distribution of all others.
void RandomPattern::draw(State& of, long now) const {
    const Key key{std::uint32_t(seed) ^ std::uint32_t(seed >> 32), member};
    for (std::uint32_t s = 0; s < scales.size(); ++s) {
        const Scale& scale = scales[s];
        const double kept = now ? std::exp(-step / scale.time) : 0,
                     fresh = std::sqrt(1 - kept * kept);
        auto& x = of.waves[s];
        for (int n = 0; n < int(scale.deviation.size()); ++n)
            for (int m = 0; m <= n; ++m) {
                const std::size_t at = 2 * place_of(n, m);
                const auto [c, d] = normal({std::uint32_t(now), std::uint32_t(now >> 32), s,
                                            std::uint32_t(place_of(n, m))},
                                           key);
                x[at] = kept * x[at] + fresh * (scale.deviation[n] * c);
                x[at + 1] = m ? kept * x[at + 1] + fresh * (scale.deviation[n] * d) : 0;
            }
    }
    of.step = now;
}

std::vector<double> RandomPattern::waves(long now) {
    State& of = states[member];
    const std::size_t all = 2 * place_of(truncation + 1, 0);
    if (of.step < 0 || of.step > now)
        of = {-1, std::vector<std::vector<double>>(scales.size(), std::vector<double>(all))};
    while (of.step < now) draw(of, of.step + 1);
    std::vector<double> sum(all);
    for (auto& one : of.waves)
        for (std::size_t n = 0; n < all; ++n) sum[n] += one[n];
    return sum;
}

/// Sums over n on a parallel; P_nm by recursion in n (Holmes & Featherstone 2002).
void RandomPattern::take_row(Row& row, const std::vector<double>& waves, double phi) const {
    const double t = std::sin(phi), cosine = std::cos(phi);
    const std::size_t size = truncation + 1;
    row.even.assign(size, 0), row.odd.assign(size, 0);
    row.even_slope.assign(size, 0), row.odd_slope.assign(size, 0);
    double diagonal = 1;  // P_mm
    for (int m = 0; m <= truncation; ++m) {
        if (m) diagonal *= cosine * std::sqrt(m == 1 ? 3. : (2. * m + 1) / (2. * m));
        double before = 0, P = diagonal;
        for (int n = m; n <= truncation; ++n) {
            if (n > m) {
                const double next =
                    forward[place_of(n, m)] * t * P - backward[place_of(n, m)] * before;
                before = P, P = next;
            }
            // cos lat dP_nm / dlat
            const double change = (n > m ? slope[place_of(n, m)] * before : 0) - n * t * P;
            const double c = waves[2 * place_of(n, m)], s = waves[2 * place_of(n, m) + 1];
            row.even[m] += c * P, row.odd[m] += s * P;
            row.even_slope[m] += c * change, row.odd_slope[m] += s * change;
        }
    }
}

template <class T> void RandomPattern::fill(Given at, const std::vector<double>& waves) const {
    const Domain& d = at.set.domain();
    const Field &lat = at[latitude], &lon = at[longitude];
    const bool wind = made.size() == 2;
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        const Block& block = *d.blocks[b];
#pragma omp parallel for schedule(static)
        for (int j = 0; j < block.ny; ++j) {
            Row row;
            double known = NAN;
            for (int i = 0; i < block.nx; ++i) {
                const auto n = [&](const Field& f) {
                    return std::size_t(j + d.halo) * f.row[b] + i + d.halo;
                };
                const double phi = ((const T*)lat.at[b])[n(lat)],
                             lambda = ((const T*)lon.at[b])[n(lon)];
                if (phi != known) take_row(row, waves, phi), known = phi;
                const double c1 = std::cos(lambda), s1 = std::sin(lambda);
                double c = 1, s = 0, value = 0, north = 0, east = 0;
                for (int m = 0; m <= truncation; ++m) {
                    value += row.even[m] * c + row.odd[m] * s;
                    north += row.even_slope[m] * c + row.odd_slope[m] * s;
                    east += m * (row.odd[m] * c - row.even[m] * s);
                    const double next = c * c1 - s * s1;
                    s = s * c1 + c * s1, c = next;
                }
                const double over = 1 / (radius * std::max(std::cos(phi), 1e-9));
                const Field& first = at[made[0]];
                ((T*)first.at[b])[n(first)] = T(wind ? -north * over : value);
                if (wind) {
                    const Field& second = at[made[1]];
                    ((T*)second.at[b])[n(second)] = T(east * over);
                }
            }
        }
    }
}

void RandomPattern::apply(Given at) {
    const auto now = waves(at.set.count);
    at.set.bytes() == 4 ? fill<float>(at, now) : fill<double>(at, now);
}

}  // namespace fathom::stochastic
