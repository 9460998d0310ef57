#include "model/diagnostics.hpp"
#include "parallel/meeting.hpp"
#include "parallel/reduce.hpp"
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace fathom {

namespace {

double value(const Sequence& s, const Field& f, int b, int k, int j, int i) {     // j, i: of the block, from 0
    const int h = s.domain->halo;
    const std::ptrdiff_t n = (j + h) * f.row[b] + k * f.level[b] + i + h;
    return s.bytes == 4 ? double(((const float*)f.at[b])[n]) : ((const double*)f.at[b])[n];
}

/// f(block, k, j, i, global i, global j) for all wet values at a place; a point of a folded row that is the image of another counts once.
template <class F> void for_each_wet(const Sequence& s, const Field& f, F body) {
    const auto& d = *s.domain;
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int j = 0; j < d.blocks[b]->ny; ++j) for (int i = 0; i < d.blocks[b]->nx; ++i) {
            const int I = d.blocks[b]->i0 + i, J = d.blocks[b]->j0 + j;
            const auto source = d.decomposition.topology.source(f.place.horizontal, I, J);
            if (source.i != I || source.j != J) continue;
            const int wet = d.wet(f.place.horizontal, I, J);
            if (!wet) continue;
            const int levels = f.place.vertical == Vertical::column ? 1 : wet;
            for (int k = 0; k < levels; ++k) body(b, k, j, i, I, J);
        }
}

struct Weight {                                            ///< area x weight of the level; 1 where the domain has none
    const Sequence& s; std::span<const double> levels, area;
    const Field* eta = nullptr;
    Weight(const Sequence& s, const Field& f, bool moving) : s(s) {
        area = f.place.horizontal == Horizontal::corner ? s.domain->area_corner : s.domain->area_center;
        if (f.place.vertical != Vertical::column) levels = s.domain->level_weights;
        if (moving) eta = &s.field("sea_surface_height");
    }
    double operator()(int b, int k, int j, int i) const {
        const Block& block = *s.domain->blocks[b];
        const double a = area.empty() ? 1 : area[std::size_t(block.j0 + j) * s.domain->decomposition.topology.nx + block.i0 + i];
        return levels.empty() ? a : a * (levels[std::min<std::size_t>(k, levels.size() - 1)] + (eta && k == 0 ? value(s, *eta, b, 0, j, i) : 0));
    }
};

template <class Of> double sum_of(const Sequence& s, const Field& f, Of of) {
    std::vector<double> terms;
    for_each_wet(s, f, [&](int b, int k, int j, int i, int, int) { terms.push_back(of(b, k, j, i)); });
    return exact_sum(s.domain->comm, terms);
}

struct Ranked { double value; long place; };               // smallest place wins among equals: the same on any ranks
Ranked best(MPI_Comm comm, Ranked mine) {                  // of the largest value
    double largest;
    Meet meet(comm, sizeof mine);
    MPI_Allreduce(&mine.value, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
    long place = mine.value == largest ? mine.place : std::numeric_limits<long>::max(), first;
    MPI_Allreduce(&place, &first, 1, MPI_LONG, MPI_MIN, comm);
    return {largest, first};
}

}  // namespace

Extremes extremes(const Sequence& s, std::string_view name) {
    const Field& f = s.field(name);
    const auto& t = s.domain->decomposition.topology;
    constexpr double none = -std::numeric_limits<double>::infinity();
    Ranked low{none, -1}, high{none, -1}, bad{none, -1};
    auto place = [&](int I, int J, int k) { return (long(k) * t.ny + J) * t.nx + I; };
    auto where = [&](long n) { return n < 0 || n == std::numeric_limits<long>::max() ? Extremes::At{-1, -1, -1} : Extremes::At{int(n % t.nx), int(n / t.nx % t.ny), int(n / t.nx / t.ny)}; };
    for_each_wet(s, f, [&](int b, int k, int j, int i, int I, int J) {
        const double x = value(s, f, b, k, j, i);
        auto keep = [&](Ranked& r, double v) { if (v > r.value || (v == r.value && place(I, J, k) < r.place)) r = {v, place(I, J, k)}; };
        if (!std::isfinite(x)) keep(bad, 1);
        else keep(low, -x), keep(high, x);
    });
    low = best(s.domain->comm, low); high = best(s.domain->comm, high); bad = best(s.domain->comm, bad);
    Extremes e{-low.value, high.value, std::nan(""), where(low.place), where(high.place), !(bad.value > 0), where(bad.place)};
    if (e.finite) {
        const Weight weight(s, f, false);
        const double sum = sum_of(s, f, [&](int b, int k, int j, int i) { return weight(b, k, j, i) * value(s, f, b, k, j, i); });
        e.mean = sum / sum_of(s, f, [&](int b, int k, int j, int i) { return weight(b, k, j, i); });
    }
    return e;
}

double content(const Sequence& s, std::string_view name, bool moving) {
    const Field& f = s.field(name);
    const Weight weight(s, f, moving);
    return sum_of(s, f, [&](int b, int k, int j, int i) { return weight(b, k, j, i) * value(s, f, b, k, j, i); });
}
double volume(const Sequence& s, bool moving) {
    const Field& f = s.field("temperature");
    const Weight weight(s, f, moving);
    return sum_of(s, f, weight);
}

Motion motion(const Sequence& s, double step, std::string_view u_name, std::string_view v_name, std::string_view dx_name, std::string_view dy_name) {
    const Field &u = s.field(u_name), &v = s.field(v_name), *dx = dx_name.empty() ? nullptr : &s.field(dx_name), *dy = dy_name.empty() ? nullptr : &s.field(dy_name);
    const auto& t = s.domain->decomposition.topology;
    const Weight weight(s, u, false);
    Ranked fastest{-1, 0}, steepest{-1, 0};
    for_each_wet(s, u, [&](int b, int k, int j, int i, int I, int J) {
        const double x = value(s, u, b, k, j, i), y = value(s, v, b, k, j, i), speed = std::sqrt(x * x + y * y);
        const double courant = dx && dy ? step * (std::abs(x) / value(s, *dx, b, 0, j, i) + std::abs(y) / value(s, *dy, b, 0, j, i)) : 0;
        const long place = (long(k) * t.ny + J) * t.nx + I;
        auto keep = [&](Ranked& r, double v) { if (v > r.value || (v == r.value && place < r.place)) r = {v, place}; };
        keep(fastest, speed); keep(steepest, courant);
    });
    auto where = [&](long n) { return Extremes::At{int(n % t.nx), int(n / t.nx % t.ny), int(n / t.nx / t.ny)}; };
    fastest = best(s.domain->comm, fastest); steepest = best(s.domain->comm, steepest);
    const double energy = sum_of(s, u, [&](int b, int k, int j, int i) {
        const double x = value(s, u, b, k, j, i), y = value(s, v, b, k, j, i);
        return 0.5 * weight(b, k, j, i) * (x * x + y * y); });
    const double volume = sum_of(s, u, weight);
    return {volume > 0 ? energy / volume : 0, std::max(fastest.value, 0.), where(fastest.place), std::max(steepest.value, 0.), where(steepest.place)};
}

std::uint64_t checksum(const Sequence& s, std::span<const std::string> names) {
    std::uint64_t sum = 0, total = 0, salt = 0;
    for (auto& name : names) {
        const Field& f = s.field(name);
        salt += 0x632BE59BD9B4E019u;
        for_each_wet(s, f, [&](int b, int k, int j, int i, int I, int J) {
            std::uint64_t x = std::bit_cast<std::uint64_t>(value(s, f, b, k, j, i) + 0.0);   // + 0: no negative zero
            x ^= (std::uint64_t(k) << 48) + (std::uint64_t(J) << 24) + std::uint64_t(I) + salt;   // splitmix64
            x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u; x = (x ^ x >> 27) * 0x94D049BB133111EBu;
            sum += x ^ x >> 31;
        });
    }
    Meet meet(s.domain->comm, sizeof sum);
    MPI_Allreduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, s.domain->comm);
    return total;
}

}  // namespace fathom
