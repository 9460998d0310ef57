#include "device/radiation.hpp"
#include "machine/launch.hpp"
#include "physics/radiation/rrtmgp/scheme.hpp"

namespace fathom {

namespace {

using namespace physics;
using namespace physics::rrtmgp;

/// Columns at once: as many as fill a large device, and on a processor as few as stay in its cache.
constexpr std::size_t at_once = launch::on_device ? 1 << 15 : 16;

/// Where the columns of a launch lie in fields and in memory.
template <class T> struct Job {
    Settings settings;
    std::array<Raw, uses<RRTMGP>.size()> fields;
    const Cell* first;
    std::size_t begin, count;  ///< columns
    std::byte* memory;
    std::size_t each, own;  ///< bytes of a column; of those that InModel uses
    int layers;

    using Real = Pack<T, 1>;
    template <class Argument> constexpr Argument of(std::size_t n, int field) const {
        constexpr int cell = cell_width<T>;
        const int i = int(begin + n);
        const Cell& at = first[i / cell];
        return argument<Argument>(&fields[0] + field, at.column - first->column + i % cell, at.row,
                                  Levels{layers});
    }
    constexpr auto air(std::size_t n) const { return of<Air<Real>>(n, 0); }
    constexpr auto ground(std::size_t n) const { return of<GroundAndSun<Real>>(n, 7); }
    constexpr auto given(std::size_t n) const { return of<Given<Real>>(n, 15); }
    constexpr InModel<T> column(std::size_t n) const {
        InModel<T> column;
        column.place(memory + n * each, settings, layers);
        return column;
    }
    constexpr Work<T> work(std::size_t n, const KDistribution& k) const {
        Work<T> work;
        work.place(memory + n * each + own, k, layers);
        return work;
    }
};

/// body(gas optics of these tables), from a lane on.
template <class T, class Body>
constexpr void with_gases(const KDistribution& k, const Column<T>& c, const Work<T>& work, int lane,
                          const Body& body) {
    if (k.by_gas())
        body(EcCKD<T, 1>(k, c, work, lane));
    else
        body(GasOptics<T, 1>(k, c, work, lane));
}

/// The beginning of a spectrum, once for a column.
template <class T>
constexpr void locate(const KDistribution& k, const Column<T>& c, const Work<T>& work) {
    with_gases<T>(k, c, work, 0, [](auto gases) { gases.locate(); });
    Clouds<T, 1>(k, c, work).locate();
}

template <class T> struct Take {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        const auto one = job.column(n);
        one.take(job.settings, job.air(n), job.ground(n), 0);
        if (!one.site->there) return;
        const auto& k = job.settings.thermal;
        const auto work = job.work(n, k);
        const auto column = one.in_thermal(job.settings);
        locate<T>(k, column, work);
        Longwave<T, 1>(k, column, work).locate();
    }
};

/// What eight threads do for a column of one spectrum: body(tables, column, memory, lane).
template <class T, bool thermal, class Body>
constexpr void in_lanes(const Job<T>& job, std::size_t n, const Body& body) {
    const auto one = job.column(n / lanes);
    if (!(thermal ? one.site->there : one.site->lit)) return;
    const auto& k = thermal ? job.settings.thermal : job.settings.solar;
    const auto column = thermal ? one.in_thermal(job.settings) : one.in_solar(job.settings);
    body(k, column, job.work(n / lanes, k), int(n % lanes));
}

/// Lanes are layers.
template <class T, bool thermal> struct Weigh {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        in_lanes<T, thermal>(job, n, [](auto& k, auto& column, const auto& work, int lane) {
            with_gases<T>(k, column, work, lane, [](const auto& gases) { gases.weigh(); });
        });
    }
};

/// Lanes are g points, counted from the first of each band.
template <class T, bool thermal> struct Absorb {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        in_lanes<T, thermal>(job, n, [](auto& k, auto& column, const auto& work, int lane) {
            with_gases<T>(k, column, work, lane, [](const auto& gases) { gases.absorb(); });
        });
    }
};

/// Lanes are g points from here on.
template <class T, bool thermal> struct AddClouds {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        const bool scatters = !thermal || job.settings.angles == 0;
        in_lanes<T, thermal>(job, n, [=](auto& k, auto& column, const auto& work, int lane) {
            if (thermal && scatters) work.clear_scattering(k, column.layers, lane);
            Clouds<T, 1>(k, column, work, lane).add(!thermal, scatters);
        });
    }
};

