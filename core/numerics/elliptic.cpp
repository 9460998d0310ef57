#include "numerics/elliptic.hpp"
#include "base/error.hpp"
#include <algorithm>
#include <cmath>
#include <sys/mman.h>

namespace fathom {

EllipticOperator::EllipticOperator(MPI_Comm comm, const Decomposition& d, int halo, const EllipticFields& fields, int solver_vectors) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    blocks = d.of(rank);
    scale = vectors + std::max(solver_vectors, 5);         // five hold the fields while the operator is made
    arrays = scale + 1;
    lay_out();
    assemble(comm, d, halo, fields);
    cut();
}

void EllipticOperator::lay_out() {
    std::size_t size = 0;
    std::vector<std::size_t> begin;
    for (auto* b : blocks) {
        const std::ptrdiff_t lines = (lead + b->nx + 1 + 7) / 8;
        columns_of.push_back((lines | 1) * 8);             // an odd number of cache lines: no set of the cache is used more than others
        begin.push_back(size);
        size += columns_of.back() * arrays * (b->ny + 2);
    }
    constexpr std::size_t page = 1 << 21, spare = 2 * lead;        // loads reach one column beyond an array at both ends
    const std::size_t bytes = ((size + 2 * spare) * sizeof(double) + page - 1) / page * page;
    memory.reset((double*)std::aligned_alloc(page, bytes));
    madvise(memory.get(), bytes, MADV_HUGEPAGE);           // some 14 streams at once: fewer translations
    for (std::size_t n = 0; n < blocks.size(); ++n) {
        first_row.push_back(std::ptrdiff_t(rows.size()));
        const std::ptrdiff_t record = columns_of[n] * arrays;
        for (int j = -1; j <= blocks[n]->ny; ++j)
            rows.push_back({int(n), j, blocks[n]->nx, memory.get() + spare + begin[n] + (j + 1) * record, columns_of[n], record, nullptr, nullptr, j >= 0 && j < blocks[n]->ny});
    }
    std::fill_n(memory.get(), spare, 0);
    std::fill_n(memory.get() + spare + size, spare, 0);
    #pragma omp parallel for schedule(static)              // by threads that will use it
    for (std::size_t n = 0; n < rows.size(); ++n) std::fill_n(rows[n].at, rows[n].record, 0);
}

FieldSlab EllipticOperator::slab(int array) const {
    FieldSlab s{{}, {}, {}, 1};
    for (std::size_t n = 0; n < blocks.size(); ++n) {
        s.at.push_back((std::byte*)(rows[first_row[n]].at + array * columns_of[n] + lead - 1));
        s.row.push_back(columns_of[n] * arrays);
        s.level.push_back(columns_of[n]);
    }
    return s;
}

