#include "solver/helmholtz/there.hpp"
#include <cmath>
#include <limits>
#include "machine/region.hpp"
#include "parallel/meeting.hpp"
#include "parallel/sums/reduce.hpp"
#include "solver/helmholtz/coarser.hpp"
#include "transform/fourier/lists.hpp"

namespace fathom {

struct HelmholtzThere::Next {
    HelmholtzRows rows;
    Domain domain;
    HelmholtzThere solver;
    Next(const HelmholtzThere& fine, HelmholtzRows between)
        : rows(std::move(between)),
          domain(drawn_together(fine.domain, rows)),
          solver(fine.device, domain, fine.options, fine.bytes, fine.bytes, fine.grid + 1) {
        fine.on->join(*solver.on, rows.rows, rows.row_of);
    }
};

/// Own modes whole; pieces travel between ranks.
struct HelmholtzThere::Modes {
    const SeparableRanks ranks;
    std::unique_ptr<SeparableOnDevice> on;
    std::optional<PiecesThere> pieces;

    explicit Modes(const HelmholtzThere& of) : ranks(of.domain), on(made(of)) {
        if (ranks.ranks > 1)
            pieces.emplace(of.device, of.domain.comm, ranks.own_side, ranks.whole_side, 1, of.bytes,
                           of.domain.exchange);
    }
    void renew(const SeparableModes& modes) { on->renew(modes, ranks.first_mode[ranks.rank]); }
    void solve(const std::byte* r, std::byte* z) {
        on->project(r);
        travel(true);
        on->planes();
        travel(false);
        on->compose(z);
    }

private:
    void travel(bool to_planes) {
        if (!pieces) return;
        static const Region here("transposition", "", "exchange");
        Within within(here);
        pieces->travel(on->own(), on->whole(), to_planes);
    }
    std::unique_ptr<SeparableOnDevice> made(const HelmholtzThere& of) const {
        const Topology& t = of.domain.decomposition.topology;
        check_separable(t);
        const Fourier<double> fourier(t.nx);
        FourierLists<double> lists;
        lists.add(fourier);
        const std::vector<double> along = separable_waves(t.nx);
        const auto modes = list_modes();
        const auto order = list_points(of.domain.decomposition);
        return of.on->separable({t.nx, t.ny, ranks.own_modes(), t.periodic_j, ranks.ranks == 1,
                                 fourier.packs(), modes, order, lists.plans[0], lists.passes,
                                 lists.twiddles, lists.places, lists.turns, along});
    }
    /// A piece: [own column][mode of the rank].
    std::vector<SeparablePoints::Mode> list_modes() const {
        std::vector<SeparablePoints::Mode> modes;
        for (int r = 0; r < ranks.ranks; ++r)
            for (int m = 0; m < ranks.modes_of(r); ++m)
                modes.push_back({ranks.own_side[r] + m, ranks.modes_of(r)});
        return modes;
    }
    std::vector<int> list_points(const Decomposition& d) const {
        std::vector<int> order(std::size_t(d.topology.nx) * d.topology.ny);
        int point = 0;
        for (int r = 0; r < ranks.ranks; ++r)
            for (auto* b : d.of(r))
                for (int j = b->j0; j < b->j0 + b->ny; ++j)
                    for (int i = b->i0; i < b->i0 + b->nx; ++i)
                        order[std::size_t(j) * d.topology.nx + i] = point++;
        return order;
    }
};

HelmholtzThere::HelmholtzThere(std::shared_ptr<Device> given, const Domain& d, HelmholtzOptions o,
                               int bytes, int bytes_of_fields)
    : HelmholtzThere(std::move(given), d, std::move(o), bytes, bytes_of_fields, 0) {}

HelmholtzThere::HelmholtzThere(std::shared_ptr<Device> given, const Domain& d, HelmholtzOptions o,
                               int bytes, int bytes_of_fields, int grid)
    : device(std::move(given)),
      layout(d),
      domain(d),
      options(std::move(o)),
      bytes(bytes),
      grid(grid),
      first_vector(HelmholtzOnDevice::matrix),
      left(first_vector + (grid ? 0 : HelmholtzVectors::count(options))),
      right_side(left + 1),
      result(left + 2),
      on(made(bytes_of_fields)),
      halo(d.comm, d.decomposition, 1, bytes,
           std::vector<Exchange::Item>{{Horizontal::center, false, 1, d.levels}}, d.exchange),
      mover(device->make<Mover>(halo.points())) {}
HelmholtzThere::~HelmholtzThere() = default;

std::unique_ptr<HelmholtzOnDevice> HelmholtzThere::made(int bytes_of_fields) const {
    const int arrays = grid                                           ? result + 1
                       : with("separable-lines") || with("multigrid") ? left + 1
                                                                      : left;
    HelmholtzPoints points{bytes,  bytes_of_fields, domain.halo,   layout.levels,
                           arrays, layout.numbers,  layout.blocks, largest_of_all()};
    const HelmholtzMeans means(domain.decomposition.topology, layout.levels);
    std::vector<std::vector<HelmholtzPoints::Column>> taken(means.rows);
    for (int b = 0; b < int(layout.blocks.size()); ++b) {
        const HelmholtzBlock& block = layout.blocks[b];
        for (int row = 0; row < block.ny; ++row) {
            for (int i = 0; i < block.nx; ++i) points.columns.push_back({b, row, i});
            for (int i = means.first_column(block.i0); i < block.nx; i += means.every)
                taken[block.j0 + row].push_back({b, row, i});
        }
    }
    for (auto& row : taken) {
        points.taken.insert(points.taken.end(), row.begin(), row.end());
        points.first_taken.push_back(int(points.taken.size()));
    }
    return device->make<HelmholtzOnDevice>(points);
}

LargestOfAll HelmholtzThere::largest_of_all() const {
    if (domain.decomposition.ranks == 1) return {};
    return [comm = domain.comm](std::span<double> largest) {
        Meet meet(comm, double(largest.size_bytes()));
        for (double& x : largest)  // NaN has no place in the order of MPI_MAX
            if (!std::isfinite(x)) x = std::numeric_limits<double>::infinity();
        MPI_Allreduce(MPI_IN_PLACE, largest.data(), int(largest.size()), MPI_DOUBLE, MPI_MAX, comm);
    };
}

std::vector<double> HelmholtzThere::values(std::span<const RankSum> found) const {
    std::vector<ExactSum> sums;
    for (auto& [largest, limbs] : found) {
        sums.emplace_back(SumUnit::for_largest(std::isfinite(largest) ? largest : 1));
        sums.back().add(limbs);
    }
    allreduce(domain.comm, sums);
    std::vector<double> values;
    for (auto& sum : sums) values.push_back(sum.value());
    return values;
}

SeparableColumns HelmholtzThere::mean_columns() {
    const HelmholtzMeans means(domain.decomposition.topology, layout.levels);
    const auto sums = values(on->means(means));
    return means.columns_of([&](int n) { return sums[n]; });
}

void HelmholtzThere::ready() {
    on->factorise();
    if (with("lines")) return;
    const SeparableColumns mean = mean_columns();
    if (with("multigrid")) return coarsen(mean.east, mean.north);
    const SeparableModes modes(mean, domain.decomposition.topology.periodic_j);
    if (!separable) separable = std::make_unique<Modes>(*this);
    separable->renew(modes);
}

void HelmholtzThere::fill_halo(int array) {
    static const Region here("halo of the Helmholtz solver", "", "exchange");
    Within within(here);
    const FieldSlab slab = layout.slab(on->at(array), bytes);
    halo.start({&slab, 1}, mover.get());
    halo.finish({&slab, 1});
}
void HelmholtzThere::apply(int x, int y) { fill_halo(x), on->multiply(x, y); }
void HelmholtzThere::remainder(int x, int r, int y) { fill_halo(x), on->subtract(x, r, y); }

void HelmholtzThere::precondition(int from, int to) {
    const int r = array(from), z = array(to);
    if (with("multigrid")) return cycle(r, z);
    if (!separable) return on->lines(r, z, z, false);
    separable->solve(on->at(r), on->at(z));
    if (with("separable")) return;
    remainder(z, r, left);
    on->lines(left, left, z, true);
}

std::vector<double> HelmholtzThere::dots(std::span<const Pair> pairs) {
    std::vector<Pair> arrays;
    for (auto [one, other] : pairs) arrays.push_back({array(one), array(other)});
    static const Region here("sums of the Helmholtz solver", "", "sum");
    Within within(here);
    return values(on->dots(arrays));
}

HelmholtzFound HelmholtzThere::solve(const FieldSlab& given, const FieldSlab& to, double measure) {
    on->load(given, array(residual));
    on->clear(array(solution));
    const HelmholtzFound found = search(*this, options, measure);
    on->store(array(solution), to);
    return found;
}

/// As in multigrid.cpp.
void HelmholtzThere::coarsen(std::vector<double> east, std::vector<double> north) {
    if (!has_coarser(domain.decomposition.topology.nx, grid)) return;
    if (!next) next = std::make_unique<Next>(*this, HelmholtzRows(east, north));
    using On = HelmholtzOnDevice;
    for (int given : {On::up, On::centre, On::down, On::east, On::north, On::per_area})
        fill_halo(given);
    on->coarsen();
    for (int of_faces : {On::east, On::north}) next->solver.fill_halo(of_faces);
    next->solver.on->factorise();
    next->rows.coarsen(east, north);
    next->solver.coarsen(std::move(east), std::move(north));
}

void HelmholtzThere::cycle(int r, int z) {
    const auto sweep = [&](int of, bool add) {
        on->lines(of, left, left, false);
        on->sweep(left, z, add);
    };
    const auto again = [&] { remainder(z, r, left), sweep(left, true); };
    sweep(r, false);
    if (!next) {
        for (int n = 1; n < coarsest_sweeps; ++n) again();
        return;
    }
    HelmholtzThere& to = next->solver;
    remainder(z, r, left), fill_halo(left);
    on->restrict_to(left, to.right_side);
    to.cycle(to.right_side, to.result);
    to.fill_halo(to.result);
    on->prolong(to.result, z);
    again();
}

}  // namespace fathom
