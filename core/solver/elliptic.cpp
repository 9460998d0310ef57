#include "solver/elliptic.hpp"
#include <algorithm>
#include <cmath>
#include "base/error.hpp"

namespace fathom {

template <class Number>
EllipticOperator<Number>::EllipticOperator(MPI_Comm comm, const Decomposition& d, int halo,
                                           const EllipticFields& fields, int solver_vectors)
    requires std::same_as<Number, double>
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (auto* b : d.of(rank)) blocks.push_back(*b);
    arrange(d, rank);
    // five are used for the fields while the operator is made
    arrays = vectors + std::max(solver_vectors, 5);
    if (fields.turned != 0) skew = arrays++;
    if (!(fields.compactness >= 0 && fields.compactness < 1))
        throw Error("free surface: compactness = ", fields.compactness, " must lie in [0, 1)");
    compact = fields.compactness / (1 - fields.compactness);
    lay_out();
    assemble(comm, d, halo, fields);
    cut(*this);
}

template <class Number>
EllipticOperator<Number>::EllipticOperator(const EllipticOperator<double>& A, int solver_vectors)
    requires std::same_as<Number, float>
    : inner(A.inner),
      blocks(A.blocks),
      order(A.order),
      arrays(vectors + solver_vectors),
      exponent(A.exponent),
      compact(A.compact),
      wet_points(A.wet_points) {
    lay_out();
    const double size = std::ldexp(1.0, exponent), root = std::ldexp(1.0, exponent / 2);
    for (std::size_t n = 0; n < rows.size(); ++n)
        for (int c = 0; c < rows[n].up; ++c) {
            const auto& from = A.rows[n];
            const bool there = c < rows[n].nx + 2 * halo, wet = there && from.of(scale)[c] > 0;
            for (int a : {sum, difference})
                rows[n].of(a)[c] = there ? float(from.of(a)[c] / size) : 0;
            rows[n].of(scale)[c] = wet ? float(from.of(scale)[c] * root) : 0;
            rows[n].of(square)[c] = wet ? float(from.of(square)[c] * size) : 1;
        }
    cut(A);
}

template <class Number> void EllipticOperator<Number>::arrange(const Decomposition& d, int rank) {
    const auto outer =
        outer_blocks(halo_plan(d, Horizontal::center, halo, halo, rank), rank, blocks.size());
    for (bool which : {false, true})
        for (int b = 0; b < int(blocks.size()); ++b)
            if (outer[b] == which) {
                order.push_back(b);
                if (!outer[b]) inner += blocks[b].ny + 2 * halo;
            }
}

