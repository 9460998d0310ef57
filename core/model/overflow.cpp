#include "model/overflow.hpp"
#include "base/constants.hpp"
#include "parallel/reduce.hpp"
#include "physics/thermodynamics/mwjf.hpp"
#include <cmath>

namespace fathom {

OverflowTransports overflow_transports(const OverflowShape& s, double source_buoyancy, double entrainment_buoyancy) {
    if (!(source_buoyancy > 0)) return {0, 0, 0};
    const double f = std::abs(s.coriolis), source = source_buoyancy * s.thickness * s.thickness / (2 * f), h_s = 2. / 3 * s.thickness;
    if (!(entrainment_buoyancy > 0)) return {source, 0, source};
    const double U_s = source / (h_s * s.width), U_g = entrainment_buoyancy * s.slope / f;
    // h_g [W_s (h_s + h_g) + spread] = M_s / U_g (h_s + h_g)
    const double spread = 2 * s.drag * (U_s + U_g) * s.distance / f, area = source / U_g, b = s.width * h_s + spread - area;
    const double h_g = (-b + std::sqrt(b * b + 4 * s.width * area * h_s)) / (2 * s.width);
    const double share = std::max(0., 1 - std::pow(U_g / std::sqrt(entrainment_buoyancy * h_g), -2. / 3));
    const double product = source / (1 - share);
    return {source, product - source, product};
}

static double at(const Sequence& s, const Field& f, int b, int row, int column, int k) {
    const std::ptrdiff_t n = row * f.row[b] + k * f.level[b] + column;
    return s.bytes == 4 ? double(((const float*)f.at[b])[n]) : ((const double*)f.at[b])[n];
}
static void put(const Sequence& s, const Field& f, int b, int row, int column, double value) {
    const std::ptrdiff_t n = row * f.row[b] + column;
    if (s.bytes == 4) ((float*)f.at[b])[n] = float(value); else ((double*)f.at[b])[n] = value;
}
/// [kg m-3], less a function of pressure.
static double density(double temperature, double salinity, double pressure) {
    using One = Pack<double, 1>;
    return physics::MWJF::anomaly(physics::MWJF::Parcel<One>(physics::MWJF{}, One(temperature), One(salinity)), physics::MWJF::Level(pressure)).lanes;
}

Overflows::Overflows(Sequence& s, std::vector<Overflow> given, const std::vector<double>& thickness, const std::vector<std::string>& tracers)
    : transports(given.size()), sites(given.size(), -1), sequence(s), all(std::move(given)) {
    for (auto& o : all) {
        own.push_back({resolve(o.inflow, thickness), resolve(o.source, thickness), resolve(o.entrainment, thickness), resolve(o.from_source, thickness), resolve(o.from_entrainment, thickness), {}});
        for (auto& site : o.products) own.back().products.push_back(resolve(site.cells, thickness));
    }
    s.attach("OverflowTransport", [this] { settle(); });
    for (auto& name : tracers) s.attach("OverflowProduct of " + name, [this, name] { product(sequence.field(name), sequence.field(name + "_outlet")); });
}

Overflows::Set Overflows::resolve(const Cells& cells, const std::vector<double>& thickness) const {
    const Domain& d = *sequence.domain;
    const int nx = d.decomposition.topology.nx;
    auto volume = [&](const std::array<int, 3>& c) { return thickness[c[0]] * d.area_center[std::size_t(c[1]) * nx + c[2]]; };
    double all_volume = 0;
    for (auto& c : cells) all_volume += volume(c);
    Set set;
    for (auto& c : cells) for (int b = 0; b < int(d.blocks.size()); ++b) {
        const int j = c[1] - d.blocks[b]->j0, i = c[2] - d.blocks[b]->i0;
        if (j >= 0 && j < d.blocks[b]->ny && i >= 0 && i < d.blocks[b]->nx) set.push_back({b, j + d.halo, i + d.halo, c[0], volume(c) / all_volume});
    }
    return set;
}

double Overflows::mean(const Field& f, const Set& set) const {
    std::vector<double> terms;
    for (auto& c : set) terms.push_back(c.share * at(sequence, f, c.b, c.row, c.column, c.k));
    return exact_sum(sequence.domain->comm, terms);
}

void Overflows::settle() {
    const Field &T = sequence.field("temperature"), &S = sequence.field("salinity"), &level = sequence.field("outlet_level"), &volume = sequence.field("outlet_volume");
    auto spread = [&](const Set& set, double Q) {
        for (auto& c : set) put(sequence, level, c.b, c.row, c.column, c.k), put(sequence, volume, c.b, c.row, c.column, Q * c.share);
    };
    for (std::size_t n = 0; n < all.size(); ++n) {
        const Overflow& o = all[n];
        const Resolved& r = own[n];
        auto of = [&](const Set& set, double pressure) { return density(mean(T, set), mean(S, set), pressure); };
        auto buoyancy = [&](double heavier) { return constants::gravity / constants::sea_water_density * heavier; };
        const double T_s = mean(T, r.source), S_s = mean(S, r.source);
        const auto m = transports[n] = overflow_transports(o.shape, buoyancy(density(T_s, S_s, o.sill_pressure) - of(r.inflow, o.sill_pressure)),
                                                          buoyancy(density(T_s, S_s, o.break_pressure) - of(r.entrainment, o.break_pressure)));
        spread(r.from_source, -m.source);
        spread(r.from_entrainment, -m.entrainment);
        for (auto& site : r.products) spread(site, 0);
        sites[n] = -1;
        if (!(m.product > 0)) continue;
        const double share = m.entrainment / m.product, T_p = (1 - share) * mean(T, r.from_source) + share * mean(T, r.from_entrainment),
                     S_p = (1 - share) * mean(S, r.from_source) + share * mean(S, r.from_entrainment);
        for (int site = int(r.products.size()); site-- > 0 && sites[n] < 0;)
            if (site == 0 || density(T_p, S_p, o.products[site].pressure) > of(r.products[site], o.products[site].pressure)) sites[n] = site;
        spread(r.products[sites[n]], m.product);
    }
}

void Overflows::product(const Field& tracer, const Field& outlet) {
    for (std::size_t n = 0; n < all.size(); ++n) {
        const auto& m = transports[n];
        if (sites[n] < 0) continue;
        const double content = (m.source * mean(tracer, own[n].from_source) + m.entrainment * mean(tracer, own[n].from_entrainment)) / m.product;
        for (auto& c : own[n].products[sites[n]]) put(sequence, outlet, c.b, c.row, c.column, content);
    }
}

}  // namespace fathom
