#include "semi_lagrangian/adjoint/scatter.hpp"
#include <omp.h>
#include <random>
#include "semi_lagrangian/adjoint/give_back.hpp"
#include "semi_lagrangian/adjoint/points_around_sphere.hpp"

namespace fathom {

namespace {
using T = double;
using Gathered = SphereAround<T>;

Decomposition one_rank(const GaussianGrid& grid, int levels) {
    const int rows = grid.rows(), longest = grid.longest();
    return arrange(Topology{longest, rows, true, false},
                   std::vector<int>(std::size_t(rows) * longest, levels), 1, {0, longest},
                   {0, rows}, {0}, 0);
}
}  // namespace

struct ScatterMeasured::Parts {
    Decomposition d;
    Gathered rows;
    GiveBack<Gathered> back;
    std::vector<T> places, values, fields;  // fields: [4][row][level][point]
    GiveBack<Gathered>::Ways ways;
    std::vector<FieldSlab> slabs;
    std::vector<std::size_t> first;  // point of each item
    std::vector<T> seen;             // by interpolation
    std::size_t points = 0, size;

    Parts(const GaussianGrid& grid, const std::vector<double>& eta, double columns, double rows_)
        : d(one_rank(grid, int(eta.size()))),
          rows(MPI_COMM_SELF, d, 0, grid, eta, 1, 1),
          back(MPI_COMM_SELF, d, rows) {
        for (auto& item : rows.items) place(grid, eta, item, columns, rows_);
        std::mt19937 random(1);
        std::uniform_real_distribution<T> uniform(-1, 1);
        values.resize(4 * points), seen.resize(4 * points);
        for (T& x : values) x = uniform(random);
        const int longest = grid.longest(), levels = int(eta.size());
        size = std::size_t(grid.rows()) * levels * longest;
        fields.resize(4 * size);
        for (int f = 0; f < 4; ++f)
            slabs.push_back({{(std::byte*)(fields.data() + f * size)},
                             {std::ptrdiff_t(levels) * longest},
                             {longest},
                             levels});
        back.find({{places.data()}, 3}, ways);
    }
    void place(const GaussianGrid& grid, const std::vector<double>& eta, const Gathered::Item& item,
               double columns, double rows_) {
        const double turn = 2 * std::numbers::pi, row = std::numbers::pi / grid.rows();
        const double latitude = std::asin(grid.sine[item.row]);
        const std::size_t at = places.size();
        places.resize(at + 3 * item.count);
        T *lon = &places[at], *lat = lon + item.count, *height = lat + item.count;
        for (int n = 0; n < item.count; ++n) {
            const double angle = turn * (item.column + n) / grid.points[item.row],
                         wave = std::sin(3 * angle + item.level);
            lon[n] = -columns * (1 + 0.5 * wave) * turn / grid.points[item.row];
            lat[n] = std::clamp(latitude + rows_ * row * wave, -1.57, 1.57);
            height[n] = std::clamp(eta[item.level] + 0.01 * wave, eta.front(), eta.back());
        }
        first.push_back(points), points += item.count;
    }
    template <class Add> void each_weight(Add add) const {
#pragma omp parallel for schedule(dynamic, 4)
        for (std::size_t n = 0; n < rows.items.size(); ++n) {
            const auto& item = rows.items[n];
            const T *lon = &places[3 * first[n]], *lat = lon + item.count, *eta = lat + item.count;
            for (int i = 0; i < item.count; ++i)
                spread({item.row, item.column + i, lon[i], lat[i], eta[i]},
                       &values[4 * (first[n] + i)], add);
        }
    }
    template <class Add> void spread(const Gathered::Trajectory& t, const T* value, Add add) const {
        const auto body = [&](int row, int k, auto cubic, auto linear, const auto& w,
                              const auto& x) {
            const int j = rows.row_across(row), n = rows.points[j], half = j == row ? 0 : n / 2,
                      level = std::clamp(k, 0, rows.levels - 1);
            for (int m = cubic ? 0 : 1; m < (cubic ? 4 : 3); ++m) {
                const T weight = (cubic ? w.a * x.x.cubic[m] : 0) +
                                 (linear && (m == 1 || m == 2) ? w.b * x.x.linear[m] : 0);
                const int i = (x.i - 1 + m + half + n) % n;
                for (int f = 0; f < 4; ++f)
                    add((T*)slabs[f].at[0] + j * slabs[f].row[0] + level * slabs[f].level[0] + i,
                        weight * (half && f < 2 ? -value[f] : value[f]));
            }
        };
        if (rows.full)
            rows.each_around<Interpolation::cubic, true, false>(t, body);
        else
            rows.each_around<Interpolation::cubic, false, false>(t, body);
    }
};

ScatterMeasured::ScatterMeasured(const GaussianGrid& grid, std::vector<double> eta, double columns,
                                 double rows)
    : parts(std::make_unique<Parts>(grid, eta, columns, rows)) {}
ScatterMeasured::~ScatterMeasured() = default;

void ScatterMeasured::by_bands() {
    Parts& p = *parts;
    std::ranges::fill(p.fields, 0);
    p.back.begin();
    p.back.give({{p.places.data()}, 3}, p.ways, p.values, Interpolation::cubic);
    p.back.finish(true, false, p.slabs);
}
void ScatterMeasured::point_by_point(bool atomic) {
    std::ranges::fill(parts->fields, 0);
    if (atomic)
        return parts->each_weight([](T* to, T x) {
#pragma omp atomic
            *to += x;
        });
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    parts->each_weight([](T* to, T x) { *to += x; });
    omp_set_num_threads(before);
}
void ScatterMeasured::interpolate() {
    Parts& p = *parts;
    p.rows.pack(p.slabs, false);
    p.rows.surround(true);
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t n = 0; n < p.rows.items.size(); ++n) {
        const auto& item = p.rows.items[n];
        alignas(64) T out[Gathered::tile * 4 + 64];
        const T *x = &p.places[3 * p.first[n]], *y = x + item.count;
        p.rows.gather(Interpolation::cubic, item, x, y, y + item.count, out);
        for (int f = 0; f < 4; ++f)
            for (int i = 0; i < item.count; ++i) p.seen[4 * (p.first[n] + i) + f] = out[4 * i + f];
    }
}
double ScatterMeasured::norm() const {
    double sum = 0;
    for (const T x : parts->fields) sum += x * x;
    return std::sqrt(sum);
}
std::size_t ScatterMeasured::points() const { return parts->points; }

}  // namespace fathom