template <class Number> void EllipticOperator<Number>::lay_out() {
    // loads reach one pack beyond an array at both ends
    constexpr std::ptrdiff_t spare = 2 * line;
    std::vector<std::ptrdiff_t> offset;
    std::ptrdiff_t size = spare;
    first_row.resize(blocks.size());
    for (int b : order) {
        const int nx = blocks[b].nx, ny = blocks[b].ny;
        const std::ptrdiff_t up = (nx + 2 * halo + line - 1) / line * line,
                             array = up * (ny + 2 * halo);
        first_row[b] = rows.size();
        for (int j = -halo; j < ny + halo; ++j) {
            rows.push_back({b, j, nx, j < 0 ? -j : std::max(j - ny + 1, 0), nullptr, array, up,
                            Number(compact), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
            offset.push_back(size + (j + halo) * up);
        }
        size += array * arrays;
    }
    memory = Pages::large((size + spare) * sizeof(Number));  // many streams at once
    Number* const numbers = (Number*)memory.at;
#pragma omp parallel for schedule(static)  // by threads that will use it
    for (std::size_t n = 0; n < rows.size(); ++n) {
        rows[n].at = numbers + offset[n];
        for (int a = 0; a < arrays; ++a) std::fill_n(rows[n].of(a), rows[n].up, 0);
    }
    std::fill_n(numbers, spare, 0);
    std::fill_n(numbers + size, spare, 0);
    for (std::size_t n = 0; n < rows.size(); ++n)  // between arrays
        if (n + 1 == rows.size() || rows[n + 1].block != rows[n].block)
            for (int a = 0; a < arrays; ++a)
                std::fill(rows[n].of(a) + rows[n].up, rows[first_row[rows[n].block]].of(a + 1), 0);
}

template <class Number> FieldSlab EllipticOperator<Number>::slab(int array) const {
    FieldSlab s{{}, {}, {}, 1};
    for (auto n : first_row) {
        s.at.push_back((std::byte*)rows[n].of(array));
        s.row.push_back(rows[n].up);
        s.level.push_back(rows[n].array);
    }
    return s;
}

template <class Number>
void EllipticOperator<Number>::assemble(MPI_Comm comm, const Decomposition& d, int given_halo,
                                        const EllipticFields& f)
    requires std::same_as<Number, double>
{
    enum { wet = vectors, area, depth, dx, dy };
    std::vector<std::pair<const FieldSlab*, int>> given{
        {&f.wet, wet}, {&f.area, area}, {&f.depth, depth}, {&f.dx, dx}, {&f.dy, dy}};
    if (skew) given.push_back({&f.coriolis, skew});
    for (const Row& row : rows)
        if (row.ring == 0)
            for (auto [slab, array] : given) {
                const std::ptrdiff_t from =
                    (row.j + given_halo) * slab->row[row.block] + given_halo;
                double* to = row.of(array) + halo;
                for (int i = 0; i < row.nx; ++i)
                    to[i] = f.bytes == 4 ? ((const float*)slab->at[row.block])[from + i]
                                         : ((const double*)slab->at[row.block])[from + i];
            }
    auto fill = [&](Horizontal place, std::initializer_list<int> list) {
        std::vector<FieldSlab> slabs;
        for (int array : list) slabs.push_back(slab(array));
        Exchange exchange(comm, d, halo, 8,
                          std::vector<Exchange::Item>(list.size(), {place, false, halo, 1}));
        exchange.start(slabs);
        exchange.finish(slabs);
    };
    fill(Horizontal::center, {wet, area});
    fill(Horizontal::corner, {depth, dx, dy});
    if (skew) fill(Horizontal::corner, {skew});

    // all corners whose four cells are in the halo
    const Topology& t = d.topology;
    for (const Row& row : rows) {
        const Block& b = blocks[row.block];
        if (row.j == b.ny + halo - 1) continue;
        for (int i = 0; i < row.nx + 2 * halo - 1; ++i) {
            const double phi = skew ? row.of(skew)[i] * f.turned : 0,
                         H = row.of(depth)[i] / (1 + phi * phi), x = row.of(dx)[i],
                         y = row.of(dy)[i];
            auto water = [&](int east, int north) {
                return row.of(wet)[i + east + north * row.up] != 0;
            };
            const auto s = t.source(Horizontal::corner, b.i0 + i - halo, b.j0 + row.j);
            const bool pole =
                t.fold && s.j == t.ny - 1 &&
                (s.i == t.nx / 2 - 1 || s.i == t.nx - 1);  // its own mirror image: no flow
            const bool flow =
                water(0, 0) && water(1, 0) && water(0, 1) && water(1, 1) && !pole && H != 0;
            const double A = flow ? 0.25 * H * y / x : 0, B = flow ? 0.25 * H * x / y : 0;
            if (!std::isfinite(A + B) || A < 0 || B < 0)
                throw Error("free surface: depth ", H, " m, widths ", x, " m and ", y,
                            " m at the corner north-east of i = ", s.i, ", j = ", s.j);
            row.of(sum)[i] = (1 - f.compactness) * (A + B);
            row.of(difference)[i] = A - B;
            if (skew) row.of(skew)[i] = flow ? 0.5 * H * phi : 0;
        }
    }
    double largest = 0;
    for (const Row& row : rows)
        if (row.ring == 0)
            for (int i = halo; i < row.nx + halo; ++i) {
                if (row.of(wet)[i] == 0) continue;
                const double *c = row.of(sum) + i,
                             diagonal = f.mass * row.of(area)[i] +
                                        (1 + 2 * compact) *
                                            ((c[-1 - row.up] + c[-row.up]) + (c[-1] + c[0]));
                if (!(diagonal > 0) || !std::isfinite(diagonal))
                    throw Error("free surface: area ", row.of(area)[i], " m2, mass ", f.mass,
                                " at i = ", blocks[row.block].i0 + i - halo,
                                ", j = ", blocks[row.block].j0 + row.j);
                row.of(scale)[i] = 1 / std::sqrt(diagonal);
                largest = std::max(largest, diagonal);
                ++wet_points;
            }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
    exponent = largest > 0 ? std::ilogb(largest) & ~1 : 0;
    fill(Horizontal::center, {scale});
    for (const Row& row : rows) {
        const double* d = row.of(scale);
        for (int i = 0; i < row.up; ++i)
            row.of(square)[i] = i < row.nx + 2 * halo && d[i] > 0 ? d[i] * d[i] : 1;
        for (int v = vectors; v < (skew ? skew : arrays); ++v) std::fill_n(row.of(v), row.up, 0);
    }
}

template <class Number> void EllipticOperator<Number>::cut(const EllipticOperator<double>& of) {
    struct Range {
        std::size_t first, last, near, near_end, wide, wide_end;
    };
    std::vector<Range> range;
    auto wet = [&](std::size_t n, int c) {
        const double* d = of.rows[n].of(scale);
        return std::any_of(d + c, d + std::min(c + line, of.rows[n].nx + 2 * halo),
                           [](double x) { return x != 0; });
    };
    auto extend = [](std::vector<Segment>& list, std::size_t first, int c, int gap = 0) {
        if (list.size() > first && c - list.back().end <= gap * line)
            list.back().end = c + line;
        else
            list.push_back({c, c + line});
    };
    const int gap =
        memory.bytes > std::size_t(64) << 20
            ? 32
            : 0;  // in cache lines: the cost of the begin of a segment if rows come from memory
    for (std::size_t n = 0; n < rows.size(); ++n) {
        const Range begin{segments.size(), 0, near_segments.size(), 0, wide_segments.size(), 0};
        auto beside = [&](std::ptrdiff_t m, int c) {
            return m >= 0 && m < std::ptrdiff_t(rows.size()) && rows[m].block == rows[n].block &&
                   wet(m, c);
        };
        for (int c = 0; c < rows[n].nx + 2 * halo; c += line) {
            const bool here = wet(n, c);
            if (here)
                extend(segments, begin.first, c), lines += rows[n].ring == 0,
                    inner_lines += rows[n].ring == 0 && n < inner;
            if (here || beside(std::ptrdiff_t(n) - 1, c) || beside(n + 1, c))
                extend(near_segments, begin.near, c);
            bool about = here;
            for (int k = 1; k <= 3; ++k)
                about = about || beside(std::ptrdiff_t(n) - k, c) || beside(n + k, c);
            if (about) extend(wide_segments, begin.wide, c, gap);
        }
        range.push_back({begin.first, segments.size(), begin.near, near_segments.size(), begin.wide,
                         wide_segments.size()});
    }
    for (std::size_t n = 0; n < rows.size(); ++n) {
        rows[n].first = segments.data() + range[n].first,
        rows[n].last = segments.data() + range[n].last;
        rows[n].near = near_segments.data() + range[n].near,
        rows[n].near_end = near_segments.data() + range[n].near_end;
        rows[n].wide = wide_segments.data() + range[n].wide,
        rows[n].wide_end = wide_segments.data() + range[n].wide_end;
    }
}

template class EllipticOperator<double>;
template class EllipticOperator<float>;

}  // namespace fathom