template <class T, bool thermal> struct Transfer {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        const int angles = job.settings.angles;
        in_lanes<T, thermal>(job, n, [=](auto& k, auto& column, const auto& work, int lane) {
            if constexpr (thermal)
                Longwave<T, 1>(k, column, work, lane)(angles, true);
            else
                Shortwave<T, 1>(k, column, work, lane)(true);
        });
    }
};

/// Of the long wave, once for a column; then the beginning of the short wave.
template <class T> struct GiveLongwave {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        const auto one = job.column(n);
        if (!one.site->there) return;
        const auto& thermal = job.settings.thermal;
        Longwave<T, 1>(thermal, one.in_thermal(job.settings), job.work(n, thermal))
            .give({one.up, one.down, one.reaches});
        one.give_longwave(job.given(n), 0);
        const auto& solar = job.settings.solar;
        if (one.site->lit) locate<T>(solar, one.in_solar(job.settings), job.work(n, solar));
    }
};

template <class T> struct GiveShortwave {
    Job<T> job;
    constexpr void operator()(std::size_t n) const {
        const auto one = job.column(n);
        if (!one.site->there) return;
        const auto& solar = job.settings.solar;
        if (one.site->lit)
            Shortwave<T, 1>(solar, one.in_solar(job.settings), job.work(n, solar))
                .give({one.up, one.down, one.beam, one.reflected});
        one.give_shortwave(job.given(n), 0);
    }
};

/// The settings of an RRTMGP with lists on a device, and memory for columns.
template <class T> class OnDevice {
public:
    OnDevice(const std::shared_ptr<Device>& device, const RRTMGP& scheme, std::size_t columns,
             int layers)
        : settings(scheme), layers(layers) {
        const auto send = [&]<class Number>(std::span<const Number>& list) {
            lists.push_back(on_device(device, list.data(), list.size()));
            list = {(const Number*)lists.back().at, list.size()};
        };
        settings.thermal.each_list(send), settings.solar.each_list(send);
        send(settings.of_thermal), send(settings.of_solar), send(settings.water_factors);
        own = InModel<T>().place(nullptr, scheme, layers);
        each = own + std::max(Work<T>().place(nullptr, scheme.thermal, layers),
                              Work<T>().place(nullptr, scheme.solar, layers));
        const std::size_t room = device->free_memory() / 4 / each;
        most =
            std::min({std::max<std::size_t>(columns, 1), at_once, std::max<std::size_t>(room, 1)});
        memory = DeviceMemory(device, each * most);
    }
    void run(const Raw* at, const Cell* first, const Cell* last) const {
        Job<T> job{settings, {}, first, 0, 0, memory.at, each, own, layers};
        std::copy_n(at, job.fields.size(), job.fields.begin());
        const std::size_t all = std::size_t(last - first) * cell_width<T>;
        for (; job.begin < all; job.begin += most) {
            job.count = std::min(most, all - job.begin);
            launch::each(job.count, Take<T>{job});
            in_spectrum<true>(job);
            launch::each(job.count, GiveLongwave<T>{job});
            in_spectrum<false>(job);
            launch::each(job.count, GiveShortwave<T>{job});
        }
    }

private:
    Settings settings;
    int layers;
    std::size_t most, own, each;
    std::vector<DeviceMemory> lists;
    DeviceMemory memory;

    template <bool thermal> static void in_spectrum(const Job<T>& job) {
        const std::size_t threads = job.count * lanes;
        launch::each(threads, Weigh<T, thermal>{job});
        launch::each(threads, Absorb<T, thermal>{job});
        launch::each(threads, AddClouds<T, thermal>{job});
        launch::each(threads, Transfer<T, thermal>{job});
    }
};

template <class T>
void run(const void* scheme, const Raw* at, const Cell* first, const Cell* last) {
    static_cast<const OnDevice<T>*>(scheme)->run(at, first, last);
}

}  // namespace

std::shared_ptr<const void> radiation_on(std::shared_ptr<Device> device, const void* scheme,
                                         int bytes, std::size_t columns, int layers) {
    const auto& given = *static_cast<const RRTMGP*>(scheme);
    if (bytes == 4) return std::make_shared<OnDevice<float>>(device, given, columns, layers);
    return std::make_shared<OnDevice<double>>(device, given, columns, layers);
}

Process::Run radiation_kernel(int bytes) { return bytes == 4 ? run<float> : run<double>; }

}  // namespace fathom