void EllipticOperator::assemble(MPI_Comm comm, const Decomposition& d, int halo, const EllipticFields& f) {
    enum { wet = vectors, area, depth, dx, dy };
    const FieldSlab* given[] = {&f.wet, &f.area, &f.depth, &f.dx, &f.dy};
    for (const Row& row : rows) if (row.own)
        for (int n = 0; n < 5; ++n) {
            const std::ptrdiff_t from = (row.j + halo) * given[n]->row[row.block] + halo;
            double* to = row.at + (wet + n) * row.columns + lead;
            for (int i = 0; i < row.nx; ++i) to[i] = f.bytes == 4 ? ((const float*)given[n]->at[row.block])[from + i] : ((const double*)given[n]->at[row.block])[from + i];
        }
    auto fill = [&](std::vector<Exchange::Item> items, std::vector<FieldSlab> slabs) {
        Exchange exchange(comm, d, 1, 8, std::move(items));
        exchange.start(slabs);
        exchange.finish(slabs);
    };
    constexpr auto center = Horizontal::center, corner = Horizontal::corner;
    fill({{center, false, 1, 1}, {center, false, 1, 1}, {corner, false, 1, 1}, {corner, false, 1, 1}, {corner, false, 1, 1}},
         {slab(wet), slab(area), slab(depth), slab(dx), slab(dy)});

    // a + b and a - b of corners (-1,-1) to (nx-1,ny-1), in place of depth and width
    constexpr int sum = depth, difference = dx;
    const Topology& t = d.topology;
    for (const Row& row : rows) {
        const Block& b = *blocks[row.block];
        if (row.j == b.ny) continue;
        for (int i = -1; i < row.nx; ++i) {
            double* at = row.at + lead + i;
            const double H = at[depth * row.columns], x = at[dx * row.columns], y = at[dy * row.columns];
            auto water = [&](int east, int north) { return at[wet * row.columns + east + north * row.record] != 0; };
            const auto s = t.source(corner, b.i0 + i, b.j0 + row.j);
            const bool pole = t.fold && s.j == t.ny - 1 && (s.i == t.nx / 2 - 1 || s.i == t.nx - 1);   // its own mirror image: no flow
            const bool flow = water(0, 0) && water(1, 0) && water(0, 1) && water(1, 1) && !pole && H != 0;
            const double A = flow ? 0.25 * H * y / x : 0, B = flow ? 0.25 * H * x / y : 0;
            if (!std::isfinite(A + B) || A < 0 || B < 0) throw Error("free surface: depth ", H, " m, widths ", x, " m and ", y, " m at the corner north-east of i = ", s.i, ", j = ", s.j);
            at[sum * row.columns] = A + B;
            at[difference * row.columns] = A - B;
        }
    }
    for (const Row& row : rows) if (row.own)
        for (int i = 0; i < row.nx; ++i) {
            const double* at = row.at + lead + i;
            if (at[wet * row.columns] == 0) continue;
            const double* c = at + sum * row.columns;
            const double diagonal = f.mass * at[area * row.columns] + ((c[-1 - row.record] + c[-row.record]) + (c[-1] + c[0]));
            if (!(diagonal > 0) || !std::isfinite(diagonal))
                throw Error("free surface: area ", at[area * row.columns], " m2, mass ", f.mass, " at i = ", blocks[row.block]->i0 + i, ", j = ", blocks[row.block]->j0 + row.j);
            row.at[scale * row.columns + lead + i] = 1 / std::sqrt(diagonal);
            ++wet_points;
        }
    fill({{center, false, 1, 1}}, {slab(scale)});

    for (const Row& row : rows) {
        if (row.j == blocks[row.block]->ny) continue;
        for (int i = -1; i < row.nx; ++i) {
            double* at = row.at + lead + i;
            const double *d = at + scale * row.columns, *c = at + sum * row.columns, *e = at + difference * row.columns;
            if (row.own) at[east * row.columns] = -(e[0] + e[-row.record]) * (d[0] * d[1]);
            if (i >= 0) at[north * row.columns] = (e[0] + e[-1]) * (d[0] * d[row.record]);
            at[northeast * row.columns] = -c[0] * (d[0] * d[1 + row.record]);
            at[northwest * row.columns] = -c[0] * (d[1] * d[row.record]);
        }
    }
    for (const Row& row : rows) std::fill_n(row.at + vectors * row.columns, (scale - vectors) * row.columns, 0);
}

/// Packs with water; the eastern halo column counts where it shares a pack with own columns.
void EllipticOperator::cut() {
    std::vector<std::pair<std::size_t, std::size_t>> range;
    for (const Row& row : rows) {
        const std::size_t first = segments.size();
        for (int c = lead; c < lead + row.nx; c += 8) {
            const double* d = row.at + scale * row.columns + c;
            if (std::all_of(d, d + std::min(8, lead + row.nx + 1 - c), [](double x) { return x == 0; })) continue;
            if (segments.size() > first && segments.back().end == c) segments.back().end += 8;
            else segments.push_back({c, c + 8});
            packs += row.own;
        }
        range.emplace_back(first, segments.size());
    }
    for (std::size_t n = 0; n < rows.size(); ++n) rows[n].first = segments.data() + range[n].first, rows[n].last = segments.data() + range[n].second;
}

}  // namespace fathom
