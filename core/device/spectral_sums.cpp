/// Sums over the sphere of an atmosphere on a device: one thread per column.
#include "atmosphere/spectral/sums.hpp"
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "device/terms.hpp"

namespace fathom {

namespace {

using namespace atmosphere;
using Column = OwnColumns::Column;

/// Own columns and their layers.
struct Columns {
    const Column* columns;
    const LayerThickness* layers;
    int levels;
};
template <class Number> struct Of {
    FieldAt<Number> field;
    constexpr Number& operator()(const Column& c, int k = 0) const {
        return field(c.block, c.row, c.column, k);
    }
};

template <class T> struct Pressure {
    Columns all;
    Of<const T> pi;
    double* terms;
    constexpr void operator()(std::size_t n) const {
        const Column c = all.columns[n];
        terms[n] = c.weight * pressure_ratio(double(pi(c)));
    }
};

template <class T> struct Masses {
    Columns all;
    Of<const T> tracer, pi;
    TracerShare<T> share;
    double *terms, *shares;
    constexpr void operator()(std::size_t n) const {
        const Column c = all.columns[n];
        const double ps = unit_pressure * pressure_ratio(double(pi(c)));
        double sum = 0, of_share = 0;
        for (int k = 0; k < all.levels; ++k) {
            const double dp = c.weight * all.layers[k](ps);
            const T q = tracer(c, k);
            sum += dp * double(q), of_share += dp * double(share(q));
        }
        terms[n] = sum, shares[n] = of_share;
    }
};

template <class T> struct ColumnLoss {
    Columns all;
    Of<const T> before, height, u, v, temperature, pi;
    double heat_capacity;
    double* terms;
    constexpr void operator()(std::size_t n) const {
        const Column c = all.columns[n];
        const double ps = unit_pressure * pressure_ratio(double(pi(c)));
        double lost = constants::gravity * double(before(c)) - double(height(c)) * ps;
        for (int k = 0; k < all.levels; ++k)
            lost -= energy_of_layer(all.layers[k](ps), heat_capacity, double(temperature(c, k)),
                                    double(u(c, k)), double(v(c, k)));
        terms[n] = lost * c.weight;
    }
};

/// The kinetic energy of a level.
template <class T> struct Kinetic {
    Columns all;
    Of<const T> u, v;
    int level;
    double coarse, fine;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const {
        const Column c = all.columns[n];
        Limbs::add(kinetic_of_point(0.5 * c.weight, double(u(c, level)), double(v(c, level))),
                   coarse, fine, mine);
    }
};

/// A thread has a column of a level.
template <class T> struct Add {
    Columns all;
    std::size_t count;
    Of<T> field;
    T more;
    constexpr void operator()(std::size_t n) const {
        field(all.columns[n % count], int(n / count)) += more;
    }
};
template <class T> struct TimesWeight {
    const Column* columns;
    std::size_t count;
    Of<T> field;
    constexpr void operator()(std::size_t n) const {
        const Column c = columns[n % count];
        field(c, int(n / count)) *= T(c.weight);
    }
};
template <class T> struct CopyTimes {
    Columns all;
    std::size_t count;
    Of<const T> from;
    Of<T> to;
    T factor;
    constexpr void operator()(std::size_t n) const {
        const Column c = all.columns[n % count];
        const int k = int(n / count);
        to(c, k) = factor * from(c, k);
    }
};
template <class T> struct Correct {
    Columns all;
    std::size_t count;
    Of<T> tracer;
    TracerShare<T> share;
    T c;
    constexpr void operator()(std::size_t n) const {
        T& q = tracer(all.columns[n % count], int(n / count));
        q = q + c * share(q);
    }
};

template <class T> class Sums final : public SumsOnDevice {
public:
    Sums(std::shared_ptr<Device> given, const OwnColumns& own)
        : device(std::move(given)),
          count(own.columns.size()),
          columns(on_device(device, own.columns.data(), count)),
          layers(on_device(device, own.layers.data(), own.layers.size())),
          terms(device, count, 2),
          tables(device),
          all{(const Column*)columns.at, (const LayerThickness*)layers.at, int(own.layers.size())} {
        for (int n = 0; n < 3; ++n) {
            mapped[n] = on_device(device, own.mapped[n].data(), own.mapped[n].size());
            points = own.mapped[n].size();
        }
        device->wait();
    }

    void pressure(const FieldSlab& pi) override {
        launch::each(count, Pressure<T>{all, of(pi), terms[0]});
    }
    void masses(const FieldSlab& tracer, const FieldSlab& pi, double mean) override {
        launch::each(count, Masses<T>{all, of(tracer), of(pi), {T(mean)}, terms[0], terms[1]});
    }
    void energy(const SumsOnDevice::Energy& f, double heat_capacity) override {
        launch::each(count,
                     ColumnLoss<T>{all, of(f.before), of(f.height), of(f.east), of(f.north),
                                   of(f.temperature), of(f.log_ratio), heat_capacity, terms[0]});
    }
    std::vector<Limbs> kinetic(const FieldSlab& u, const FieldSlab& v, double coarse,
                               double fine) override {
        std::vector<Limbs> sums(all.levels);
        const std::size_t bytes = sums.size() * sizeof(Limbs);
        if (!levels.at) levels = DeviceMemory(device, bytes);
        device->clear(levels.at, bytes);
        for (int k = 0; k < all.levels; ++k)
            launch::totals<Limbs::words>(count, Kinetic<T>{all, of(u), of(v), k, coarse, fine},
                                         ((Limbs*)levels.at + k)->word);
        device->copy(sums.data(), levels.at, bytes, Device::Way::to_host);
        return sums;
    }
    void add(const FieldSlab& f, double more) override {
        launch::each(count * f.levels, Add<T>{all, count, changing(f), T(more)});
    }
    void times_map_factor(const FieldSlab& f, int power) override {
        const auto* weighted = (const Column*)mapped[power < 0 ? 0 : power].at;
        launch::each(points * f.levels, TimesWeight<T>{weighted, points, changing(f)});
    }
    void copy_times(const FieldSlab& from, const FieldSlab& to, double factor) override {
        launch::each(count * from.levels,
                     CopyTimes<T>{all, count, of(from), changing(to), T(factor)});
    }
    void correct(const FieldSlab& f, double mean, double c) override {
        launch::each(count * f.levels, Correct<T>{all, count, changing(f), {T(mean)}, T(c)});
    }
    double largest(int which) override { return terms.largest(which); }
    Limbs limbs(int which, double coarse, double fine) override {
        return terms.limbs(which, coarse, fine);
    }

private:
    std::shared_ptr<Device> device;
    std::size_t count, points = 0;
    DeviceMemory columns, layers, levels, mapped[3];
    Terms terms;
    BlockTables tables;
    Columns all;

    Of<const T> of(const FieldSlab& f) { return {tables.operator()<const T>(f)}; }
    Of<T> changing(const FieldSlab& f) { return {tables.operator()<T>(f)}; }
};

std::unique_ptr<SumsOnDevice> spectral_sums_of(std::shared_ptr<Device> device,
                                               const OwnColumns& own) {
    if (own.bytes == 4) return std::make_unique<Sums<float>>(std::move(device), own);
    return std::make_unique<Sums<double>>(std::move(device), own);
}

const Registered spectral_sums(spectral_sums_of);

}  // namespace

}  // namespace fathom
