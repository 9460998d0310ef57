#include "solver/preconditioner/factorisation.hpp"
#include <omp.h>
#include <algorithm>
#include <numeric>
#include "base/error.hpp"
#include "parallel/meeting.hpp"

namespace fathom {

namespace {

constexpr int lead = EllipticOperator<double>::halo;
using Eight = Pack<float, 8>;

std::size_t padded(std::size_t n) { return (n + 7) / 8 * 8; }

/// y[0 .. n) -= sum of a[k] row_k, rows `up` apart. Four rows at a time: y is read and written a
/// quarter as often.
template <class Number>
void subtract_rows(Number* __restrict y, const Number* a, std::ptrdiff_t next, int rows,
                   const Number* __restrict row, std::ptrdiff_t up, int n) {
    int k = 0;
    for (; k + 4 <= rows; k += 4) {
        const Number *r0 = row + k * up, *r1 = r0 + up, *r2 = r1 + up, *r3 = r2 + up;
        const Number a0 = a[k * next], a1 = a[(k + 1) * next], a2 = a[(k + 2) * next],
                     a3 = a[(k + 3) * next];
        for (int c = 0; c < n; ++c) y[c] -= (a0 * r0[c] + a1 * r1[c]) + (a2 * r2[c] + a3 * r3[c]);
    }
    for (; k < rows; ++k)
        for (int c = 0; c < n; ++c) y[c] -= a[k * next] * row[k * up + c];
}

/// y[0 .. 8 packs) = sum of b[k] row_k, in registers.
template <int packs>
void combine(float* y, const float* b, int rows, const float* row, std::ptrdiff_t up) {
    Eight sum[packs];
    for (auto& s : sum) s = Eight(0.f);
    for (int k = 0; k < rows; ++k)
        for (int p = 0; p < packs; ++p) sum[p] += Eight(b[k]) * Eight::load(row + k * up + 8 * p);
    for (int p = 0; p < packs; ++p) sum[p].store(y + 8 * p);
}
void combine(float* y, const float* b, int rows, const float* row, std::ptrdiff_t up) {
    std::ptrdiff_t c = 0;
    for (; c + 32 <= up; c += 32) combine<4>(y + c, b, rows, row + c, up);
    if (up - c == 24) combine<3>(y + c, b, rows, row + c, up);
    if (up - c == 16) combine<2>(y + c, b, rows, row + c, up);
    if (up - c == 8) combine<1>(y + c, b, rows, row + c, up);
}

/// Sums of four packs.
void sums(const Eight (&x)[4], float* to) {
    typedef float V __attribute__((vector_size(32)));
    const V a = x[0].lanes, b = x[1].lanes, c = x[2].lanes, d = x[3].lanes;
    const V ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) +
                 __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const V cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13) +
                 __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    const V s = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
                __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    for (int n = 0; n < 4; ++n) to[n] = s[n] + s[n + 4];
}

}  // namespace

/// Rows of the whole matrix, of unit diagonal; points in the order of j nx + i.
struct Factorisation::System {
    std::vector<int> rank_of,
        item;  // owner of each point, and where it stands in the owner's list: row by row
    Graph graph;
    std::vector<double> diagonal, coefficient;  // coefficient: beside graph.neighbour

