/// The coefficients of the Helmholtz equation on a device: one thread per column.
#include "atmosphere/gridpoint/helmholtz_matrix.hpp"
#include <memory>
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "machine/launch.hpp"

namespace fathom {

namespace {

using namespace atmosphere::gridpoint;
using Column = HelmholtzColumns::Column;

/// F: numbers of the fields, T: of the solver.
template <class F, class T> struct Make {
    const Column* columns;
    const HelmholtzBlock* blocks;
    HelmholtzParameters parameters;
    int halo, levels;
    OfAir<FieldAt<const F>> fields;
    const F* damping;
    T *up, *centre, *down, *east, *north, *per_area;

    constexpr void operator()(std::size_t number) const {
        using Real = Pack<F, 1>;
        const auto [b, row, i] = columns[number];
        const HelmholtzBlock& block = blocks[b];
        const AboutAir<F> air = fields.map([&](const FieldAt<const F>& f) {
            const BlockAt& at = f.blocks[b];
            return AboutColumn<F>{f.first + at.of(row + halo, i + halo, 0), at.row, at.level};
        });
        helmholtz_column<Real>(parameters, air, damping, levels,
                               [&](int k, const HelmholtzCoefficients<Real>& c) {
                                   const std::ptrdiff_t n = block.place(row, k, i);
                                   up[n] = T(c.up.lanes), centre[n] = T(c.centre.lanes);
                                   down[n] = T(c.down.lanes), east[n] = T(c.east.lanes);
                                   north[n] = T(c.north.lanes);
                               });
        per_area[block.place(row, 0, i)] = T((1.0 / air.area.template number<Real>()).lanes);
    }
};

template <class F, class T> class Matrix final : public HelmholtzMatrixOnDevice {
public:
    Matrix(std::shared_ptr<Device> given, const HelmholtzColumns& of)
        : device(std::move(given)),
          parameters(of.parameters),
          halo(of.halo),
          levels(of.levels),
          count(of.columns.size()),
          columns(on_device(device, of.columns.data(), count)),
          blocks(on_device(device, of.blocks.data(), of.blocks.size())),
          tables(device) {
        device->wait();
    }
    void make(const OfAir<FieldSlab>& air, const std::byte* damping, const Arrays& to) override {
        const auto of = [&](const FieldSlab& f) { return tables.operator()<const F>(f); };
        launch::each(count, Make<F, T>{(const Column*)columns.at, (const HelmholtzBlock*)blocks.at,
                                       parameters, halo, levels, air.map(of), (const F*)damping,
                                       (T*)to.up, (T*)to.centre, (T*)to.down, (T*)to.east,
                                       (T*)to.north, (T*)to.per_area});
    }

private:
    std::shared_ptr<Device> device;
    HelmholtzParameters parameters;
    int halo, levels;
    std::size_t count;
    DeviceMemory columns, blocks;
    BlockTables tables;
};

std::unique_ptr<HelmholtzMatrixOnDevice> helmholtz_matrix_of(std::shared_ptr<Device> device,
                                                             const HelmholtzColumns& of) {
    if (of.bytes_of_fields == 4) return std::make_unique<Matrix<float, float>>(device, of);
    if (of.bytes == 4) return std::make_unique<Matrix<double, float>>(device, of);
    return std::make_unique<Matrix<double, double>>(device, of);
}

const Registered helmholtz_matrix(helmholtz_matrix_of);

}  // namespace

}  // namespace fathom
