/// The coupling zone of a limited area on a device: one thread per number.
#include "atmosphere/relaxation.hpp"
#include <memory>
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "machine/launch.hpp"

namespace fathom {

namespace {

using namespace atmosphere;
using Point = RelaxedPoints::Point;

/// A thread has a point of a level.
template <class T> struct Relax {
    const Point* points;
    std::size_t count;
    const double* upper;
    FieldAt<T> field;
    FieldAt<const T> before, after;
    const T* weight;
    constexpr void operator()(std::size_t n) const {
        const Point p = points[n % count];
        const int k = int(n / count);
        const auto at = [&](const auto& f) -> auto& { return f(p.block, p.row, p.column, k); };
        T& x = at(field);
        x = relaxed(x, outer_at(at(before), at(after), *weight),
                    share_of_outer<T>(p.alpha, upper[k]));
    }
};

template <class T> class Relaxation final : public RelaxationOnDevice {
public:
    Relaxation(std::shared_ptr<Device> given, const RelaxedPoints& p)
        : device(std::move(given)),
          count(p.points.size()),
          points(on_device(device, p.points.data(), count)),
          upper(on_device(device, p.upper.data(), p.upper.size())),
          tables(device) {
        device->wait();
    }
    void relax(const FieldSlab& field, const FieldSlab& before, const FieldSlab& after,
               const FieldSlab& weight) override {
        launch::each(count * field.levels,
                     Relax<T>{(const Point*)points.at, count, (const double*)upper.at,
                              tables.operator()<T>(field), tables.operator()<const T>(before),
                              tables.operator()<const T>(after), (const T*)weight.at[0]});
    }

private:
    std::shared_ptr<Device> device;
    std::size_t count;
    DeviceMemory points, upper;
    BlockTables tables;
};

std::unique_ptr<RelaxationOnDevice> relaxation_of(std::shared_ptr<Device> device,
                                                  const RelaxedPoints& points) {
    if (points.bytes == 4) return std::make_unique<Relaxation<float>>(std::move(device), points);
    return std::make_unique<Relaxation<double>>(std::move(device), points);
}

const Registered relaxation(relaxation_of);

}  // namespace

}  // namespace fathom
