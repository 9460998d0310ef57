/// Iterations of a solver without its arithmetic – a halo, a sum of three numbers – by the exchange
/// and the sums of core/parallel, on ranks of a real MPI or on thousands that are simulated. Each
/// rank checks what it received. Prints the plan's messages and the microseconds of an iteration.
///
///     iterations_on_ranks  columns  rows  width of a block  height  halo  iterations  sum
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "machine/region.hpp"
#include "parallel/halo/exchange.hpp"
#include "parallel/sums/global_sum.hpp"

using namespace fathom;

namespace {

double value(int i, int j) { return 1 + i + 4096. * j; }

/// All of it water but every seventh block of every fifth row of blocks.
const Decomposition& world(const int* size, int ranks) {
    static const Decomposition d = [&] {  // one for all ranks that are simulated
        const int nx = size[0], ny = size[1], width = size[2], height = size[3];
        std::vector<int> wet;
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                wet.push_back(!(i / width % 7 == 3 && j / height % 5 == 2));
        return decompose({nx, ny, true, false}, wet, ranks,
                         {width, height, "space-filling", size[4]});
    }();
    return d;
}

/// Values of a block in the middle of its halo.
std::vector<double> filled(const Block& b, int halo) {
    const int row = b.nx + 2 * halo;
    std::vector<double> block(std::size_t(row) * (b.ny + 2 * halo), 0.);
    for (int j = 0; j < b.ny; ++j)
        for (int i = 0; i < b.nx; ++i)
            block[std::size_t(j + halo) * row + i + halo] = value(b.i0 + i, b.j0 + j);
    return block;
}

/// Points of a block and its halo that are not as they should be.
int wrong_points(const std::vector<double>& block, const Block& b, const Decomposition& d,
                 const int* size) {
    const int nx = size[0], ny = size[1], halo = size[4];
    int wrong = 0;
    for (int j = -halo; j < b.ny + halo; ++j)
        for (int i = -halo; i < b.nx + halo; ++i) {
            const int there_i = (b.i0 + i + nx) % nx, there_j = b.j0 + j;
            const bool water = there_j >= 0 && there_j < ny && d.at(there_i, there_j);
            wrong += block[std::size_t(j + halo) * (b.nx + 2 * halo) + i + halo] !=
                     (water ? value(there_i, there_j) : 0.);
        }
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc != 8)
        return std::fputs(
                   "give columns, rows, width and height of a block, halo, iterations, and the "
                   "sum\n",
                   stderr),
               2;
    regions.on = false;  // one process has all ranks where they are simulated
    int size[6], rank, ranks;
    for (int n = 0; n < 6; ++n) size[n] = std::atoi(argv[n + 1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const Decomposition& d = world(size, ranks);
    const int halo = size[4];
    Exchange exchange(MPI_COMM_WORLD, d, halo, 8, {{Horizontal::center, false, halo, 1}}, "packed");
    const auto sum = global_sum(argv[7], MPI_COMM_WORLD);

    std::vector<std::vector<double>> memory;
    FieldSlab field{{}, {}, {}, 1};
    const auto blocks = d.of(rank);
    memory.reserve(blocks.size());
    for (auto* b : blocks) {
        const int row = b->nx + 2 * halo;
        auto& block = memory.emplace_back(filled(*b, halo));
        field.at.push_back((std::byte*)block.data()), field.row.push_back(row),
            field.level.push_back(row);
    }
    const std::vector<FieldSlab> fields{field};
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    double wrong = 0;
    for (int n = 0; n < size[5]; ++n) {
        exchange.start(fields), exchange.finish(fields);
        double three[3] = {1, double(rank), double(n)};
        sum->sum(std::span<double>(three));
        wrong += three[0] != ranks || three[1] != 0.5 * ranks * (ranks - 1.) ||
                 three[2] != double(n) * ranks;
    }
    const double seconds = (MPI_Wtime() - began) / size[5];
    for (std::size_t n = 0; n < blocks.size(); ++n)
        wrong += wrong_points(memory[n], *blocks[n], d, size);
    double all[2] = {wrong, double(exchange.messages())}, most = 0;
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("{\"ranks\": %d, \"right\": %s, \"messages\": %.0f, \"seconds\": %.9e}\n",
                    ranks, all[0] == 0 ? "true" : "false", all[1], most);
    MPI_Finalize();
    return all[0] != 0;
}