    System(MPI_Comm comm, const Topology& t, const EllipticOperator<double>& A) {
        static constexpr int di[8] = {1, -1, 0, 0, 1, -1, -1, 1},
                             dj[8] = {0, 0, 1, -1, 1, -1, 1, -1};
        int ranks;
        MPI_Comm_size(comm, &ranks);
        std::vector<int> mine;
        std::vector<double> my_coefficients;
        for (const auto& row : A.rows)
            if (row.ring == 0)
                for (int c = lead; c < lead + row.nx; ++c) {
                    if (row.of(A.scale)[c] == 0) continue;
                    const Block& b = A.blocks[row.block];
                    mine.push_back((b.j0 + row.j) * t.nx + b.i0 + c - lead);
                    for (double x : A.entries(row, c)) my_coefficients.push_back(x);
                }
        std::vector<int> count(ranks), first(ranks, 0), count8, first8;
        const int own = int(mine.size());
        MPI_Allgather(&own, 1, MPI_INT, count.data(), 1, MPI_INT, comm);
        std::exclusive_scan(count.begin(), count.end(), first.begin(), 0);
        for (int r = 0; r < ranks; ++r)
            count8.push_back(8 * count[r]), first8.push_back(8 * first[r]);
        const int all = first.back() + count.back();
        std::vector<int> given(all), sorted(all), index(std::size_t(t.nx) * t.ny, -1);
        std::vector<double> coefficients(8 * std::size_t(all));
        MPI_Allgatherv(mine.data(), own, MPI_INT, given.data(), count.data(), first.data(), MPI_INT,
                       comm);
        MPI_Allgatherv(my_coefficients.data(), 8 * own, MPI_DOUBLE, coefficients.data(),
                       count8.data(), first8.data(), MPI_DOUBLE, comm);
        std::iota(sorted.begin(), sorted.end(), 0);
        std::ranges::sort(sorted, {}, [&](int n) { return given[n]; });
        for (int n : sorted) {
            index[given[n]] = int(item.size());
            rank_of.push_back(int(std::ranges::upper_bound(first, n) - first.begin()) - 1);
            item.push_back(n - first[rank_of.back()]);
            graph.x.push_back(given[n] % t.nx);
            graph.y.push_back(given[n] / t.nx);
        }
        graph.first.push_back(0);
        for (int p = 0; p < all; ++p) {
            diagonal.push_back(1);
            const int begin = graph.first.back();
            for (int s = 0; s < 8; ++s) {
                const double value = coefficients[8 * std::size_t(sorted[p]) + s];
                const auto source =
                    t.source(Horizontal::center, graph.x[p] + di[s], graph.y[p] + dj[s]);
                if (value == 0 || !source.inside) continue;
                const int other = index[source.j * t.nx + source.i];
                if (other < 0) continue;
                if (other == p) {
                    diagonal[p] += value;
                    continue;
                }
                const auto known = std::find(graph.neighbour.begin() + begin, graph.neighbour.end(),
                                             other);  // at the fold two ways lead to a neighbour
                if (known != graph.neighbour.end())
                    coefficient[known - graph.neighbour.begin()] += value;
                else
                    graph.neighbour.push_back(other), coefficient.push_back(value);
            }
            graph.first.push_back(int(graph.neighbour.size()));
        }
    }
};

Factorisation::Factorisation(MPI_Comm comm, const Topology& t, const EllipticOperator<double>& A)
    : Factorisation(comm, A, System(comm, t, A)) {}

Factorisation::Factorisation(MPI_Comm comm, const EllipticOperator<double>& A, System&& system)
    : comm(comm) {
    const EliminationTree tree(system.graph, leaf);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int n = 0; n < int(A.rows.size()); ++n)
        if (A.rows[n].ring == 0) {
            const double* d = A.rows[n].of(A.scale);
            for (int c = lead, end; c < lead + A.rows[n].nx; c = end) {
                for (end = c; end < lead + A.rows[n].nx && d[end] != 0; ++end) {
                }
                if (end > c)
                    spans.push_back({n, c, end - c}), own_points += end - c;
                else
                    ++end;
            }
        }
    share_out(tree);
    plan_transfers(system, tree);
    factorise(system, tree);
}

