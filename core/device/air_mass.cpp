#include "device/air_mass.hpp"
#include "device/blocks.hpp"
#include "device/terms.hpp"

namespace fathom {

namespace {

using namespace atmosphere;
using Column = AirColumns::Column;

template <class T> struct Mass {
    const Column* columns;
    int layers;
    double curvature;
    FieldAt<const T> density, height, area;
    double* terms;
    constexpr void operator()(std::size_t n) const {
        const auto [block, row, column] = columns[n];
        double sum = 0, above = height(block, row, column, 0);
        for (int k = 0; k < layers; ++k) {
            const double below = height(block, row, column, k + 1);
            sum += air_of_layer(double(density(block, row, column, k)), above, below, curvature);
            above = below;
        }
        terms[n] = sum * double(area(block, row, column, 0));
    }
};

/// A thread has a column of a level.
template <class T> struct Scale {
    const Column* columns;
    std::size_t count;
    FieldAt<T> field;
    T by;
    constexpr void operator()(std::size_t n) const {
        const auto [block, row, column] = columns[n % count];
        field(block, row, column, std::ptrdiff_t(n / count)) *= by;
    }
};

template <class T> class AirMass final : public AirMassOnDevice {
public:
    AirMass(const std::shared_ptr<Device>& device, const AirColumns& own)
        : count(own.columns.size()),
          layers(own.layers),
          curvature(own.curvature),
          columns(on_device(device, own.columns.data(), count)),
          sums(device, count, 1),
          tables(device) {
        device->wait();
    }
    void terms(const FieldSlab& density, const FieldSlab& height, const FieldSlab& area) override {
        launch::each(
            count, Mass<T>{list(), layers, curvature, of(density), of(height), of(area), sums[0]});
    }
    double largest() override { return sums.largest(0); }
    Limbs limbs(double coarse, double fine) override { return sums.limbs(0, coarse, fine); }
    void scale(const FieldSlab& density, double by) override {
        launch::each(count * layers, Scale<T>{list(), count, tables.operator()<T>(density), T(by)});
    }

private:
    std::size_t count;
    int layers;
    double curvature;
    DeviceMemory columns;
    Terms sums;
    BlockTables tables;

    const Column* list() const { return (const Column*)columns.at; }
    FieldAt<const T> of(const FieldSlab& f) { return tables.operator()<const T>(f); }
};

}  // namespace

std::unique_ptr<AirMassOnDevice> air_mass_of(std::shared_ptr<Device> device,
                                             const AirColumns& own) {
    if (own.bytes == 4) return std::make_unique<AirMass<float>>(device, own);
    return std::make_unique<AirMass<double>>(device, own);
}

}  // namespace fathom
