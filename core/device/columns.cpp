/// Columns of fields on a device: a thread for each number.
#include "field/columns.hpp"
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "machine/launch.hpp"

namespace fathom {

namespace {

template <class T> struct Take {
    const ColumnPoint* points;
    unsigned count;
    FieldAt<const T> from;
    T* to;
    std::size_t column, level;
    constexpr void operator()(std::size_t n) const {
        const ColumnPoint p = points[n % count];
        const std::size_t k = n / count;
        to[n % count * column + k * level] = from(p.block, p.row, p.column, std::ptrdiff_t(k));
    }
};

template <class T> struct Give {
    const ColumnPoint* points;
    unsigned count;
    const T* from;
    std::size_t column, level;
    FieldAt<T> to;
    constexpr void operator()(std::size_t n) const {
        const ColumnPoint p = points[n % count];
        const std::size_t k = n / count;
        to(p.block, p.row, p.column, std::ptrdiff_t(k)) = from[n % count * column + k * level];
    }
};

template <class T> struct Interpolate {
    const SamplePoints::Between* between;
    unsigned count;
    const T* received;
    std::size_t first, numbers;
    FieldAt<T> to;
    constexpr void operator()(std::size_t n) const {
        const auto& one = between[n % count];
        const std::size_t level = n / count;
        const auto x = [&](int m) {
            return T(one.weights[m]) *
                   received[std::size_t(one.samples[m]) * numbers + first + level];
        };
        to(one.point.block, one.point.row, one.point.column, std::ptrdiff_t(level)) =
            (x(0) + x(1)) + (x(2) + x(3));
    }
};

template <class T> class Columns final : public ColumnsOnDevice {
public:
    explicit Columns(std::shared_ptr<Device> given) : device(std::move(given)), blocks(device) {}
    void choose(std::span<const ColumnPoint> some) override {
        renew(points, device, some), count = unsigned(some.size());
    }
    void take(const FieldSlab& from, int levels, const Values& to) override {
        launch::each(std::size_t(count) * levels,
                     Take<T>{chosen(), count, blocks.operator()<const T>(from), (T*)to.at,
                             to.column, to.level});
    }
    void give(const Values& from, int levels, const FieldSlab& to) override {
        launch::each(std::size_t(count) * levels,
                     Give<T>{chosen(), count, (const T*)from.at, from.column, from.level,
                             blocks.operator()<T>(to)});
    }

private:
    std::shared_ptr<Device> device;
    DeviceMemory points;
    unsigned count = 0;
    BlockTables blocks;
    const ColumnPoint* chosen() const { return (const ColumnPoint*)points.at; }
};

template <class T> class Samples final : public SamplesOnDevice {
public:
    Samples(const std::shared_ptr<Device>& device, const SamplePoints& given)
        : columns(unsigned(given.between.size())),
          numbers(given.numbers),
          between(on_device(device, given.between.data(), given.between.size())),
          blocks(device) {
        device->wait();
    }
    void interpolate(const std::byte* received, std::size_t first, int levels,
                     const FieldSlab& to) override {
        launch::each(std::size_t(columns) * levels,
                     Interpolate<T>{(const SamplePoints::Between*)between.at, columns,
                                    (const T*)received, first, numbers, blocks.operator()<T>(to)});
    }

private:
    unsigned columns;
    std::size_t numbers;
    DeviceMemory between;
    BlockTables blocks;
};

std::unique_ptr<ColumnsOnDevice> columns_on(std::shared_ptr<Device> device, const int& bytes) {
    if (bytes == 4) return std::make_unique<Columns<float>>(std::move(device));
    return std::make_unique<Columns<double>>(std::move(device));
}

std::unique_ptr<SamplesOnDevice> samples_of(std::shared_ptr<Device> device,
                                            const SamplePoints& given) {
    if (given.bytes == 4) return std::make_unique<Samples<float>>(device, given);
    return std::make_unique<Samples<double>>(device, given);
}

const Registered columns(columns_on);
const Registered samples(samples_of);

}  // namespace

}  // namespace fathom