/// Subtrees of at most an eighth of a worker's share, the largest first to the rank that has least.
void Factorisation::share_out(const EliminationTree& tree) {
    int threads = omp_get_max_threads();
    MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MAX, comm);
    std::vector<double> work;
    for (auto& n : tree.nodes) {
        work.push_back(400 + double(n.pivots) * (n.pivots + 2.0 * double(n.boundary.size())));
        for (int c : tree.children[work.size() - 1]) work.back() += work[c];
    }
    owner.assign(tree.nodes.size(), -1);
    if (tree.nodes.empty()) return;
    const int workers = ranks * threads;
    std::vector<int> roots{int(tree.nodes.size()) - 1};
    while (workers > 1) {
        const auto largest = std::ranges::max_element(roots, {}, [&](int n) { return work[n]; });
        if (work[*largest] < work.back() / (4 * workers) || tree.children[*largest].empty()) break;
        const int root = *largest;
        roots.erase(largest);
        for (int c : tree.children[root]) roots.push_back(c);
    }
    std::ranges::sort(roots,
                      [&](int a, int b) { return work[a] != work[b] ? work[a] > work[b] : a < b; });
    std::vector<double> load(ranks, 0);
    for (int root : roots) {
        const int to = int(std::ranges::min_element(load) - load.begin());
        load[to] += work[root];
        for (int n = tree.nodes[root].subtree; n <= root; ++n) owner[n] = to;
        if (to == rank) subtrees.push_back(root);  // the largest first
    }
    all_subtrees = roots;
    std::ranges::sort(all_subtrees);
    for (int n = 0; n < int(tree.nodes.size()); ++n)
        if (owner[n] < 0) above.push_back(n);
}

void Factorisation::plan_transfers(const System& system, const EliminationTree& tree) {
    std::vector<std::vector<int>> up_out(ranks), up_in(ranks), down_out(ranks), down_in(ranks);
    std::vector<int> node_of(tree.point.size());
    for (int n = 0; n < int(tree.nodes.size()); ++n)
        std::fill_n(node_of.begin() + tree.nodes[n].first, tree.nodes[n].pivots, n);
    for (int p = 0; p < int(tree.point.size()); ++p) {
        const int position = tree.position[p], from = system.rank_of[p],
                  to = owner[node_of[position]], back = to < 0 ? from : to;
        for (int r = to < 0 ? 0 : to, end = to < 0 ? ranks : to + 1; r < end; ++r) {
            if (from == rank) up_out[r].push_back(system.item[p]);
            if (r == rank) up_in[from].push_back(position);
        }
        if (back == rank) down_out[from].push_back(position);
        if (from == rank) down_in[back].push_back(system.item[p]);
    }
    auto flatten = [](const std::vector<std::vector<int>>& lists, Transfer::Side& side) {
        for (auto& list : lists)
            side.first.push_back(int(side.items.size())), side.count.push_back(int(list.size())),
                side.items.insert(side.items.end(), list.begin(), list.end());
    };
    flatten(up_out, up.send);
    flatten(up_in, up.receive);
    flatten(down_out, down.send);
    flatten(down_in, down.receive);
    up.meet(rank), down.meet(rank);
    const auto most = std::max({up.send.items.size(), up.receive.items.size(),
                                down.send.items.size(), down.receive.items.size()});
    outbox.resize(most);
    inbox.resize(most);
    value.resize(tree.point.size());
    points.resize(own_points);
}

void Factorisation::Transfer::meet(int rank) {
    Meetings::Partners others;
    for (int r = 0; r < int(send.count.size()); ++r)
        if (r != rank) {
            if (send.count[r])
                others.to.push_back(r), ++messages, bytes += send.count[r] * sizeof(float);
            if (receive.count[r]) others.from.push_back(r);
        }
    partners = meetings.partners(std::move(others));
}

void Factorisation::exchange(const Transfer& t, const std::vector<float>& from,
                             std::vector<float>& to) {
    if (ranks == 1) {
        for (std::size_t n = 0; n < t.send.items.size(); ++n)
            to[t.receive.items[n]] = from[t.send.items[n]];
        return;
    }
    static const Region travel("points to subtrees and back", "", "exchange");
    Within within(travel);
    for (std::size_t n = 0; n < t.send.items.size(); ++n) outbox[n] = from[t.send.items[n]];
    const double began = seconds_now();
    MPI_Alltoallv(outbox.data(), t.send.count.data(), t.send.first.data(), MPI_FLOAT, inbox.data(),
                  t.receive.count.data(), t.receive.first.data(), MPI_FLOAT, comm);
    meetings.note(comm, t.partners, began, began, seconds_now(), 0, t.messages, t.bytes);
    for (std::size_t n = 0; n < t.receive.items.size(); ++n) to[t.receive.items[n]] = inbox[n];
}

