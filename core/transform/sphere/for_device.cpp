/// The tables of a transform on the sphere, for a device.
#include <algorithm>
#include "transform/fourier/lists.hpp"
#include "transform/on_device.hpp"
#include "transform/sphere/spherical_harmonics.hpp"

namespace fathom {

template <class Number> bool SphericalHarmonics<Number>::lives_on_device() const {
    return !distribution.square && std::ranges::all_of(rows.points, Fourier<Number>::simple);
}

template <class Number>
std::unique_ptr<TransformOnDevice> SphericalHarmonics<Number>::on(Device& device) const {
    FourierLists<Number> of_rows;
    std::map<int, int> plan;
    for (auto& [points, transform] : this->fourier)
        plan[points] = int(plan.size()), of_rows.add(transform);
    // the functions of all degrees, whatever memory they need
    const Legendre<Number> all(grid, truncation() + 1, distribution.own_waves, std::size_t(-1));

    TransformTables<Number> t{truncation(), all.padding(), distribution.ranks, rows.radius};
    std::vector<RowThere> list;
    for (std::size_t r = 0; r < distribution.own_rows.size(); ++r) {
        const int j = distribution.own_rows[r];
        const int points = rows.points[j];
        const Fourier<Number>& transform = this->fourier.at(points);
        list.push_back({points, distribution.waves[j], this->row_block[r], this->row_place[r],
                        plan[points], distribution.row_index[j], t.numbers, rows.weight[j] / points,
                        rows.cosine[j]});
        t.numbers += transform.packs();
    }
    std::vector<EntryThere> entries;
    for (std::size_t j = 0; j < rows.points.size(); ++j)
        entries.push_back({distribution.row_rank[j], distribution.row_index[j]});
    std::vector<WaveThere> waves;
    std::vector<Number> couplings;
    for (std::size_t i = 0; i < distribution.own_waves.size(); ++i) {
        const int m = distribution.own_waves[i], degrees = (truncation() - m + 3) / 2 * 2;
        waves.push_back({m, degrees, distribution.first_row[m], wave_start[i], couplings.size(),
                         i * all.blocks(), t.degrees});
        couplings.insert(couplings.end(), epsilon[i].begin(), epsilon[i].end());
        t.degrees += degrees;
    }
    std::vector<StripThere> strips;
    for (const auto& s : all.all_strips()) strips.push_back({s.first, s.at});

    t.of_waves = distribution.wave_block.back(), t.of_rows = distribution.row_block.back();
    t.rows = list, t.waves = waves, t.entries = entries;
    t.plans = of_rows.plans, t.passes = of_rows.passes;
    t.strips = strips, t.twiddles = of_rows.twiddles, t.epsilon = couplings;
    t.functions = all.all_functions(), t.places = of_rows.places, t.turns = of_rows.turns;
    t.row_side = distribution.row_side, t.wave_side = distribution.wave_side;
    return device.transform(t);
}

template bool SphericalHarmonics<float>::lives_on_device() const;
template bool SphericalHarmonics<double>::lives_on_device() const;
template std::unique_ptr<TransformOnDevice> SphericalHarmonics<float>::on(Device&) const;
template std::unique_ptr<TransformOnDevice> SphericalHarmonics<double>::on(Device&) const;

}  // namespace fathom
