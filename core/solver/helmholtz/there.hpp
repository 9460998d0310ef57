/// The Helmholtz solver (columns.hpp) with its arrays in memory of a device: the same operations in
/// the same order, so that the bits are the processor's. Of one rank only sums return; of several
/// also halos, and modes of the separable equation, for other ranks.
#pragma once
#include <memory>
#include <optional>
#include "machine/device.hpp"
#include "parallel/halo/pieces.hpp"
#include "solver/helmholtz/columns.hpp"
#include "solver/helmholtz/on_device.hpp"

namespace fathom {

class HelmholtzThere final : HelmholtzVectors {
public:
    HelmholtzThere(std::shared_ptr<Device>, const Domain&, HelmholtzOptions, int bytes,
                   int bytes_of_fields);
    ~HelmholtzThere() override;

    const std::shared_ptr<Device> device;
    const HelmholtzLayout layout;
    /// Fill the coefficients, then call `ready`.
    std::byte* at(int array) const { return on->at(array); }
    void ready();
    HelmholtzFound solve(const FieldSlab& right_side, const FieldSlab& x, double measure);

private:
    struct Next;
    const Domain& domain;
    const HelmholtzOptions options;
    const int bytes, grid;
    /// Arrays after those of the matrix; left: of separable-lines and multigrid; the last two are
    /// of the coarse grids of multigrid.
    const int first_vector, left, right_side, result;
    const std::unique_ptr<HelmholtzOnDevice> on;
    Exchange halo;
    const std::unique_ptr<Mover> mover;
    struct Modes;  // of the separable equation
    std::unique_ptr<Modes> separable;
    std::unique_ptr<Next> next;

    HelmholtzThere(std::shared_ptr<Device>, const Domain&, HelmholtzOptions, int bytes,
                   int bytes_of_fields, int grid);
    std::unique_ptr<HelmholtzOnDevice> made(int bytes_of_fields) const;
    LargestOfAll largest_of_all() const;
    std::vector<double> values(std::span<const RankSum>) const;  // over all ranks
    SeparableColumns mean_columns();
    void fill_halo(int array);
    void apply(int x, int y);             // y = A x, arrays
    void remainder(int x, int r, int y);  // y = r - A x
    void coarsen(std::vector<double> east, std::vector<double> north);
    void cycle(int r, int z);
    bool with(std::string_view preconditioner) const {
        return options.preconditioner == preconditioner;
    }

    void precondition(int from, int to) override;
    void multiply(int from, int to) override { apply(array(from), array(to)); }
    std::vector<double> dots(std::span<const Pair>) override;
    void add(std::span<const double> factors, int first, int to) override {
        on->add(factors, array(first), array(to));
    }
    void turn(double factor, int from, int to) override {
        on->turn(factor, array(from), array(to));
    }
    void copy(int from, int to) override { on->copy(array(from), array(to)); }
    int array(int vector) const { return first_vector + vector; }
};

}  // namespace fathom