template <class F> void Factorisation::for_subtrees(F body) {
    const int count = int(subtrees.size());
    if (count == 1)
        body(subtrees[0]);
    else {
#pragma omp parallel for schedule(dynamic, 1)
        for (int n = 0; n < count; ++n) body(subtrees[n]);
    }
}

/// A_FF = L L',  X = L^-1 A_FU,  A_UU - X' X is left for the parent;  inverse(A_FF) = L^-T L^-1,  W
/// = L^-T X.
void Factorisation::factorise(const System& system, const EliminationTree& tree) {
    const int count = int(tree.nodes.size());
    std::size_t inverse = 0, coupling = 0;
    int largest = 0;
    for (int n = 0; n < count; ++n) {
        const auto& node = tree.nodes[n];
        const int size = int(node.boundary.size());
        fronts.push_back(
            {node.first, node.pivots, size, {-1, -1}, inverse, coupling, boundary.size()});
        std::ranges::copy(tree.children[n], fronts[n].children);
        boundary.insert(boundary.end(), node.boundary.begin(), node.boundary.end());
        to_parent.insert(to_parent.end(), node.to_parent.begin(), node.to_parent.end());
        to_parent.resize(boundary.size());  // the root of a basin has no parent, and no boundary
        subtree.push_back(node.subtree);
        largest = std::max(largest, node.size());
        if (owner[n] >= 0 && owner[n] != rank) continue;
        inverse += node.pivots * padded(node.pivots);
        coupling += node.pivots * padded(size);
    }
    inverses.assign(inverse + 64, 0);
    couplings.assign(coupling + 64 + 3 * padded(largest), 0);
    left.assign(boundary.size() + 64, 0);
    work.assign(omp_get_max_threads(), std::vector<float>(2 * padded(largest) + 64));

    std::vector<std::vector<double>> remains(count);  // A_UU - X' X, until the parent has taken it
    auto eliminate = [&](int n) {
        const auto& node = tree.nodes[n];
        const int F = node.pivots, U = int(node.boundary.size()), N = F + U;
        std::vector<double> front(std::size_t(N) * N, 0), inverse(std::size_t(F) * F, 0);
        double* a = front.data();  // only what is right of the diagonal is kept up
        for (int f = 0; f < F; ++f) {
            const int p = tree.point[node.first + f];
            a[std::size_t(f) * N + f] = system.diagonal[p];
            for (int e = system.graph.first[p]; e < system.graph.first[p + 1]; ++e) {
                const int at = tree.position[system.graph.neighbour[e]];
                if (at <= node.first + f) continue;
                const int column = at < node.first + F
                                       ? at - node.first
                                       : F + int(std::ranges::lower_bound(node.boundary, at) -
                                                 node.boundary.begin());
                a[std::size_t(f) * N + column] = system.coefficient[e];
            }
        }
        for (int c : tree.children[n]) {
            const auto& to = tree.nodes[c].to_parent;
            const std::size_t side = to.size();
            for (std::size_t i = 0; i < side; ++i)
                for (std::size_t j = i; j < side; ++j)
                    a[std::size_t(std::min(to[i], to[j])) * N + std::max(to[i], to[j])] +=
                        remains[c][i * side + j];
            std::vector<double>().swap(remains[c]);
        }
        // rows of L' and X, then those of A_UU - X' X: each minus what the pivots before it take
        // away
        for (int f = 0; f < N; ++f) {
            subtract_rows(a + std::size_t(f) * N + f, a + f, N, std::min(f, F), a + f, N, N - f);
            if (f >= F) continue;
            const double pivot = a[std::size_t(f) * N + f];
            const double scale =
                1 / std::sqrt(pivot);  // not a number if the matrix is not positive definite
            for (int c = f; c < N; ++c) a[std::size_t(f) * N + c] *= scale;
        }
        remains[n].resize(std::size_t(U) * U);
        for (int u = 0; u < U; ++u)
            std::copy_n(a + std::size_t(F + u) * N + F + u, U - u,
                        remains[n].data() + std::size_t(u) * U + u);
        // L' Y = X and L' Z = L^-1, from the last row up; L^-1 first, from the first row down
        double* z = inverse.data();
        for (int f = 0; f < F; ++f) {
            z[std::size_t(f) * F + f] = 1;
            subtract_rows(z + std::size_t(f) * F, a + f, N, f, z, F,
                          f);  // row f of L is column f of L'
            for (int c = 0; c <= f; ++c) z[std::size_t(f) * F + c] /= a[std::size_t(f) * N + f];
        }
        for (int f = F - 1; f >= 0; --f) {
            double* row = a + std::size_t(f) * N;
            subtract_rows(row + F, row + f + 1, 1, F - 1 - f, a + std::size_t(f + 1) * N + F, N, U);
            subtract_rows(z + std::size_t(f) * F, row + f + 1, 1, F - 1 - f,
                          z + std::size_t(f + 1) * F, F, F);
            for (int c = F; c < N; ++c) row[c] /= row[f];
            for (int c = 0; c < F; ++c) z[std::size_t(f) * F + c] /= row[f];
        }
        for (int f = 0; f < F; ++f) {
            std::copy_n(z + std::size_t(f) * F, F,
                        inverses.data() + fronts[n].inverse + f * padded(F));
            std::copy_n(a + std::size_t(f) * N + F, U,
                        couplings.data() + fronts[n].coupling + f * padded(U));
        }
    };
    for_subtrees([&](int root) {
        for (int n = tree.nodes[root].subtree; n <= root; ++n) eliminate(n);
    });
    leaves_count.assign(ranks, 0);
    leaves_first.assign(ranks, 0);
    for (int root : all_subtrees) {
        const int side = int(tree.nodes[root].boundary.size());
        leaves_count[owner[root]] += side;
        if (ranks == 1 || side == 0) continue;
        remains[root].resize(std::size_t(side) * side);
        MPI_Bcast(remains[root].data(), side * side, MPI_DOUBLE, owner[root], comm);
    }
    std::exclusive_scan(leaves_count.begin(), leaves_count.end(), leaves_first.begin(), 0);
    const std::size_t leaves = leaves_first.empty() ? 0 : leaves_first.back() + leaves_count.back();
    if (outbox.size() < leaves) outbox.resize(leaves);
    if (inbox.size() < leaves) inbox.resize(leaves);
    for (int n : above) eliminate(n);
    const auto is_finite = [](float x) { return std::isfinite(x); };
    int finite =
        std::ranges::all_of(inverses, is_finite) && std::ranges::all_of(couplings, is_finite);
    MPI_Allreduce(MPI_IN_PLACE, &finite, 1, MPI_INT, MPI_MIN, comm);
    if (!finite)
        throw Error(
            "free surface: its matrix is not positive definite in double precision; a shorter "
            "step, or another preconditioner");
}

