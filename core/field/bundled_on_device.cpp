#include "field/bundled_on_device.hpp"
#include <algorithm>
#include <numeric>
#include "machine/region.hpp"

namespace fathom {

Bundled::There::There(const Bundled& of, std::shared_ptr<Device> given, int bytes)
    : device(std::move(given)),
      bytes(bytes),
      of(of),
      columns(device->make<ColumnsOnDevice>(bytes)) {}

void Bundled::There::make_room(const Bundle& b) {
    if (const std::size_t wanted = b.size * bytes + 64; rows.bytes < wanted) {
        rows = {};
        rows = DeviceMemory(device, wanted);
    }
}

/// Memory and tables of the process itself, for the columns of a bundle.
void Bundled::There::settle(const Bundle& b) {
    if (b.count <= settled) return;
    own = {}, own_at.clear(), scheme.reset();
    std::size_t end = 0;
    for (const auto& f : of.process.fields) {
        own_at.push_back(end);
        end += std::size_t(f.own) * (b.levels + 1) * b.count * bytes;
    }
    own = DeviceMemory(device, end + 64);
    scheme = device->settled(of.process.entry, of.process.scheme, bytes, b.count, b.levels);
    settled = b.count;
}

/// The bundle of these columns, there; the rest of its last pack repeats the last one.
Bundled::Bundle Bundled::There::choose(Given at, std::span<const Column> some) {
    const Bundle b = of.bundle(some.size(), at.set);
    make_room(b);
    std::vector<ColumnPoint> points;
    for (std::size_t n = 0; n < b.count; ++n) {
        const Column& c = some[std::min(n, some.size() - 1)];
        points.push_back({c.block, c.row, c.column});
    }
    columns->choose(points);
    return b;
}

void Bundled::There::take(Given given, const Bundle& b, std::span<const Item> from) {
    of.each_but(Access::writes, b, [&](std::size_t p, std::size_t begin, int levels) {
        columns->take(given.on_device(from[p]), levels, levels_of(begin, b));
    });
}

void Bundled::There::put(Given given, const Bundle& b) {
    of.each_but(Access::reads, b, [&](std::size_t p, std::size_t begin, int levels) {
        columns->give(levels_of(begin, b), levels, given.on_device(of.items[p]));
    });
}

/// Numbers of a bundle: from there to the same place there.
void Bundled::There::to_device(const std::byte* memory, std::size_t first, std::size_t end) {
    static const Region copying("copies to the device", "", "copy");
    Within within(copying);
    device->copy(rows.at + first * bytes, memory + first * bytes, (end - first) * bytes,
                 Device::Way::to_device);
}
void Bundled::There::to_host(std::byte* memory, std::size_t first, std::size_t end) {
    static const Region copying("copies from the device", "", "copy");
    Within within(copying);
    device->copy(memory + first * bytes, rows.at + first * bytes, (end - first) * bytes,
                 Device::Way::to_host);
}

void Bundled::There::fill(Given at, Bundle& b, std::span<const Column> some,
                          std::span<const Item> from) {
    take(at, choose(at, some), from);
    to_host(b.at(0), Bundle::header * b.count, b.last_input);
}

void Bundled::There::give(Given at, const Bundle& b, std::span<const Column> some) {
    const Bundle chosen = choose(at, some);
    to_device(b.at(0), b.first_result, b.cost);
    put(at, chosen);
}

double Bundled::There::run(const Where& where, Bundle& b) {
    if (b.count == 0) return 0;
    std::vector<Column> some(b.count);
    for (std::size_t n = 0; n < b.count; ++n)
        some[n].levels = int(b.number(n)), some[n].cost = b.number(b.count + n);
    make_room(b);
    to_device(b.at(0), Bundle::header * b.count, b.last_input);
    const double seconds = launch(where, b, some);
    to_host(b.at(0), b.first_result, b.cost);
    for (std::size_t n = 0; n < b.count; ++n) b.set(b.cost + n, some[n].cost);
    return seconds;
}

double Bundled::There::compute(Given at, std::span<Column> some) {
    if (some.empty()) return 0;
    const Bundle b = choose(at, some);
    take(at, b, of.items);
    const double seconds = launch(of.where(at), b, some);
    put(at, b);
    return seconds;
}

/// Computes what is in `rows`; columns share the time as was expected of them: where launches have
/// different columns, costs tend to those that explain the times best (Richardson and Lucy).
double Bundled::There::launch(const Where& where, const Bundle& b, std::span<Column> some) {
    settle(b);
    std::vector<Cell> list;
    for (std::size_t first = 0; first < some.size(); first += where.cell) {
        const auto cell =
            some.subspan(first).first(std::min<std::size_t>(where.cell, some.size() - first));
        list.push_back({int(first), std::ranges::max(cell, {}, &Column::levels).levels});
    }
    renew(cells, device, std::span<const Cell>(list));
    std::vector<Raw> raw;
    for (std::size_t p = 0; p < of.items.size(); ++p)
        if (const auto& use = of.process.fields[p]; use.own)
            raw.push_back({own.at + own_at[p], std::ptrdiff_t(b.count), 0});
        else if (use.place == place::profile)
            raw.push_back({where.profiles[p], 1, 0});
        else
            raw.push_back({rows.at + b.begins[p] * bytes, b.between_levels(use), 0});
    const Cell* const first = (const Cell*)cells.at;
    device->mark(0);
    const auto run = (Process::Run)device->kernel(of.process.entry, bytes);
    run(scheme.get(), raw.data(), first, first + list.size());
    device->mark(1);
    const double seconds = device->between(0, 1);
    const double expected = std::transform_reduce(some.begin(), some.end(), 0., std::plus(),
                                                  [](const Column& c) { return c.cost; });
    for (Column& c : some)
        c.cost = expected > 0 ? seconds * c.cost / expected : seconds / double(some.size());
    return seconds;
}

void Bundled::There::copy(Given given, std::span<const Column> some,
                          std::span<const Copied> copied) {
    const Bundle b = choose(given, some);
    for (const Copied& one : copied) {
        const Field from = given.on_device(one.from), to = given.on_device(one.to);
        if (one.number < 0) {
            columns->take(from, numbers(to), levels_of(0, b));
            columns->give(levels_of(0, b), numbers(to), to);
        } else if (one.number < from.levels)
            columns->give({from.at[0] + one.number * bytes, 0, 0}, 1, to);
    }
}

std::vector<double> Bundled::There::values(Given given, Item item, std::span<const Column> some) {
    if (some.empty()) return {};
    const Bundle b = choose(given, some);
    columns->take(given.on_device(item), 1, levels_of(0, b));
    std::vector<std::byte> found(b.count * bytes);
    to_host(found.data(), 0, b.count);
    std::vector<double> as_double(some.size());
    for (std::size_t n = 0; n < some.size(); ++n)
        as_double[n] = bytes == 4 ? ((const float*)found.data())[n] : ((double*)found.data())[n];
    return as_double;
}

}  // namespace fathom
