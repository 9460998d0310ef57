#include "field/sampled.hpp"
#include <algorithm>
#include <numeric>

namespace fathom {

Sampled::Sampled(Process columns, std::vector<SampledRow> given)
    : Bundled(std::move(columns)), rows(std::move(given)) {
    for (const auto& f : process.fields)
        if (f.access == Access::updates)
            throw Error(process.name, " updates '", f.name, "', which cannot be interpolated");
    for (std::size_t n = 0; n < rows.size(); ++n)
        if (rows[n].columns.empty() || !std::ranges::is_sorted(rows[n].columns) ||
            (n && rows[n].row <= rows[n - 1].row))
            throw Error(process.name,
                        ": samples must go from west to east and from south to north");
}

/// (i, j) of all samples of the grid.
std::vector<std::array<int, 2>> Sampled::samples() const {
    std::vector<std::array<int, 2>> all;
    for (const auto& [j, columns] : rows)
        for (const int i : columns) all.push_back({i, j});
    return all;
}

/// points: columns of each row. Throws Error where columns would lie beyond the samples.
void Sampled::check(const Topology& t, const std::vector<int>& points) const {
    int last = t.ny - 1;
    while (last > 0 && !points[last]) --last;
    bool whole = !t.fold && rows.size() >= 2 && rows.front().row == 0 && rows.back().row == last;
    for (const auto& [row, columns] : rows)
        whole = whole && (t.periodic || (!columns.front() && columns.back() == points[row] - 1));
    if (!whole) throw Error(name, ": samples are taken on whole rows, from the first to the last");
}

/// Finds the numbers of the samples around each column of this rank; makes the stretches.
std::vector<Sampled::Around> Sampled::surroundings(const Domain& d) {
    const int nx = d.decomposition.topology.nx;
    std::vector<int> points(std::size_t(d.decomposition.topology.ny)), first { 0 };
    for (std::size_t j = 0; j < points.size(); ++j)
        points[j] = int(std::count_if(d.wet_levels.begin() + std::ptrdiff_t(j * nx),
                                      d.wet_levels.begin() + std::ptrdiff_t((j + 1) * nx),
                                      [](int levels) { return levels > 0; }));
    check(d.decomposition.topology, points);
    for (const auto& r : rows) first.push_back(first.back() + int(r.columns.size()));

    std::vector<Around> all;
    const auto along = [&](std::size_t n, double turn, int where, double weight, Around& to) {
        const auto& [row, columns] = rows[n];
        const double length = points[row], x = turn * length;  // the position along that row
        const auto east = std::ranges::upper_bound(columns, x, {}, [](int i) { return double(i); });
        const std::size_t e = std::size_t(east - columns.begin()) % columns.size(),
                          w = (e + columns.size() - 1) % columns.size();
        const auto eastward = [&](double distance) {
            return distance < 0 ? distance + length : distance;
        };
        const double gap = eastward(columns[e] - columns[w]),
                     share = gap > 0 ? eastward(x - columns[w]) / gap : 0;
        to.samples[where] = first[n] + int(w), to.samples[where + 1] = first[n] + int(e);
        to.weights[where] = weight * (1 - share), to.weights[where + 1] = weight * share;
    };
    stretches.clear();
    for (int b = 0; b < int(d.blocks.size()); ++b) {
        const Block& block = *d.blocks[b];
        for (int j = block.j0; j < block.j0 + block.ny; ++j) {
            std::size_t north = 1;
            while (north + 1 < rows.size() && rows[north].row < j) ++north;
            const auto &s = rows[north - 1], &n = rows[north];
            const double w = double(j - s.row) / (n.row - s.row);
            const int end = std::min(block.i0 + block.nx, points[j]);
            for (int i = block.i0; i < end; ++i) {
                if ((i - block.i0) % side_by_side == 0)
                    stretches.push_back({b, j - block.j0 + d.halo, i - block.i0 + d.halo,
                                         std::min(side_by_side, end - i), all.size()});
                const double turn = double(i) / points[j];
                Around& to = all.emplace_back();
                along(north - 1, turn, 0, 1 - w, to), along(north, turn, 2, w, to);
            }
        }
    }
    return all;
}

void Sampled::prepare(Given at) {
    const Domain& d = at.set.domain();
    comm = communicator(d);
    around = surroundings(d);
    ask(d);
    settled.reset();
    if (!shared) return;
    shared->among(own);
    shared->prepare(at);
}

/// Finds which rank sends which samples to which; `around` gets their places in the received list.
void Sampled::ask(const Domain& d) {
    int ranks, rank;
    MPI_Comm_size(*comm, &ranks), MPI_Comm_rank(*comm, &rank);
    const auto all = samples();
    std::vector<int> place(all.size(), -1), wanted;
    for (const Around& a : around)
        for (const int n : a.samples) place[n] = 0;
    receives.assign(ranks, 0), sends.assign(ranks, 0);
    std::vector<int> local(all.size(), -1);
    own.clear();
    for (int owner = 0; owner < ranks; ++owner)
        for (std::size_t n = 0; n < all.size(); ++n) {
            const auto [i, j] = all[n];
            const Block* const block = d.decomposition.at(i, j);
            if (!block || block->owner != owner) continue;
            if (place[n] == 0)
                place[n] = int(wanted.size()), wanted.push_back(int(n)), ++receives[owner];
            if (owner != rank) continue;
            local[n] = int(own.size());
            const auto b = std::ranges::find(d.blocks, block->id, &Block::id) - d.blocks.begin();
            own.push_back({int(b), j - block->j0 + d.halo, i - block->i0 + d.halo,
                           d.wet(Horizontal::center, i, j)});
        }
    for (Around& a : around)
        for (int& n : a.samples) n = place[n];
    MPI_Alltoall(receives.data(), 1, MPI_INT, sends.data(), 1, MPI_INT, *comm);
    const auto begins = [](const std::vector<int>& counts) {
        std::vector<int> b(counts.size());
        std::exclusive_scan(counts.begin(), counts.end(), b.begin(), 0);
        return b;
    };
    asked.resize(std::accumulate(sends.begin(), sends.end(), std::size_t(0)));
    MPI_Alltoallv(wanted.data(), receives.data(), begins(receives).data(), MPI_INT, asked.data(),
                  sends.data(), begins(sends).data(), MPI_INT, *comm);
    for (int& n : asked) n = local[n];
}

/// values: for each sample received, all results of the process, field after field.
template <class T>
void Sampled::interpolate(Given at, const std::vector<T>& values, std::size_t each) {
#pragma omp parallel
    {
        std::vector<T> some(side_by_side * each);
#pragma omp for schedule(static)
        for (std::size_t s = 0; s < stretches.size(); ++s) {
            const Stretch& stretch = stretches[s];
            for (int c = 0; c < stretch.count; ++c) {
                const auto& [from, weight] = around[stretch.first + c];
                const T *const x0 = &values[from[0] * each], *const x1 = &values[from[1] * each],
                               *const x2 = &values[from[2] * each],
                               *const x3 = &values[from[3] * each];
                const T w0 = T(weight[0]), w1 = T(weight[1]), w2 = T(weight[2]), w3 = T(weight[3]);
                T* const to = &some[c * each];
                for (std::size_t q = 0; q < each; ++q)
                    to[q] = (w0 * x0[q] + w1 * x1[q]) + (w2 * x2[q] + w3 * x3[q]);
            }
            const T* from = some.data();
            for (std::size_t p = 0; p < items.size(); ++p) {
                const auto& use = process.fields[p];
                if (!travels(use) || use.access == Access::reads) continue;
                const Field& f = at[items[p]];
                for (int k = 0; k < numbers(f); ++k, ++from) {
                    T* const to = row_of<T>(f, stretch.block, stretch.row, k) + stretch.column;
                    for (int c = 0; c < stretch.count; ++c) to[c] = from[c * each];
                }
            }
        }
    }
}

std::shared_ptr<Balanced> Sampled::balance(std::string active, double threshold,
                                           const std::string& way) {
    return shared = std::make_shared<Balanced>(process, std::move(active), threshold, true, way);
}

/// The process in the samples of this rank, or in its share of them.
void Sampled::compute(Given at) { shared ? shared->apply(at) : void(Bundled::compute(at, own)); }

/// Results at the requested samples, `each` numbers, one sample after the other.
template <class T> std::vector<T> Sampled::asked_for(Given at, std::size_t each) const {
    std::vector<T> out(asked.size() * each);
    for (std::size_t n = 0; n < asked.size(); ++n) {
        const Column& c = own[asked[n]];
        T* to = &out[n * each];
        for (std::size_t p = 0; p < items.size(); ++p) {
            const auto& use = process.fields[p];
            if (!travels(use) || use.access == Access::reads) continue;
            const Field& f = at[items[p]];
            for (int k = 0; k < numbers(f); ++k) *to++ = row_of<T>(f, c.block, c.row, k)[c.column];
        }
    }
    return out;
}

void Sampled::exchange(const void* out, void* in, std::size_t bytes) const {
    std::vector<int> first_out(sends.size()), first_in(receives.size());
    std::exclusive_scan(sends.begin(), sends.end(), first_out.begin(), 0);
    std::exclusive_scan(receives.begin(), receives.end(), first_in.begin(), 0);
    MPI_Datatype sample;
    MPI_Type_contiguous(int(bytes), MPI_BYTE, &sample);
    MPI_Type_commit(&sample);
    MPI_Alltoallv(out, sends.data(), first_out.data(), sample, in, receives.data(), first_in.data(),
                  sample, *comm);
    MPI_Type_free(&sample);
}

template <class T> void Sampled::turn(Given at) {
    const std::size_t each = results(at);
    compute(at);
    const std::vector<T> out = asked_for<T>(at, each);
    std::vector<T> in(std::accumulate(receives.begin(), receives.end(), std::size_t(0)) * each);
    exchange(out.data(), in.data(), each * sizeof(T));
    interpolate(at, in, each);
}

void Sampled::apply(Given at) { at.set.bytes() == 4 ? turn<float>(at) : turn<double>(at); }

}  // namespace fathom
