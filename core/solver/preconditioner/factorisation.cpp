#include "solver/preconditioner/factorisation.hpp"
#include <omp.h>
#include <algorithm>
#include <numeric>
#include "base/error.hpp"
#include "parallel/meeting.hpp"
#include "solver/preconditioner/front_matrix.hpp"
#include "solver/preconditioner/whole_matrix.hpp"

namespace fathom {

namespace {

constexpr int lead = EllipticOperator<double>::halo;
using Eight = Pack<float, 8>;

std::size_t padded(std::size_t n) { return (n + 7) / 8 * 8; }

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

/// The sum of each of four packs.
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

Factorisation::Factorisation(MPI_Comm comm, const Topology& t, const EllipticOperator<double>& A)
    : comm(comm) {
    const WholeMatrix matrix(comm, t, A);
    const EliminationTree tree(matrix.graph, leaf);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    list_spans(A);
    share_out(tree);
    plan_transfers(matrix, tree);
    factorise(matrix, tree);
}

void Factorisation::list_spans(const EllipticOperator<double>& A) {
    for (int n = 0; n < int(A.rows.size()); ++n) {
        if (A.rows[n].ring != 0) continue;
        const double* d = A.rows[n].of(A.scale);
        const int last = lead + A.rows[n].nx;
        for (int c = lead; c < last;) {
            const int begin = c;
            while (c < last && d[c] != 0) ++c;
            if (c > begin) spans.push_back({n, begin, c - begin}), own_points += c - begin;
            while (c < last && d[c] == 0) ++c;
        }
    }
}

namespace {

/// An estimate of the time of each node together with all nodes below it.
std::vector<double> work_of_subtrees(const EliminationTree& tree) {
    std::vector<double> work;
    for (auto& n : tree.nodes) {
        work.push_back(400 + double(n.pivots) * (n.pivots + 2.0 * double(n.boundary.size())));
        for (int c : tree.children[work.size() - 1]) work.back() += work[c];
    }
    return work;
}

/// Roots of subtrees, none of which is more than a quarter of a worker's share.
std::vector<int> small_subtrees(const EliminationTree& tree, const std::vector<double>& work,
                                int workers) {
    std::vector<int> roots{int(tree.nodes.size()) - 1};
    while (workers > 1) {
        const auto largest = std::ranges::max_element(roots, {}, [&](int n) { return work[n]; });
        if (work[*largest] < work.back() / (4 * workers) || tree.children[*largest].empty()) break;
        const int root = *largest;
        roots.erase(largest);
        for (int c : tree.children[root]) roots.push_back(c);
    }
    return roots;
}

}  // namespace

/// Gives each subtree, the largest first, to the rank that has least work.
void Factorisation::share_out(const EliminationTree& tree) {
    int threads = omp_get_max_threads();
    MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MAX, comm);
    owner.assign(tree.nodes.size(), -1);
    if (tree.nodes.empty()) return;
    const auto work = work_of_subtrees(tree);
    auto roots = small_subtrees(tree, work, ranks * threads);
    std::ranges::sort(roots,
                      [&](int a, int b) { return work[a] != work[b] ? work[a] > work[b] : a < b; });
    std::vector<double> load(ranks, 0);
    for (int root : roots) {
        const int to = int(std::ranges::min_element(load) - load.begin());
        load[to] += work[root];
        for (int n = tree.nodes[root].subtree; n <= root; ++n) owner[n] = to;
        if (to == rank) subtrees.push_back(root);
    }
    all_subtrees = roots;
    std::ranges::sort(all_subtrees);
    for (int n = 0; n < int(tree.nodes.size()); ++n)
        if (owner[n] < 0) above.push_back(n);
}

void Factorisation::plan_transfers(const WholeMatrix& matrix, const EliminationTree& tree) {
    std::vector<std::vector<int>> up_out(ranks), up_in(ranks), down_out(ranks), down_in(ranks);
    std::vector<int> node_of(tree.point.size());
    for (int n = 0; n < int(tree.nodes.size()); ++n)
        std::fill_n(node_of.begin() + tree.nodes[n].first, tree.nodes[n].pivots, n);
    for (int p = 0; p < int(tree.point.size()); ++p) {
        const int position = tree.position[p], from = matrix.rank_of[p],
                  to = owner[node_of[position]], back = to < 0 ? from : to;
        for (int r = to < 0 ? 0 : to, end = to < 0 ? ranks : to + 1; r < end; ++r) {
            if (from == rank) up_out[r].push_back(matrix.item[p]);
            if (r == rank) up_in[from].push_back(position);
        }
        if (back == rank) down_out[from].push_back(position);
        if (from == rank) down_in[back].push_back(matrix.item[p]);
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

void Factorisation::factorise(const WholeMatrix& matrix, const EliminationTree& tree) {
    lay_out_fronts(tree);
    Remainders remainders(tree.nodes.size());
    for_subtrees([&](int root) {
        for (int n = tree.nodes[root].subtree; n <= root; ++n)
            eliminate(n, matrix, tree, remainders);
    });
    share_remainders(tree, remainders);
    for (int n : above) eliminate(n, matrix, tree, remainders);
    check_finite();
}

void Factorisation::lay_out_fronts(const EliminationTree& tree) {
    std::size_t inverse = 0, coupling = 0;
    int largest = 0;
    for (int n = 0; n < int(tree.nodes.size()); ++n) {
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
}

void Factorisation::eliminate(int n, const WholeMatrix& matrix, const EliminationTree& tree,
                              Remainders& remainders) {
    const EliminationNode& node = tree.nodes[n];
    FrontMatrix front(node.pivots, int(node.boundary.size()));
    put_rows(node, matrix, tree, front);
    for (int child : tree.children[n]) {
        add_remainder(tree.nodes[child].to_parent, remainders[child], front);
        std::vector<double>().swap(remainders[child]);
    }
    front.eliminate_pivots();
    remainders[n] = front.remainder();
    front.invert_pivots();
    const std::size_t inverse_row = padded(node.pivots), coupling_row = padded(fronts[n].size);
    for (int f = 0; f < node.pivots; ++f) {
        std::copy_n(front.row_of_inverse(f), node.pivots,
                    inverses.data() + fronts[n].inverse + f * inverse_row);
        std::copy_n(front.row_of_coupling(f), fronts[n].size,
                    couplings.data() + fronts[n].coupling + f * coupling_row);
    }
}

/// Rows of the whole matrix, from the diagonal on.
void Factorisation::put_rows(const EliminationNode& node, const WholeMatrix& matrix,
                             const EliminationTree& tree, FrontMatrix& front) {
    const auto column_of = [&](int position) {
        if (position < node.first + node.pivots) return position - node.first;
        const auto at = std::ranges::lower_bound(node.boundary, position);
        return node.pivots + int(at - node.boundary.begin());
    };
    for (int f = 0; f < node.pivots; ++f) {
        const int p = tree.point[node.first + f];
        front(f, f) = matrix.diagonal[p];
        for (int e = matrix.graph.first[p]; e < matrix.graph.first[p + 1]; ++e) {
            const int position = tree.position[matrix.graph.neighbour[e]];
            if (position > node.first + f) front(f, column_of(position)) = matrix.coefficient[e];
        }
    }
}

/// Adds the remainder of a child; to: the positions of its boundary in the front.
void Factorisation::add_remainder(const std::vector<int>& to, const std::vector<double>& remainder,
                                  FrontMatrix& front) {
    const std::size_t side = to.size();
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = i; j < side; ++j)
            front(std::min(to[i], to[j]), std::max(to[i], to[j])) += remainder[i * side + j];
}

/// Sends the remainders of all subtrees to all ranks, which need them for the nodes above.
void Factorisation::share_remainders(const EliminationTree& tree, Remainders& remainders) {
    leaves_count.assign(ranks, 0);
    leaves_first.assign(ranks, 0);
    for (int root : all_subtrees) {
        const int side = int(tree.nodes[root].boundary.size());
        leaves_count[owner[root]] += side;
        if (ranks == 1 || side == 0) continue;
        remainders[root].resize(std::size_t(side) * side);
        MPI_Bcast(remainders[root].data(), side * side, MPI_DOUBLE, owner[root], comm);
    }
    std::exclusive_scan(leaves_count.begin(), leaves_count.end(), leaves_first.begin(), 0);
    const std::size_t leaves = leaves_first.empty() ? 0 : leaves_first.back() + leaves_count.back();
    if (outbox.size() < leaves) outbox.resize(leaves);
    if (inbox.size() < leaves) inbox.resize(leaves);
}

void Factorisation::check_finite() const {
    const auto is_finite = [](float x) { return std::isfinite(x); };
    int finite =
        std::ranges::all_of(inverses, is_finite) && std::ranges::all_of(couplings, is_finite);
    MPI_Allreduce(MPI_IN_PLACE, &finite, 1, MPI_INT, MPI_MIN, comm);
    if (!finite)
        throw Error(
            "free surface: its matrix is not positive definite in double precision; a shorter "
            "step, or another preconditioner");
}

/// Matrices are contiguous, but small: prefetches the next one earlier than the processor does.
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
    for (int f = 0; f < F; f += 4, W += 4 * up) {  // W has three spare rows at its end
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
    take_points(A, from, scale);
    exchange(up, points, value);
    for_subtrees([&](int root) {
        for (int n = subtree[root]; n <= root; ++n) forward(n, work[omp_get_thread_num()].data());
    });
    if (ranks > 1 && !above.empty()) share_tops();
    for (int n : above) forward(n, work[0].data());
    for (auto n = above.rbegin(); n != above.rend(); ++n) backward(*n, work[0].data());
    for_subtrees([&](int root) {
        for (int n = root; n >= subtree[root]; --n) backward(n, work[omp_get_thread_num()].data());
    });
    exchange(down, value, points);
    give_points(A, to, 1 / scale);
    seconds += seconds_now() - start;
}

void Factorisation::take_points(const EllipticOperator<double>& A, int from, double scale) {
    float* point = points.data();
    for (auto& s : spans) {
        const double* x = A.rows[s.row].of(from) + s.column;
        for (int c = 0; c < s.count; ++c) *point++ = float(x[c] * scale);
    }
}

void Factorisation::give_points(const EllipticOperator<double>& A, int to, double scale) const {
    const float* point = points.data();
    for (auto& s : spans) {
        double* x = A.rows[s.row].of(to) + s.column;
        for (int c = 0; c < s.count; ++c) x[c] = *point++ * scale;
    }
}

/// Sends the contributions of the roots of all subtrees to all ranks.
void Factorisation::share_tops() {
    std::vector<float>::iterator out = outbox.begin();
    for (int root : all_subtrees)
        if (owner[root] == rank)
            out = std::copy_n(left.begin() + fronts[root].at, fronts[root].size, out);
    static const Region tops("tops of subtrees", "", "exchange");
    Within within(tops);
    Meet meet(comm, double(leaves_count[rank]) * sizeof(float));
    MPI_Allgatherv(outbox.data(), leaves_count[rank], MPI_FLOAT, inbox.data(), leaves_count.data(),
                   leaves_first.data(), MPI_FLOAT, comm);
    for (int r = 0; r < ranks; ++r) {
        auto in = inbox.begin() + leaves_first[r];
        for (int root : all_subtrees)
            if (owner[root] == r) {
                std::copy_n(in, fronts[root].size, left.begin() + fronts[root].at);
                in += fronts[root].size;
            }
    }
}

}  // namespace fathom
