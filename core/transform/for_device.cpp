/// The tables of transforms, for a device.
#include <algorithm>
#include "transform/fourier/lists.hpp"
#include "transform/on_device.hpp"
#include "transform/plane/bi_fourier.hpp"
#include "transform/sphere/spherical_harmonics.hpp"

namespace fathom {

/// The lists of RowTables; `fourier` may get more before they are used.
template <class Number> struct RowTransform<Number>::RowLists {
    std::vector<RowThere> rows;
    std::vector<EntryThere> entries;
    FourierLists<Number> fourier;
    std::size_t numbers = 0;

    explicit RowLists(const RowTransform& t) {
        const Distribution& d = t.distribution;
        std::map<int, int> plan;
        for (auto& [points, transform] : t.fourier)
            plan[points] = int(plan.size()), fourier.add(transform);
        for (std::size_t r = 0; r < d.own_rows.size(); ++r) {
            const int j = d.own_rows[r], points = t.rows.points[j];
            rows.push_back({points, d.waves[j], t.row_block[r], t.row_place[r], plan[points],
                            d.row_index[j], numbers, t.rows.weight[j] / points, t.rows.cosine[j]});
            numbers += t.fourier.at(points).packs();
        }
        for (std::size_t j = 0; j < t.rows.points.size(); ++j)
            entries.push_back({d.row_rank[j], d.row_index[j]});
    }
    RowTables<Number> tables(const RowTransform& t) const {
        const Distribution& d = t.distribution;
        return {d.ranks,
                t.rows.radius,
                std::size_t(d.wave_block.back()),
                std::size_t(d.row_block.back()),
                numbers,
                rows,
                entries,
                fourier.plans,
                fourier.passes,
                fourier.twiddles,
                fourier.places,
                fourier.turns,
                d.row_side,
                d.wave_side};
    }
};

template <class Number>
std::unique_ptr<TransformOnDevice> SphericalHarmonics<Number>::on(Device& device) const {
    const typename Base::RowLists of_rows(*this);
    // the functions of all degrees, whatever memory they need
    const Legendre<Number> all(grid, truncation() + 1, distribution.own_waves, std::size_t(-1));
    LegendreTables<Number> t{truncation(), all.padding()};
    std::vector<WaveThere> waves;
    std::vector<Number> couplings;
    for (std::size_t i = 0; i < distribution.own_waves.size(); ++i) {
        const int m = distribution.own_waves[i], degrees = (truncation() - m + 3) / 2 * 2;
        waves.push_back({m, degrees, distribution.first_row[m], wave_start[i], couplings.size(),
                         i * all.blocks(), t.degrees});
        couplings.insert(couplings.end(), epsilon[i].begin(), epsilon[i].end());
        t.degrees += degrees, t.most_degrees = std::max(t.most_degrees, degrees);
    }
    std::vector<StripThere> strips;
    for (const auto& s : all.all_strips()) strips.push_back({s.first, s.at});
    t.waves = waves, t.strips = strips, t.epsilon = couplings, t.functions = all.all_functions();
    return device.make<TransformOnDevice>(TransformTables<Number>{of_rows.tables(*this), t});
}

template <class Number>
std::unique_ptr<TransformOnDevice> BiFourier<Number>::on(Device& device) const {
    typename Base::RowLists of_rows(*this);
    std::vector<ColumnThere> waves;
    for (std::size_t i = 0; i < distribution.own_waves.size(); ++i) {
        const int m = distribution.own_waves[i];
        waves.push_back({m, plane.most_north(m), wave_start[i]});
    }
    const int plan = int(of_rows.fourier.plans.size());
    of_rows.fourier.add(along_y);
    return device.make<TransformOnDevice>(TransformTables<Number>{
        of_rows.tables(*this),
        ColumnTables<Number>{plan, along_y.packs(), plane.length_x, plane.length_y, waves}});
}

template std::unique_ptr<TransformOnDevice> SphericalHarmonics<float>::on(Device&) const;
template std::unique_ptr<TransformOnDevice> SphericalHarmonics<double>::on(Device&) const;
template std::unique_ptr<TransformOnDevice> BiFourier<float>::on(Device&) const;
template std::unique_ptr<TransformOnDevice> BiFourier<double>::on(Device&) const;

}  // namespace fathom
