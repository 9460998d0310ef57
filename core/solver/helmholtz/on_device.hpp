/// The arrays of a Helmholtz solver in memory of a device, and all operations on them there
/// (device/helmholtz.cpp, device/separable.cpp): what the processor gives, and what it can ask
/// (there.hpp).
#pragma once
#include <memory>
#include <span>
#include <vector>
#include "parallel/halo/packing.hpp"
#include "parallel/sums/rank_sum.hpp"
#include "solver/helmholtz/krylov.hpp"
#include "solver/helmholtz/means.hpp"
#include "solver/helmholtz/multigrid.hpp"
#include "solver/helmholtz/separable_steps.hpp"
#include "transform/fourier/there.hpp"

namespace fathom {

/// A grid of columns. Numbers have 4 or 8 bytes; fields have a halo.
struct HelmholtzPoints {
    /// Where its coefficients and the numbers of its field lie.
    struct Column {
        int block, row, column;
    };
    int bytes, bytes_of_fields, halo, levels, arrays;
    std::size_t numbers;  ///< of an array
    std::vector<HelmholtzBlock> blocks;
    LargestOfAll largest_of_all;
    std::vector<Column> columns = {};  ///< own ones, along rows
    /// Those that count in means, row by row; the first of each row of the globe, and one more.
    std::vector<Column> taken = {};
    std::vector<int> first_taken = {0};
};

/// The equation of separable.hpp on a rank: tables of its Fourier transform, and waves along rows.
struct SeparablePoints {
    /// Own column n of a mode lies at first + n apart.
    struct Mode {
        std::ptrdiff_t first, apart;
    };
    int nx, ny, own_modes;
    bool joined, alone;  ///< alone: own columns are all that there are
    std::size_t packs;   ///< numbers that a transform needs
    std::span<const Mode> modes;
    /// [row][point]: where its own modes lie, in points.
    std::span<const int> order;
    PlanThere plan;
    std::span<const PassThere> passes;
    std::span<const double> twiddles;
    std::span<const int> places;
    std::span<const std::complex<double>> turns;
    std::span<const double> along;
};
/// Own columns of all modes, and all columns of own modes: pieces (separable.hpp) that travel
/// between the steps of a solve. On one rank both are the same.
class SeparableOnDevice {
public:
    virtual ~SeparableOnDevice() = default;
    virtual std::byte* own() const = 0;
    virtual std::byte* whole() const = 0;
    virtual void renew(const SeparableModes&, int first_mode) = 0;  ///< first: own one
    virtual void project(const std::byte* r) = 0;                   ///< own columns
    virtual void planes() = 0;                                      ///< solves own modes
    virtual void compose(std::byte* z) = 0;
};

/// Arrays are known by number.
class HelmholtzOnDevice {
public:
    enum : int { up, centre, down, east, north, per_area, factor, above, matrix };
    virtual ~HelmholtzOnDevice() = default;
    virtual std::byte* at(int array) const = 0;
    virtual void load(const FieldSlab&, int to) = 0;
    virtual void store(int from, const FieldSlab&) = 0;
    virtual void clear(int array) = 0;
    virtual void copy(int from, int to) = 0;
    virtual void factorise() = 0;
    virtual void multiply(int x, int y) = 0;                   ///< y = A x
    virtual void subtract(int x, int r, int y) = 0;            ///< y = r - A x
    virtual void lines(int r, int work, int z, bool add) = 0;  ///< z = Z r, or z += Z r
    virtual void add(std::span<const double>, int first, int to) = 0;
    virtual void turn(double factor, int from, int to) = 0;
    virtual std::vector<RankSum> dots(std::span<const HelmholtzVectors::Pair>) = 0;
    virtual std::vector<RankSum> means(const HelmholtzMeans&) = 0;

    /// Multigrid. The next grid must be of the same device.
    virtual void join(HelmholtzOnDevice& next, std::span<const HelmholtzRow> rows,
                      std::span<const int> row_of) = 0;
    virtual void coarsen() = 0;  ///< the coefficients of the next grid
    virtual void sweep(int by, int z, bool add) = 0;
    virtual void restrict_to(int x, int of_next) = 0;
    virtual void prolong(int of_next, int z) = 0;

    virtual std::unique_ptr<SeparableOnDevice> separable(const SeparablePoints&) = 0;
};

}  // namespace fathom
