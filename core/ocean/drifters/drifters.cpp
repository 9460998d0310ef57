#include "ocean/drifters/drifters.hpp"
#include <algorithm>
#include "machine/device.hpp"

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
    there = nullptr;
    for (auto [place, levels] :
         {std::pair(Horizontal::center, &wet), std::pair(Horizontal::corner, &wet_corners)}) {
        levels->assign(domain->blocks.size(), {});
        for (int b = 0; b < int(levels->size()); ++b)
            for (int r = 0; r < domain->rows_of(b); ++r)
                for (int c = 0; c < domain->columns_of(b); ++c)
                    (*levels)[b].push_back(domain->wet(place,
                                                       domain->blocks[b]->i0 + c - domain->halo,
                                                       domain->blocks[b]->j0 + r - domain->halo));
    }
}

int Drifters::block_of(const Drifter& p) const {
    for (int b = 0; b < int(domain->blocks.size()); ++b) {
        const Block& block = *domain->blocks[b];
        const int row = p.j - block.j0, column = p.i - block.i0;
        if (row >= 0 && row < block.ny && column >= 0 && column < block.nx) return b;
    }
    return -1;
}

/// find(item): the field, where its numbers are needed.
template <class Find> std::vector<DriftBlock> Drifters::blocks(Find find) const {
    std::vector<DriftBlock> all;
    for (int b = 0; b < int(domain->blocks.size()); ++b) {
        const Block& block = *domain->blocks[b];
        const auto values = [&](Item item) {
            const Field& f = find(item);
            return DriftBlock::Values{f.at[b], f.row[b], f.place == place::profile ? 0 : 1,
                                      f.level[b]};
        };
        all.push_back({block.i0, block.j0, domain->halo, domain->rows_of(b), domain->columns_of(b),
                       wet[b].data(), wet_corners[b].data(), values(u), values(v), values(u_after),
                       values(v_after), values(up), values(dx), values(dy), values(area),
                       values(height), values(thickness)});
    }
    return all;
}

template <class Number> void Drifters::move(std::span<const DriftBlock> blocks) {
    const Drift<Number> drift{step, flat};
    const int count = int(own.size());
#pragma omp parallel for schedule(static)
    for (int n = 0; n < count; ++n) own[n] = drift.moved(blocks[block_of(own[n])], own[n]);
}

void Drifters::apply(Given at) {
    const auto here = blocks([&](Item item) -> const Field& { return at[item]; });
    at.set.bytes() == 4 ? move<float>(here) : move<double>(here);
    settle();
}

bool Drifters::apply_on(Device& on, Given at) {
    const auto given = blocks([&](Item item) { return at.on_device(item); });
    if (!there || device.get() != &on) {
        device = on.shared_from_this();
        there = on.make<DriftersOnDevice>(std::span<const DriftBlock>(given), step, flat);
    }
    std::vector<int> block_of_each;
    for (auto& p : own) block_of_each.push_back(block_of(p));
    there->move(own, block_of_each, given, at.set.bytes());
    settle();
    return true;
}

/// Over the fold, around the world, and to the ranks that own their cells.
void Drifters::settle() {
    for (Drifter& p : own) {
        const auto there = domain->decomposition.topology.source(Horizontal::center, p.i, p.j);
        if (there.flipped) p.a = 1 - p.a, p.b = 1 - p.b;  // over the fold
        p.i = there.i, p.j = there.j;
    }
    migrate();
}

void Drifters::put(std::span<const Drifter> given) {
    for (auto& p : given)
        if (block_of(p) >= 0) own.push_back(p);
    std::ranges::sort(own, {}, &Drifter::number);
}

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
