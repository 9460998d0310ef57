#include "ocean/overflow/overflow.hpp"
#include <cmath>
#include <limits>
#include <map>
#include "base/constants.hpp"
#include "machine/device.hpp"
#include "machine/region.hpp"
#include "parallel/meeting.hpp"

namespace fathom::ocean {

OverflowTransports overflow_transports(const OverflowShape& s, double source_buoyancy,
                                       double entrainment_buoyancy) {
    if (!(source_buoyancy > 0)) return {0, 0, 0};
    const double f = std::abs(s.coriolis),
                 source = source_buoyancy * s.thickness * s.thickness / (2 * f),
                 h_s = 2. / 3 * s.thickness;
    if (!(entrainment_buoyancy > 0)) return {source, 0, source};
    const double U_s = source / (h_s * s.width), U_g = entrainment_buoyancy * s.slope / f;
    // h_g [W_s (h_s + h_g) + spread] = M_s / U_g (h_s + h_g)
    const double spread = 2 * s.drag * (U_s + U_g) * s.distance / f, area = source / U_g,
                 b = s.width * h_s + spread - area;
    const double h_g = (-b + std::sqrt(b * b + 4 * s.width * area * h_s)) / (2 * s.width);
    const double share =
        std::max(0., 1 - std::pow(U_g / std::sqrt(entrainment_buoyancy * h_g), -2. / 3));
    const double product = source / (1 - share);
    return {source, product - source, product};
}

static std::byte* place(const Field& f, int bytes, int b, int row, int column, int k) {
    return f.at[b] + (row * f.row[b] + k * f.level[b] + column) * bytes;
}

Overflows::Overflows(std::vector<Overflow> given, std::vector<double> thickness,
                     const std::vector<std::pair<std::string, std::string>>& names, Density density)
    : GlobalProcess("Overflows"),
      transports(given.size()),
      sites(given.size(), -1),
      all(std::move(given)),
      thickness(std::move(thickness)),
      density(std::move(density)) {
    for (auto& [name, units] : names)
        tracers.push_back({reads(name, place::center_layer, units),
                           writes(name + "_outlet", place::center_column, units)});
}

void Overflows::prepare(Given at) {
    const Domain& d = at.set.domain();
    first.clear(), sets.clear();
    for (auto& o : all) {
        first.push_back(int(sets.size()));
        for (auto* cells :
             {&o.inflow, &o.source, &o.entrainment, &o.from_source, &o.from_entrainment})
            sets.push_back(resolve(d, *cells));
        for (auto& site : o.products) sets.push_back(resolve(d, site.cells));
    }
    sums.resize(sets.size() * tracers.size());
    means.resize(sums.size());
    largest.resize(tracers.size());
}

/// Calls body(tracer, cell).
template <class Body> void Overflows::each_cell(Body body) const {
    for (auto& tracer : tracers)
        for (auto& set : sets)
            for (auto& c : set) body(tracer, c);
}

void Overflows::apply(Given at) {
    const int bytes = at.set.bytes();
    contents.clear(), written.clear();
    each_cell([&](const Tracer& t, const Own& c) {
        const auto* from = place(at[t.content], bytes, c.block, c.row, c.column, c.k);
        contents.push_back(bytes == 4 ? double(*(const float*)from) : *(const double*)from);
    });
    decide(at.set.domain().comm);
    for (auto& w : written) {
        auto* to = place(at[w.field], bytes, w.block, w.row, w.column, 0);
        bytes == 4 ? void(*(float*)to = float(w.value)) : void(*(double*)to = w.value);
    }
}

bool Overflows::apply_on(Device& device, Given at) {
    const int bytes = at.set.bytes();
    std::vector<const std::byte*> from;
    contents.clear(), written.clear();
    std::map<int, Field> there;
    const auto field = [&](Item item) -> const Field& {
        auto& f = there[item.number];
        if (f.at.empty()) f = at.on_device(item);
        return f;
    };
    each_cell([&](const Tracer& t, const Own& c) {
        from.push_back(place(field(t.content), bytes, c.block, c.row, c.column, c.k));
    });
    contents.resize(from.size());
    device.gather(from, bytes, contents.data());
    decide(at.set.domain().comm);
    std::map<std::byte*, double> last;
    for (auto& w : written)
        last[place(field(w.field), bytes, w.block, w.row, w.column, 0)] = w.value;
    std::vector<std::byte*> to;
    std::vector<double> values;
    for (auto& [where, value] : last) to.push_back(where), values.push_back(value);
    device.scatter(to, bytes, values.data());
    return true;
}

/// Computes the output fields from the contents.
void Overflows::decide(MPI_Comm comm) {
    average(comm);
    settle();
    for (std::size_t t = 0; t < tracers.size(); ++t) product(t);
}

Overflows::Set Overflows::resolve(const Domain& d, const Cells& cells) const {
    const int nx = d.decomposition.topology.nx;
    auto volume = [&](const std::array<int, 3>& c) {
        return thickness[c[0]] * d.area_center[std::size_t(c[1]) * nx + c[2]];
    };
    double all_volume = 0;
    for (auto& c : cells) all_volume += volume(c);
    Set set;
    for (auto& c : cells)
        for (int b = 0; b < int(d.blocks.size()); ++b) {
            const int j = c[1] - d.blocks[b]->j0, i = c[2] - d.blocks[b]->i0;
            if (j >= 0 && j < d.blocks[b]->ny && i >= 0 && i < d.blocks[b]->nx)
                set.push_back({b, j + d.halo, i + d.halo, c[0], volume(c) / all_volume});
        }
    return set;
}

/// The means of all tracers over all sets of cells, by one sum over the ranks: exact, in the unit
/// of the largest term of a tracer.
void Overflows::average(MPI_Comm comm) {
    static const Region here("means of overflows", "", "sum");
    Within within(here);
    const auto terms = [&](std::size_t t, auto body) {
        const double* content = contents.data() + t * (contents.size() / tracers.size());
        for (std::size_t n = 0; n < sets.size(); ++n)
            for (auto& c : sets[n]) body(n, c.share * *content++);
    };
    for (std::size_t t = 0; t < tracers.size(); ++t) {
        largest[t] = 0;
        terms(t, [&](std::size_t, double x) {
            largest[t] = std::abs(x) <= largest[t] ? largest[t]
                         : std::isfinite(x)        ? std::abs(x)
                                                   : std::numeric_limits<double>::infinity();
        });
    }
    {
        Meet meet(comm, double(largest.size() * sizeof(double)));
        MPI_Allreduce(MPI_IN_PLACE, largest.data(), int(largest.size()), MPI_DOUBLE, MPI_MAX, comm);
    }
    for (std::size_t t = 0; t < tracers.size(); ++t) {
        const SumUnit unit = SumUnit::for_largest(std::isfinite(largest[t]) ? largest[t] : 1);
        for (std::size_t n = 0; n < sets.size(); ++n) sums[t * sets.size() + n] = ExactSum(unit);
        if (std::isfinite(largest[t]))
            terms(t, [&](std::size_t n, double x) {
                ExactLanes lanes(unit);
                const double one[register_lanes] = {x};
                lanes.add(ExactLanes::Real::load(one));
                sums[t * sets.size() + n].add(lanes);
            });
    }
    allreduce(comm, sums);
    for (std::size_t m = 0; m < sums.size(); ++m)
        means[m] = std::isfinite(largest[m / sets.size()]) ? sums[m].value() : std::nan("");
}

void Overflows::settle() {
    const auto spread = [&](int set, double Q) {
        for (auto& c : sets[set]) {
            written.push_back({level, c.block, c.row, c.column, double(c.k)});
            written.push_back({volume, c.block, c.row, c.column, Q * c.share});
        }
    };
    const auto buoyancy = [](double heavier) {
        return constants::gravity / constants::sea_water_density * heavier;
    };
    for (std::size_t n = 0; n < all.size(); ++n) {
        const Overflow& o = all[n];
        const auto set = [&](int which) { return first[n] + which; };
        const auto T = [&](int which) { return mean(temperature, set(which)); };
        const auto S = [&](int which) { return mean(salinity, set(which)); };
        const auto heavier = [&](int which, double pressure) {
            return density(T(source), S(source), pressure) - density(T(which), S(which), pressure);
        };
        const auto m = transports[n] =
            overflow_transports(o.shape, buoyancy(heavier(inflow, o.sill_pressure)),
                                buoyancy(heavier(entrainment, o.break_pressure)));
        spread(set(from_source), -m.source);
        spread(set(from_entrainment), -m.entrainment);
        const int count = int(o.products.size());
        for (int site = 0; site < count; ++site) spread(set(product_sites + site), 0);
        sites[n] = -1;
        if (!(m.product > 0)) continue;
        const double share = m.entrainment / m.product,
                     T_p = (1 - share) * T(from_source) + share * T(from_entrainment),
                     S_p = (1 - share) * S(from_source) + share * S(from_entrainment);
        for (int site = count; site-- > 0 && sites[n] < 0;) {
            const double pressure = o.products[site].pressure;
            if (site == 0 ||
                density(T_p, S_p, pressure) >
                    density(T(product_sites + site), S(product_sites + site), pressure))
                sites[n] = site;
        }
        spread(set(product_sites + sites[n]), m.product);
    }
}

void Overflows::product(std::size_t tracer) {
    for (std::size_t n = 0; n < all.size(); ++n) {
        const auto& m = transports[n];
        if (sites[n] < 0) continue;
        const double content = (m.source * mean(tracer, first[n] + from_source) +
                                m.entrainment * mean(tracer, first[n] + from_entrainment)) /
                               m.product;
        for (auto& c : sets[first[n] + product_sites + sites[n]])
            written.push_back({tracers[tracer].outlet, c.block, c.row, c.column, content});
    }
}

}  // namespace fathom::ocean
