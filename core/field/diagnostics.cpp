#include "field/diagnostics.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <list>
#include "field/watch.hpp"
#include "parallel/meeting.hpp"
#include "parallel/sums/reduce.hpp"

namespace fathom {

namespace {

double value(const FieldSet& s, const Field& f, int b, int k, int j,
             int i) {  // j, i: within the block, from 0
    const int h = s.domain().halo;
    const std::ptrdiff_t n = (j + h) * f.row[b] + k * f.level[b] + i + h;
    return s.bytes() == 4 ? double(((const float*)f.at[b])[n]) : ((const double*)f.at[b])[n];
}

/// A row of a block: j within the block, global (i0, J) of its first point, and the number of
/// levels of each point that count: 0 on land and for the second image of a point at the fold.
struct Row {
    int b, j, i0, J, nx, deepest;
    const int* levels;
};

template <class F> void for_each_row(const FieldSet& s, const Field& f, F body) {
    const auto& d = s.domain();
    std::vector<int> levels;
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int j = 0; j < d.blocks[b]->ny; ++j) {
            const int nx = d.blocks[b]->nx, i0 = d.blocks[b]->i0, J = d.blocks[b]->j0 + j;
            levels.assign(nx, 0);
            for (int i = 0; i < nx; ++i) {
                const auto source = d.decomposition.topology.source(f.place.horizontal, i0 + i, J);
                if (source.i != i0 + i || source.j != J) continue;
                const int wet = d.wet(f.place.horizontal, i0 + i, J);
                levels[i] = f.place.vertical == Vertical::column ? std::min(wet, 1) : wet;
            }
            body(Row{b, j, i0, J, nx, *std::ranges::max_element(levels), levels.data()});
        }
}

/// Calls f(block, k, j, i, global i, global j) for all wet values at a place.
template <class F> void for_each_wet(const FieldSet& s, const Field& f, F body) {
    for_each_row(s, f, [&](const Row& r) {
        for (int k = 0; k < r.deepest; ++k)
            for (int i = 0; i < r.nx; ++i)
                if (k < r.levels[i]) body(r.b, k, r.j, i, r.i0 + i, r.J);
    });
}

/// Calls body(first point of each field) for a level of a row: pointers to the type of the fields.
template <class F, class... Fields>
void with_values(const FieldSet& s, const Row& r, int k, F body, const Fields&... f) {
    auto first = [&](const Field& x) {
        return (r.j + s.domain().halo) * x.row[r.b] +
               (x.place.vertical == Vertical::column ? 0 : k) * x.level[r.b] + s.domain().halo;
    };
    if (s.bytes() == 4)
        body((const float*)f.at[r.b] + first(f)...);
    else
        body((const double*)f.at[r.b] + first(f)...);
}

struct
    /// area x weight of the level, or the thickness of the cell; 1 where the domain has none
    Weight {
    const FieldSet& s;
    std::span<const double> levels, area;
    const Field *eta = nullptr, *cells = nullptr, *depth = nullptr, *bottom = nullptr;
    /// there: fields are only looked up by number; their values may be on a device.
    Weight(const FieldSet& s, const Field& f, bool moving, bool there = false) : s(s) {
        const auto field = [&](std::string_view name) {
            return there ? &s.fields()[s.layout->index(name)] : &s[name];
        };
        const bool corner = f.place.horizontal == Horizontal::corner;
        area = corner ? s.domain().area_corner : s.domain().area_center;
        if (f.place.vertical == Vertical::column) return;
        levels = s.domain().level_weights;
        if (moving) eta = field("sea_surface_height");
        if (const char* name = corner ? "corner_thickness" : "cell_thickness"; s.has(name))
            cells = field(name);
        if (cells &&
            cells->written) {  // layers follow the surface: the field is from the previous step
            cells = nullptr;
            if (!corner) depth = field("depth_center"), bottom = field("bottom_thickness");
        }
    }
    double operator()(int b, int k, int j, int i) const {
        const Block& block = *s.domain().blocks[b];
        const double a =
            area.empty() ? 1
                         : area[std::size_t(block.j0 + j) * s.domain().decomposition.topology.nx +
                                block.i0 + i];
        if (levels.empty()) return a;
        return a * thickness(b, k, j, i);
    }
    double thickness(int b, int k, int j, int i) const {
        const double layer = levels[std::min<std::size_t>(k, levels.size() - 1)];
        if (depth) {
            const double rest = s.domain().wet(Horizontal::center, s.domain().blocks[b]->i0 + i,
                                               s.domain().blocks[b]->j0 + j) == k + 1
                                    ? value(s, *bottom, b, 0, j, i)
                                    : layer;
            return eta ? rest * (1 + value(s, *eta, b, 0, j, i) / value(s, *depth, b, 0, j, i))
                       : rest;
        }
        return (cells ? value(s, *cells, b, k, j, i) : layer) +
               (eta && k == 0 ? value(s, *eta, b, 0, j, i) : 0);
    }
};

/// The wet columns of a place, in the form for a device.
WetColumns wet_columns(const FieldSet& s, const Field& f) {
    const Domain& d = s.domain();
    const Weight weight(s, f, false, true);
    WetColumns made{s.bytes(),
                    d.decomposition.topology.nx,
                    d.decomposition.topology.ny,
                    {},
                    {weight.levels.begin(), weight.levels.end()}};
    for_each_row(s, f, [&](const Row& r) {
        for (int i = 0; i < r.nx; ++i)
            if (r.levels[i]) {
                const double area =
                    weight.area.empty() ? 1 : weight.area[std::size_t(r.J) * made.nx + r.i0 + i];
                made.columns.push_back(
                    {r.b, r.j + d.halo, i + d.halo, r.levels[i], r.i0 + i, r.J, area});
            }
    });
    return made;
}

/// Diagnostics of a set whose fields are on a device, computed there.
class There {
public:
    There(const FieldSet& s, const Field& f, bool moving = false)
        : set(s), weight(s, f, moving, true) {
        auto& known = s.watch(f.place);
        if (!known) known = s.device()->make<Watch>(wet_columns(s, f));
        watch = known.get();
    }
    Watch* watch;
    /// A field on the device; null: none.
    const FieldSlab* operator()(const Field* f) {
        return f ? &slabs.emplace_back(set.on_device(int(f - set.fields().data()))) : nullptr;
    }
    const FieldSlab* cells() { return operator()(weight.cells); }
    Watch::Thickness thickness() {
        return {
            cells(), operator()(weight.eta), operator()(weight.depth), operator()(weight.bottom)};
    }
    double sum(const Field* f) {
        const FieldSlab* values = operator()(f);
        const auto t = thickness();
        return exact_sum(
            set.domain().comm, watch->largest(values, t),
            [&](double coarse, double fine) { return watch->limbs(values, t, coarse, fine); });
    }
    std::vector<double> column_sums(const Field* f) {
        const FieldSlab* values = operator()(f);
        return watch->column_sums(*values, thickness());
    }
    /// Mean of the last extremes or of the last motion.
    double mean(double of_nothing) const {
        const auto sum = [&](Watch::Terms which) {
            return exact_sum(
                set.domain().comm, watch->largest(which),
                [&](double coarse, double fine) { return watch->limbs(which, coarse, fine); });
        };
        const double volume = sum(Watch::weights);
        return volume > 0 ? sum(Watch::values) / volume : of_nothing;
    }

private:
    const FieldSet& set;
    Weight weight;
    std::list<FieldSlab> slabs;
};

/// Whether diagnostics of a field run on the device: only those at centres and corners do.
bool lives_there(const FieldSet& s, const Field& f) {
    return s.device() &&
           (f.place.horizontal == Horizontal::center || f.place.horizontal == Horizontal::corner);
}
const Field& named(const FieldSet& s, std::string_view name) {
    return s.fields()[s.layout->index(name)];
}

template <class Of> double sum_of(const FieldSet& s, const Field& f, Of of) {
    std::vector<double> terms;
    for_each_wet(s, f,
                 [&](int b, int k, int j, int i, int, int) { terms.push_back(of(b, k, j, i)); });
    return exact_sum(s.domain().comm, terms);
}

/// Means over a volume. The term of a column is the sum of weight of the level x value, from the
/// top down, times its area. Terms are summed exactly: the same bits on any number of ranks.
class Mean {
public:
    Mean(const FieldSet& s, const Field& f) : weight(s, f, false), comm(s.domain().comm) {}
    void begin(const Row& r) { sums.assign(r.nx, 0), depths.assign(r.nx, 0); }
    /// Thickness at the points of a level of a row: that of the layer, or of each cell.
    auto level(const Row& r, int k) const {
        const double layer =
            weight.levels.empty()
                ? 1
                : weight.levels[std::min<std::size_t>(k, weight.levels.size() - 1)];
        return [this, &r, k, layer](int i) {
            return weight.cells ? fathom::value(weight.s, *weight.cells, r.b, k, r.j, i) : layer;
        };
    }
    double* at_sums() { return sums.data(); }
    double* at_depths() { return depths.data(); }
    void end(const Row& r) {
        for (int i = 0; i < r.nx; ++i)
            if (r.levels[i]) {
                const double a =
                    weight.area.empty()
                        ? 1
                        : weight
                              .area[std::size_t(r.J) * weight.s.domain().decomposition.topology.nx +
                                    r.i0 + i];
                terms.push_back(a * sums[i]), volumes.push_back(a * depths[i]);
            }
    }
    double value(double of_nothing) const {
        const double volume = exact_sum(comm, volumes);
        return volume > 0 ? exact_sum(comm, terms) / volume : of_nothing;
    }

private:
    Weight weight;
    MPI_Comm comm;
    std::vector<double> sums, depths, terms, volumes;
};

/// Among equal values the one at the smallest place is taken: the same on any number of ranks.
struct Ranked {
    double value;
    long place;
    void keep(double x, long at) {
        if (x > value || (x == value && at < place)) value = x, place = at;
    }
};
Ranked best(MPI_Comm comm, Ranked mine) {  // of the largest value
    double largest;
    Meet meet(comm, sizeof mine);
    MPI_Allreduce(&mine.value, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
    long place = mine.value == largest ? mine.place : std::numeric_limits<long>::max(), first;
    MPI_Allreduce(&place, &first, 1, MPI_LONG, MPI_MIN, comm);
    return {largest, first};
}

}  // namespace

/// The largest of -value and of value among finite values; and the first that is not finite.
struct Found {
    Ranked low, high, bad;
};
constexpr double nothing = -std::numeric_limits<double>::infinity();

static Extremes described(const FieldSet& s, Found found, const auto& mean) {
    const auto& t = s.domain().decomposition.topology;
    auto where = [&](long n) {
        return n < 0 || n == std::numeric_limits<long>::max()
                   ? Extremes::At{-1, -1, -1}
                   : Extremes::At{int(n % t.nx), int(n / t.nx % t.ny), int(n / t.nx / t.ny)};
    };
    const MPI_Comm comm = s.domain().comm;
    const Ranked low = best(comm, found.low), high = best(comm, found.high),
                 bad = best(comm, found.bad);
    Extremes e{-low.value,        high.value,       std::nan(""),    where(low.place),
               where(high.place), !(bad.value > 0), where(bad.place)};
    if (e.finite) e.mean = mean(std::nan(""));
    return e;
}

static Extremes extremes_there(const FieldSet& s, const Field& f) {
    There there(s, f);
    const auto e = there.watch->extremes(*there(&f), there.cells());
    const Ranked bad = e.bad < 0 ? Ranked{nothing, -1} : Ranked{1, long(e.bad)};
    return described(s, {{e.low.value, long(e.low.place)}, {e.high.value, long(e.high.place)}, bad},
                     [&](double of_nothing) { return there.mean(of_nothing); });
}

Extremes extremes(const FieldSet& s, std::string_view name) {
    if (lives_there(s, named(s, name))) return extremes_there(s, named(s, name));
    const Field& f = s[name];
    const auto& t = s.domain().decomposition.topology;
    Ranked low{nothing, -1}, high{nothing, -1}, bad{nothing, -1};
    auto place = [&](int I, int J, int k) { return (long(k) * t.ny + J) * t.nx + I; };
    Mean mean(s, f);
    for_each_row(s, f, [&](const Row& r) {
        mean.begin(r);
        double *sums = mean.at_sums(), *depths = mean.at_depths();
        for (int k = 0; k < r.deepest; ++k)
            with_values(
                s, r, k,
                [&](auto* values) {
                    const auto weight_of = mean.level(r, k);
                    for (int i = 0; i < r.nx; ++i) {
                        const double wet = k < r.levels[i], weight = wet * weight_of(i);
                        sums[i] += wet > 0 ? weight * values[i] : 0, depths[i] += weight;
                    }
                    for (int i = 0; i < r.nx; ++i) {
                        const double x = values[i];
                        if (k >= r.levels[i] || (x > -low.value && x < high.value)) continue;
                        const long at = place(r.i0 + i, r.J, k);
                        if (!std::isfinite(x))
                            bad.keep(1, at);
                        else
                            low.keep(-x, at), high.keep(x, at);
                    }
                },
                f);
        mean.end(r);
    });
    return described(s, {low, high, bad},
                     [&](double of_nothing) { return mean.value(of_nothing); });
}

double content(const FieldSet& s, std::string_view name, bool moving) {
    if (const Field& f = named(s, name); lives_there(s, f)) return There(s, f, moving).sum(&f);
    const Field& f = s[name];
    const Weight weight(s, f, moving);
    return sum_of(s, f, [&](int b, int k, int j, int i) {
        return weight(b, k, j, i) * value(s, f, b, k, j, i);
    });
}
std::vector<std::vector<double>> column_contents(const FieldSet& s, std::string_view name) {
    std::vector<std::vector<double>> found;
    for (const auto& block : s.domain().blocks) found.emplace_back(block->ny * block->nx);
    if (const Field& f = named(s, name); lives_there(s, f)) {
        const int halo = s.domain().halo;
        auto sum = There(s, f, true).column_sums(&f);
        auto next = sum.begin();
        for (auto& c : wet_columns(s, f).columns)
            found[c.block][std::size_t(c.row - halo) * s.domain().blocks[c.block]->nx + c.column -
                           halo] = *next++;
        return found;
    }
    const Field& f = s[name];
    const Weight weight(s, f, true);
    const bool even = !weight.cells && !weight.depth;  // each layer has one thickness
    for_each_row(s, f, [&](const Row& r) {
        double* sums = found[r.b].data() + std::size_t(r.j) * r.nx;
        for (int k = 0; k < r.deepest; ++k)
            with_values(
                s, r, k,
                [&](auto* values) {
                    if (even && k > 0) {
                        const double layer = weight.levels[k];
                        for (int i = 0; i < r.nx; ++i)
                            sums[i] += k < r.levels[i] ? layer * values[i] : 0;
                    } else
                        for (int i = 0; i < r.nx; ++i)
                            if (k < r.levels[i])
                                sums[i] += weight.thickness(r.b, k, r.j, i) * values[i];
                },
                f);
    });
    return found;
}
double volume(const FieldSet& s, bool moving) {
    if (const Field& f = named(s, "temperature"); lives_there(s, f))
        return There(s, f, moving).sum(nullptr);
    const Field& f = s["temperature"];
    const Weight weight(s, f, moving);
    return sum_of(s, f, weight);
}

double product(const FieldSet& s, const FieldSet& x, std::string_view name) {
    const Field &f = s[name], &g = x[name];
    return sum_of(s, f, [&](int b, int k, int j, int i) {
        return value(s, f, b, k, j, i) * value(x, g, b, k, j, i);
    });
}

/// fastest: square of the speed.
static Motion described(const FieldSet& s, Ranked fastest, Ranked steepest, double mean_square) {
    const auto& t = s.domain().decomposition.topology;
    auto where = [&](long n) {
        return Extremes::At{int(n % t.nx), int(n / t.nx % t.ny), int(n / t.nx / t.ny)};
    };
    fastest.value = fastest.value > 0 ? std::sqrt(fastest.value) : fastest.value;
    fastest = best(s.domain().comm, fastest);
    steepest = best(s.domain().comm, steepest);
    return {0.5 * mean_square, std::max(fastest.value, 0.), where(fastest.place),
            std::max(steepest.value, 0.), where(steepest.place)};
}

static Motion motion_there(const FieldSet& s, double step, std::string_view u, std::string_view v,
                           std::string_view dx, std::string_view dy) {
    There there(s, named(s, u));
    const auto spacing = [&](std::string_view name) {
        return dx.empty() || dy.empty() ? nullptr : there(&named(s, name));
    };
    const auto m = there.watch->motion(*there(&named(s, u)), *there(&named(s, v)),
                                       {spacing(dx), spacing(dy)}, step, there.cells());
    const auto ranked = [](Watch::Peak p) {
        return p.place < 0 ? Ranked{-1, 0} : Ranked{p.value, long(p.place)};
    };
    return described(s, ranked(m.square), ranked(m.courant), there.mean(0));
}

Motion motion(const FieldSet& s, double step, std::string_view u_name, std::string_view v_name,
              std::string_view dx_name, std::string_view dy_name) {
    if (lives_there(s, named(s, u_name)))
        return motion_there(s, step, u_name, v_name, dx_name, dy_name);
    const Field &u = s[u_name], &v = s[v_name], *dx = dx_name.empty() ? nullptr : &s[dx_name],
                *dy = dy_name.empty() ? nullptr : &s[dy_name];
    const auto& t = s.domain().decomposition.topology;
    Ranked fastest{-1, 0}, steepest{-1, 0};
    Mean mean(s, u);
    const bool spaced = dx && dy;
    for_each_row(s, u, [&](const Row& r) {
        mean.begin(r);
        double *sums = mean.at_sums(), *depths = mean.at_depths();
        for (int k = 0; k < r.deepest; ++k)
            with_values(
                s, r, k,
                [&](auto* us, auto* vs, auto* dxs, auto* dys) {
                    const auto weight_of = mean.level(r, k);
                    for (int i = 0; i < r.nx; ++i)
                        if (k < r.levels[i]) {
                            const double x = us[i], y = vs[i], square = x * x + y * y,
                                         weight = weight_of(i);
                            const double courant = spaced ? step * (std::abs(x) / double(dxs[i]) +
                                                                    std::abs(y) / double(dys[i]))
                                                          : 0;
                            const long place = (long(k) * t.ny + r.J) * t.nx + r.i0 + i;
                            fastest.keep(square, place);
                            steepest.keep(courant, place);
                            sums[i] += weight * square, depths[i] += weight;
                        }
                },
                u, v, spaced ? *dx : u, spaced ? *dy : v);
        mean.end(r);
    });
    return described(s, fastest, steepest, mean.value(0));
}

std::uint64_t checksum(const FieldSet& s, std::span<const std::string> names) {
    std::uint64_t sum = 0, total = 0, salt = 0;
    for (auto& name : names) {
        salt += 0x632BE59BD9B4E019u;
        if (const Field& f = named(s, name); lives_there(s, f)) {
            There there(s, f);
            sum += there.watch->checksum(*there(&f), salt);
            continue;
        }
        const Field& f = s[name];
        for_each_wet(s, f, [&](int b, int k, int j, int i, int I, int J) {
            sum += hashed(value(s, f, b, k, j, i), k, J, I, salt);
        });
    }
    Meet meet(s.domain().comm, sizeof sum);
    MPI_Allreduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, s.domain().comm);
    return total;
}

}  // namespace fathom