/// Matrices lie one after another, but each is small: what comes next is asked for before the
/// processor would guess it.
static void ask_for(const float* matrix, std::size_t numbers) {
    for (std::size_t n = 0; n < std::min<std::size_t>(numbers, 4096); n += 16)
        __builtin_prefetch(matrix + n, 0, 2);
}

void Factorisation::forward(int n, float* work) {
    const Front& front = fronts[n];
    const int F = front.pivots, U = front.size;
    const float* W = couplings.data() + front.coupling;
    ask_for(W + F * padded(U), F * padded(U));
    float *b = work, *b_U = work + F, *taken = work + padded(F + U);
    std::copy_n(value.data() + front.first, F, b);
    std::fill_n(b_U, U, 0.f);
    for (int c : front.children)
        if (c >= 0) {
            const float* leaves = left.data() + fronts[c].at;
            const int* to = to_parent.data() + fronts[c].at;
            for (int k = 0; k < fronts[c].size; ++k) b[to[k]] += leaves[k];
        }
    std::copy_n(b, F, value.data() + front.first);
    combine(taken, b, F, W, padded(U));
    float* leaves = left.data() + front.at;
    for (int u = 0; u < U; ++u) leaves[u] = b_U[u] - taken[u];
}

void Factorisation::backward(int n, float* work) {
    const Front& front = fronts[n];
    const int F = front.pivots, U = front.size;
    const std::size_t up = padded(U);
    const float *W = couplings.data() + front.coupling, *inverse = inverses.data() + front.inverse;
    if (n > 0) {
        const Front& next = fronts[n - 1];
        ask_for(couplings.data() + next.coupling, next.pivots * padded(next.size));
        ask_for(inverses.data() + next.inverse, next.pivots * padded(next.pivots));
    }
    float *z = work, *z_U = work + padded(F), *b = value.data() + front.first;
    for (int u = 0; u < U; ++u) z_U[u] = value[boundary[front.at + u]];
    std::fill(z_U + U, z_U + up, 0.f);
    combine(z, b, F, inverse, padded(F));
    for (int f = 0; f < F; f += 4, W += 4 * up) {  // W ends with three spare rows
        Eight taken[4] = {Eight(0.f), Eight(0.f), Eight(0.f), Eight(0.f)};
        for (std::size_t u = 0; u < up; u += 8)
            for (int row = 0; row < 4; ++row)
                taken[row] += Eight::load(W + row * up + u) * Eight::load(z_U + u);
        float total[4];
        sums(taken, total);
        for (int row = 0; row < std::min(4, F - f); ++row) b[f + row] = z[f + row] - total[row];
    }
}

