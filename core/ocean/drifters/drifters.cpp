#include "ocean/drifters/drifters.hpp"
#include <algorithm>
#include <cmath>

namespace fathom::ocean {

Drifters::Drifters(double step, bool flat, bool own_cells)
    : GlobalProcess("Drift"),
      thickness(own_cells ? reads("cell_thickness", place::center_layer, "m", 1)
                          : reads("thickness", place::profile, "m")),
      step(step),
      flat(flat) {}

void Drifters::prepare(Given at) {
    domain = at.set.layout->domain;
    if (domain->halo < 2) throw Error("drifters need a halo of 2 columns; it is ", domain->halo);
}

Drifters::At Drifters::cell_of(const Drifter& p) const {
    for (int b = 0; b < int(domain->blocks.size()); ++b) {
        const Block& block = *domain->blocks[b];
        const int row = p.j - block.j0, column = p.i - block.i0;
        if (row >= 0 && row < block.ny && column >= 0 && column < block.nx)
            return {b, row + domain->halo, column + domain->halo};
    }
    return {-1, 0, 0};
}

double Drifters::value(const Given& at, Item item, const At& p, int di, int dj, int k) const {
    const Field& f = at[item];
    const std::ptrdiff_t n = f.place == place::profile ? k
                                                       : (p.row + dj) * f.row[p.block] +
                                                             k * f.level[p.block] + p.column + di;
    return at.set.bytes() == 4 ? ((const float*)f.at[p.block])[n]
                               : ((const double*)f.at[p.block])[n];
}

/// The rate at a displacement of at most a cell from the start, and at a time within the step.
Drifters::Rate Drifters::rate(const Given& fields, const At& at, const Drifter& start,
                              const Rate& gone, double time) const {
    const double x = start.a + gone.a, y = start.b + gone.b, level = start.level + gone.level;
    const int di = int(std::floor(x)), dj = int(std::floor(y)), i = start.i + di, j = start.j + dj,
              bottom = wet(i, j);
    const double a = x - di, b = y - dj;
    const int k = std::clamp(int(std::floor(level)), 0, std::max(bottom - 1, 0));
    double across = 0, along = 0;
    for (int n = 0; n < 4; ++n) {
        const int ci = di - (n % 2 == 0),
                  cj = dj - (n < 2);  // corners, from that in the south-west
        if (domain->wet(Horizontal::corner, start.i + ci, start.j + cj) <= k) continue;
        const double weight = (n % 2 ? a : 1 - a) * (n < 2 ? 1 - b : b);
        auto now = [&](Item before, Item after) {
            return (1 - time) * value(fields, before, at, ci, cj, k) +
                   time * value(fields, after, at, ci, cj, k);
        };
        across += weight * now(u, u_after) / value(fields, dx, at, ci, cj, 0);
        along += weight * now(v, v_after) / value(fields, dy, at, ci, cj, 0);
    }
    if (flat || k >= bottom) return {across, along, 0};
    const double s = std::clamp(level - k, 0., 1.),
                 top = k == 0 ? 0 : value(fields, up, at, di, dj, k),
                 below = k + 1 == bottom ? 0 : value(fields, up, at, di, dj, k + 1);
    const double h = value(fields, thickness, at, di, dj, k) +
                     (k == 0 ? value(fields, height, at, di, dj, 0) : 0);
    return {across, along, -((1 - s) * top + s * below) / (value(fields, area, at, di, dj, 0) * h)};
}

Drifter Drifters::moved(const Given& fields, const Drifter& p) const {
    const At at = cell_of(p);
    auto part = [&](const Rate& r, double t) {
        auto cell = [&](double distance) {
            return std::clamp(distance, -1., 1.);
        };  // the halo's width; the model's limit is less
        return Rate{cell(r.a * t), cell(r.b * t), cell(r.level * t)};
    };
    const Rate one = rate(fields, at, p, {0, 0, 0}, 0),
               two = rate(fields, at, p, part(one, step / 2), 0.5),
               three = rate(fields, at, p, part(two, step / 2), 0.5),
               four = rate(fields, at, p, part(three, step), 1);
    auto mean = [](double a, double b, double c, double d) { return (a + 2 * (b + c) + d) / 6; };
    const Rate gone =
        part({mean(one.a, two.a, three.a, four.a), mean(one.b, two.b, three.b, four.b),
              mean(one.level, two.level, three.level, four.level)},
             step);
    Drifter q = p;
    // at a coast the displacement may be possible in only one of both directions
    for (const Rate& way :
         {gone, Rate{gone.a, 0, gone.level}, Rate{0, gone.b, gone.level}, Rate{0, 0, gone.level}}) {
        const double x = p.a + way.a, y = p.b + way.b, di = std::floor(x), dj = std::floor(y);
        q.i = p.i + int(di), q.j = p.j + int(dj), q.a = x - di, q.b = y - dj;
        const int bottom = wet(q.i, q.j);
        q.level = std::clamp(p.level + way.level, 0., std::max(0., bottom * (1 - 1e-12)));
        if (bottom > 0 && (p.level + way.level < bottom || (q.i == p.i && q.j == p.j))) break;
    }
    return q;
}

void Drifters::apply(Given at) {
    const Topology& t = domain->decomposition.topology;
    const int count = int(own.size());
#pragma omp parallel for schedule(static)
    for (int n = 0; n < count; ++n) {
        Drifter q = moved(at, own[n]);
        const auto there = t.source(Horizontal::center, q.i, q.j);
        if (there.flipped) q.a = 1 - q.a, q.b = 1 - q.b;  // over the fold
        q.i = there.i, q.j = there.j;
        own[n] = q;
    }
    migrate();
}

void Drifters::put(std::span<const Drifter> given) {
    for (auto& p : given)
        if (cell_of(p).block >= 0) own.push_back(p);
    std::ranges::sort(own, {}, &Drifter::number);
}

/// Sends drifters to the ranks that own their cells.
void Drifters::migrate() {
    const Domain& d = *domain;
    int ranks;
    MPI_Comm_size(d.comm, &ranks);
    if (ranks == 1) return;
    std::vector<std::vector<Drifter>> leaving(ranks);
    std::vector<Drifter> staying;
    for (auto& p : own) {
        const int owner = d.decomposition.at(p.i, p.j)->owner;
        (owner == d.rank ? staying : leaving[owner]).push_back(p);
    }
    std::vector<int> out(ranks), in(ranks), out_at(ranks), in_at(ranks);
    std::vector<Drifter> sent, received;
    for (int r = 0; r < ranks; ++r) {
        out[r] = int(leaving[r].size() * sizeof(Drifter)),
        out_at[r] = int(sent.size() * sizeof(Drifter));
        sent.insert(sent.end(), leaving[r].begin(), leaving[r].end());
    }
    int any = !sent.empty();
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, d.comm);
    if (any) {
        MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, d.comm);
        int bytes = 0;
        for (int r = 0; r < ranks; ++r) in_at[r] = bytes, bytes += in[r];
        received.resize(bytes / sizeof(Drifter));
        MPI_Alltoallv(sent.data(), out.data(), out_at.data(), MPI_BYTE, received.data(), in.data(),
                      in_at.data(), MPI_BYTE, d.comm);
        own = std::move(staying);
        own.insert(own.end(), received.begin(), received.end());
        std::ranges::sort(own, {}, &Drifter::number);
    }
}

}  // namespace fathom::ocean
