/// The mass of air of a grid-point atmosphere on a device: one thread per column.
#include "atmosphere/gridpoint/air_mass.hpp"
#include "atmosphere/tracer_share.hpp"
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "device/terms.hpp"

namespace fathom {

namespace {

using namespace atmosphere;
using Column = AirColumns::Column;

// A thread has a column.

template <class T> struct AirOf {
    FieldAt<const T> density, height, area;
    double curvature;
    constexpr double layer(const Column& c, int k) const {
        const auto at = [&](const auto& field, int level) {
            return double(field(c.block, c.row, c.column, level));
        };
        return air_of_layer(at(density, k), at(height, k), at(height, k + 1), curvature);
    }
    constexpr double area_of(const Column& c) const {
        return double(area(c.block, c.row, c.column, 0));
    }
};

template <class T> struct Mass {
    const Column* columns;
    int layers;
    AirOf<T> air;
    double* terms;
    constexpr void operator()(std::size_t n) const {
        const Column c = columns[n];
        double sum = 0;
        for (int k = 0; k < layers; ++k) sum += air.layer(c, k);
        terms[n] = sum * air.area_of(c);
    }
};

template <class T> struct TracerMass {
    const Column* columns;
    int layers;
    AirOf<T> air;
    FieldAt<const T> tracer;
    TracerShare<T> share;
    double *terms, *shares;
    constexpr void operator()(std::size_t n) const {
        const Column c = columns[n];
        double sum = 0, sum_of_shares = 0;
        for (int k = 0; k < layers; ++k) {
            const double mass = air.layer(c, k);
            const T q = tracer(c.block, c.row, c.column, k),
                    next = tracer(c.block, c.row, c.column, std::min(k + 1, layers - 1));
            sum += mass * mean_of_layer(q, next);
            sum_of_shares += mass * mean_of_layer(share(q), share(next));
        }
        terms[n] = sum * air.area_of(c), shares[n] = sum_of_shares * air.area_of(c);
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
template <class T> struct Correct {
    const Column* columns;
    std::size_t count;
    FieldAt<T> tracer;
    TracerShare<T> share;
    T c;
    constexpr void operator()(std::size_t n) const {
        const auto [block, row, column] = columns[n % count];
        T& q = tracer(block, row, column, std::ptrdiff_t(n / count));
        q += c * share(q);
    }
};

template <class T> class AirMass final : public AirMassOnDevice {
public:
    AirMass(const std::shared_ptr<Device>& device, const AirColumns& own)
        : count(own.columns.size()),
          layers(own.layers),
          curvature(own.curvature),
          columns(on_device(device, own.columns.data(), count)),
          sums(device, count, 2),
          tables(device) {
        device->wait();
    }
    void terms(const Air& a) override {
        launch::each(count, Mass<T>{list(), layers, air(a), sums[0]});
    }
    void terms(const Air& a, const FieldSlab& tracer, double mean) override {
        launch::each(
            count, TracerMass<T>{list(), layers, air(a), of(tracer), {T(mean)}, sums[0], sums[1]});
    }
    double largest(int which) override { return sums.largest(which); }
    Limbs limbs(int which, double coarse, double fine) override {
        return sums.limbs(which, coarse, fine);
    }
    void scale(const FieldSlab& density, double by) override {
        launch::each(count * layers, Scale<T>{list(), count, tables.operator()<T>(density), T(by)});
    }
    void correct(const FieldSlab& tracer, double mean, double c) override {
        launch::each(count * layers,
                     Correct<T>{list(), count, tables.operator()<T>(tracer), {T(mean)}, T(c)});
    }

private:
    std::size_t count;
    int layers;
    double curvature;
    DeviceMemory columns;
    Terms sums;
    BlockTables tables;

    const Column* list() const { return (const Column*)columns.at; }
    AirOf<T> air(const Air& a) { return {of(a.density), of(a.height), of(a.area), curvature}; }
    FieldAt<const T> of(const FieldSlab& f) { return tables.operator()<const T>(f); }
};

std::unique_ptr<AirMassOnDevice> air_mass_of(std::shared_ptr<Device> device,
                                             const AirColumns& own) {
    if (own.bytes == 4) return std::make_unique<AirMass<float>>(device, own);
    return std::make_unique<AirMass<double>>(device, own);
}

const Registered air_mass(air_mass_of);

}  // namespace

}  // namespace fathom
