#include "solver/preconditioner/whole_matrix.hpp"
#include <algorithm>
#include <numeric>

namespace fathom {

namespace {

constexpr int lead = EllipticOperator<double>::halo;

/// The neighbours in the order of EllipticOperator::entries.
constexpr int neighbours = 8;
constexpr int di[neighbours] = {1, -1, 0, 0, 1, -1, -1, 1};
constexpr int dj[neighbours] = {0, 0, 1, -1, 1, -1, 1, -1};

/// Wet points, by j nx + i, and the coefficients of the eight neighbours of each.
struct Entries {
    std::vector<int> point;
    std::vector<double> coefficients;
};

Entries own_entries(const Topology& t, const EllipticOperator<double>& A) {
    Entries own;
    for (const auto& row : A.rows) {
        if (row.ring != 0) continue;
        const Block& block = A.blocks[row.block];
        for (int c = lead; c < lead + row.nx; ++c) {
            if (row.of(A.scale)[c] == 0) continue;
            own.point.push_back((block.j0 + row.j) * t.nx + block.i0 + c - lead);
            for (double x : A.entries(row, c)) own.coefficients.push_back(x);
        }
    }
    return own;
}

/// Entries of all ranks, rank by rank; first: the begin of each rank's list.
Entries gather(MPI_Comm comm, const Entries& own, std::vector<int>& first) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    std::vector<int> count(ranks), of_eight_count, of_eight_first;
    const int points = int(own.point.size());
    MPI_Allgather(&points, 1, MPI_INT, count.data(), 1, MPI_INT, comm);
    first.assign(ranks, 0);
    std::exclusive_scan(count.begin(), count.end(), first.begin(), 0);
    for (int r = 0; r < ranks; ++r) {
        of_eight_count.push_back(neighbours * count[r]);
        of_eight_first.push_back(neighbours * first[r]);
    }
    const std::size_t all = first.back() + count.back();
    Entries given{std::vector<int>(all), std::vector<double>(neighbours * all)};
    MPI_Allgatherv(own.point.data(), points, MPI_INT, given.point.data(), count.data(),
                   first.data(), MPI_INT, comm);
    MPI_Allgatherv(own.coefficients.data(), neighbours * points, MPI_DOUBLE,
                   given.coefficients.data(), of_eight_count.data(), of_eight_first.data(),
                   MPI_DOUBLE, comm);
    return given;
}

}  // namespace

WholeMatrix::WholeMatrix(MPI_Comm comm, const Topology& t, const EllipticOperator<double>& A) {
    std::vector<int> first;
    const Entries given = gather(comm, own_entries(t, A), first);
    std::vector<int> sorted(given.point.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::ranges::sort(sorted, {}, [&](int n) { return given.point[n]; });
    list_points(given.point, sorted, first, t.nx);

    std::vector<int> number(std::size_t(t.nx) * t.ny, -1);  // of the point at j nx + i
    for (std::size_t p = 0; p < sorted.size(); ++p) number[given.point[sorted[p]]] = int(p);
    graph.first.push_back(0);
    for (int p = 0; p < graph.points(); ++p) {
        diagonal.push_back(1);
        const double* value = &given.coefficients[neighbours * std::size_t(sorted[p])];
        for (int n = 0; n < neighbours; ++n) {
            const auto source =
                t.source(Horizontal::center, graph.x[p] + di[n], graph.y[p] + dj[n]);
            if (value[n] == 0 || !source.inside) continue;
            const int other = number[source.j * t.nx + source.i];
            if (other >= 0) couple(p, other, value[n]);
        }
        graph.first.push_back(int(graph.neighbour.size()));
    }
}

void WholeMatrix::list_points(const std::vector<int>& given, const std::vector<int>& sorted,
                              const std::vector<int>& first, int nx) {
    for (int n : sorted) {
        rank_of.push_back(int(std::ranges::upper_bound(first, n) - first.begin()) - 1);
        item.push_back(n - first[rank_of.back()]);
        graph.x.push_back(given[n] % nx);
        graph.y.push_back(given[n] / nx);
    }
}

/// Adds to the row of the last point. At the fold a neighbour may occur twice or be the point.
void WholeMatrix::couple(int point, int other, double value) {
    if (other == point) {
        diagonal[point] += value;
        return;
    }
    const auto known =
        std::find(graph.neighbour.begin() + graph.first.back(), graph.neighbour.end(), other);
    if (known != graph.neighbour.end())
        coefficient[known - graph.neighbour.begin()] += value;
    else
        graph.neighbour.push_back(other), coefficient.push_back(value);
}

}  // namespace fathom
