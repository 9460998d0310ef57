#include "device/samples.hpp"
#include "device/blocks.hpp"
#include "machine/launch.hpp"

namespace fathom {

namespace {

template <class T> struct Take {
    const SamplePoints::Point* samples;
    unsigned count;
    FieldAt<const T> from;
    T* to;
    constexpr void operator()(std::size_t n) const {
        const auto [block, row, column] = samples[n % count];
        to[n] = from(block, row, column, std::ptrdiff_t(n / count));
    }
};

template <class T> struct Ask {
    const int* asked;
    unsigned number, count;  ///< of those asked for; of samples
    const T* from;
    std::size_t first, numbers;
    T* to;
    constexpr void operator()(std::size_t n) const {
        const std::size_t level = n / number, sample = n % number;
        to[sample * numbers + first + level] = from[level * count + std::size_t(asked[sample])];
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

template <class T> class Samples final : public SamplesOnDevice {
public:
    Samples(const std::shared_ptr<Device>& device, const SamplePoints& given)
        : count(unsigned(given.samples.size())),
          asked_for(unsigned(given.asked.size())),
          columns(unsigned(given.between.size())),
          numbers(given.numbers),
          samples(on_device(device, given.samples.data(), given.samples.size())),
          asked(on_device(device, given.asked.data(), given.asked.size())),
          between(on_device(device, given.between.data(), given.between.size())),
          blocks(device) {
        device->wait();
    }
    void take(const FieldSlab& from, int levels, std::byte* to) override {
        launch::each(std::size_t(count) * levels,
                     Take<T>{(const SamplePoints::Point*)samples.at, count,
                             blocks.operator()<const T>(from), (T*)to});
    }
    void ask(const std::byte* from, int levels, std::size_t first, std::byte* to) override {
        launch::each(
            std::size_t(asked_for) * levels,
            Ask<T>{(const int*)asked.at, asked_for, count, (const T*)from, first, numbers, (T*)to});
    }
    void interpolate(const std::byte* received, std::size_t first, int levels,
                     const FieldSlab& to) override {
        launch::each(std::size_t(columns) * levels,
                     Interpolate<T>{(const SamplePoints::Between*)between.at, columns,
                                    (const T*)received, first, numbers, blocks.operator()<T>(to)});
    }

private:
    unsigned count, asked_for, columns;
    std::size_t numbers;
    DeviceMemory samples, asked, between;
    BlockTables blocks;
};

}  // namespace

std::unique_ptr<SamplesOnDevice> samples_of(std::shared_ptr<Device> device,
                                            const SamplePoints& given) {
    if (given.bytes == 4) return std::make_unique<Samples<float>>(device, given);
    return std::make_unique<Samples<double>>(device, given);
}

}  // namespace fathom