void Factorisation::apply(const EllipticOperator<double>& A, int from, int to, double scale) {
    const double start = seconds_now();
    float* point = points.data();
    for (auto& s : spans) {
        const double* x = A.rows[s.row].of(from) + s.column;
        for (int c = 0; c < s.count; ++c) *point++ = float(x[c] * scale);
    }
    exchange(up, points, value);
    for_subtrees([&](int root) {
        for (int n = subtree[root]; n <= root; ++n) forward(n, work[omp_get_thread_num()].data());
    });
    if (ranks > 1 && !above.empty()) {
        std::vector<float>::iterator out = outbox.begin();
        for (int root : all_subtrees)
            if (owner[root] == rank)
                out = std::copy_n(left.begin() + fronts[root].at, fronts[root].size, out);
        static const Region tops("tops of subtrees", "", "exchange");
        Within within(tops);
        Meet meet(comm, double(leaves_count[rank]) * sizeof(float));
        MPI_Allgatherv(outbox.data(), leaves_count[rank], MPI_FLOAT, inbox.data(),
                       leaves_count.data(), leaves_first.data(), MPI_FLOAT, comm);
        for (int r = 0; r < ranks; ++r) {
            auto in = inbox.begin() + leaves_first[r];
            for (int root : all_subtrees)
                if (owner[root] == r)
                    std::copy_n(in, fronts[root].size, left.begin() + fronts[root].at),
                        in += fronts[root].size;
        }
    }
    for (int n : above) forward(n, work[0].data());
    for (auto n = above.rbegin(); n != above.rend(); ++n) backward(*n, work[0].data());
    for_subtrees([&](int root) {
        for (int n = root; n >= subtree[root]; --n) backward(n, work[omp_get_thread_num()].data());
    });
    exchange(down, value, points);
    point = points.data();
    const double down_again = 1 / scale;
    for (auto& s : spans) {
        double* x = A.rows[s.row].of(to) + s.column;
        for (int c = 0; c < s.count; ++c) x[c] = *point++ * down_again;
    }
    seconds += seconds_now() - start;
}

}  // namespace fathom
