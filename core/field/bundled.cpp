#include <omp.h>
#include <algorithm>
#include "field/bundled_on_device.hpp"
#include "machine/spent.hpp"

namespace fathom {

namespace {
constexpr int cells_at_once = 16;  // of a thread: they stay in its cache
}  // namespace

Bundled::Bundled(Process columns) : GlobalProcess(columns.name), process(std::move(columns)) {
    if (process.global) throw Error(process.name, " is no process of columns");
    for (const auto& f : process.fields) {
        if (f.reach) throw Error(process.name, " looks at neighbours of a column");
        if (f.own)
            items.push_back({-1});
        else if (f.access == Access::reads)
            items.push_back(reads(f.name, f.place, f.units));
        else if (f.access == Access::writes)
            items.push_back(writes(f.name, f.place, f.units));
        else
            items.push_back(updates(f.name, f.place, f.units));
    }
}

std::shared_ptr<MPI_Comm> Bundled::communicator(const Domain& d) {
    MPI_Comm own;
    MPI_Comm_dup(d.comm, &own);
    return {new MPI_Comm(own), [](MPI_Comm* c) {
                int over;
                MPI_Finalized(&over);
                if (!over) MPI_Comm_free(c);
                delete c;
            }};
}

bool Bundled::lives_on(Device& device) {
    return device.kernel(process.entry, 4) || device.kernel(process.entry, 8);
}

bool Bundled::apply_on(Device& device, Given at) {
    if (!lives_on(device)) return false;
    apply(at);
    device.wait();
    return true;
}

Bundled::There& Bundled::on(const std::shared_ptr<Device>& device, int bytes) const {
    if (!there || there->device != device || there->bytes != bytes)
        there = std::make_shared<There>(*this, device, bytes);
    return *there;
}

Bundled::There* Bundled::on_device(Given at) const {
    const auto& device = at.set.device();
    const bool lives = device && device->kernel(process.entry, at.set.bytes());
    return lives ? &on(device, at.set.bytes()) : nullptr;
}

Bundled::Bundle Bundled::bundle(std::size_t columns, int levels, int bytes, int cell) const {
    const std::size_t count = (columns + cell - 1) / cell * cell;
    Bundle b{count, levels, bytes, std::vector<std::size_t>(items.size()), 0, 0, 0, 0, {}};
    std::size_t end = Bundle::header * count;
    const auto lay = [&](Access access) {
        for (std::size_t p = 0; p < items.size(); ++p)
            if (const auto& f = process.fields[p]; travels(f) && f.access == access)
                b.begins[p] = end, end += count * std::size_t(numbers(f.place, levels));
        return end;
    };
    b.first_result = lay(Access::reads);
    b.last_input = lay(Access::updates);
    b.cost = lay(Access::writes);
    b.size = b.cost + count;
    return b;
}

Bundled::Bundle Bundled::bundle(std::size_t columns, const FieldSet& set) const {
    return bundle(columns, set.domain().levels, set.bytes(), set.layout->cell);
}

/// Copies fields of columns into a bundle; the rest of its last pack repeats the last column.
template <class T>
void Bundled::take(Given at, Bundle& to, std::span<const Column> from,
                   std::span<const Item> places) const {
    each_but(Access::writes, to, [&](std::size_t p, std::size_t begin, int levels) {
        const Field& f = at[places[p]];
        for (int k = 0; k < levels; ++k) {
            T* values = (T*)to.at(begin + k * to.count);
            for (std::size_t n = 0; n < to.count; ++n) {
                const Column& c = from[std::min(n, from.size() - 1)];
                values[n] = row_of<T>(f, c.block, c.row, k)[c.column];
            }
        }
    });
}

Bundled::Bundle Bundled::filled(Given at, std::span<const Column> from,
                                std::span<const Item> places) const {
    Bundle b = bundle(from.size(), at.set);
    b.memory.resize(b.size * b.bytes);
    if (from.empty()) return b;
    if (places.empty()) places = items;
    if (There* device = on_device(at))
        device->fill(at, b, from, places);
    else
        b.bytes == 4 ? take<float>(at, b, from, places) : take<double>(at, b, from, places);
    for (std::size_t n = 0; n < b.count; ++n) {
        const Column& c = from[std::min(n, from.size() - 1)];
        b.set(n, c.levels), b.set(b.count + n, c.cost);
    }
    return b;
}

template <class T>
void Bundled::put(Given at, const Bundle& from, std::span<const Column> to) const {
    each_but(Access::reads, from, [&](std::size_t p, std::size_t begin, int levels) {
        const Field& f = at[items[p]];
        for (int k = 0; k < levels; ++k) {
            const T* values = (const T*)from.at(begin + k * from.count);
            for (std::size_t n = 0; n < to.size(); ++n)
                row_of<T>(f, to[n].block, to[n].row, k)[to[n].column] = values[n];
        }
    });
}

void Bundled::give(Given at, const Bundle& from, std::span<Column> to) const {
    if (to.empty()) return;
    for (std::size_t n = 0; n < to.size(); ++n) to[n].cost = from.number(from.cost + n);
    if (There* device = on_device(at))
        device->give(at, from, to);
    else
        from.bytes == 4 ? put<float>(at, from, to) : put<double>(at, from, to);
}

Bundled::Where Bundled::where(Given at) const {
    const bool device = on_device(at);
    Where found{at.set.layout->cell, {}, device ? at.set.device() : nullptr};
    for (std::size_t p = 0; p < items.size(); ++p)
        if (process.fields[p].place != place::profile)
            found.profiles.push_back(nullptr);
        else
            found.profiles.push_back(device ? at.on_device(items[p]).at[0] : at[items[p]].at[0]);
    return found;
}

double Bundled::run(Given at, Bundle& b) const { return run(where(at), b); }

double Bundled::run(const Where& here, Bundle& b) const {
    if (here.device) return on(here.device, b.bytes).run(here, b);
    const int cell = here.cell, levels = b.levels;
    double seconds = 0;
#pragma omp parallel reduction(+ : seconds)
    {
        std::vector<std::vector<double>> memory;
        for (const auto& f : process.fields)
            memory.emplace_back(f.own ? std::size_t(f.own) * (levels + 1) * cell : 0);
#pragma omp for schedule(dynamic)
        for (std::size_t first = 0; first < b.count; first += cell) {
            std::vector<Raw> raw(items.size());
            int deepest = 0;
            for (int c = 0; c < cell; ++c) deepest = std::max(deepest, int(b.number(first + c)));
            for (std::size_t p = 0; p < items.size(); ++p) {
                const auto& use = process.fields[p];
                if (use.own)
                    raw[p] = {memory[p].data(), cell, 0};
                else if (use.place == place::profile)
                    raw[p] = {here.profiles[p], 1, 0};
                else
                    raw[p] = {b.at(b.begins[p] + first), b.between_levels(use), 0};
            }
            const Cell cells{0, deepest};
            const double began = processor_seconds();
            process.run(process.scheme.get(), raw.data(), &cells, &cells + 1);
            const double spent = processor_seconds() - began;
            for (int c = 0; c < cell; ++c) b.set(b.cost + first + c, spent / cell);
            seconds += spent;
        }
    }
    return seconds;
}

double Bundled::compute(Given at, std::span<Column> columns) const {
    if (There* device = on_device(at)) return device->compute(at, columns);
    const std::size_t most =
        std::size_t(at.set.layout->cell) * cells_at_once * omp_get_max_threads();
    double seconds = 0;
    for (std::size_t first = 0; first < columns.size(); first += most) {
        const auto some = columns.subspan(first, std::min(most, columns.size() - first));
        Bundle b = filled(at, some);
        seconds += run(at, b);
        give(at, b, some);
    }
    return seconds;
}

template <class T>
void Bundled::copy_here(Given at, std::span<const Column> columns, const Copied& one) const {
    const Field &from = at[one.from], &to = at[one.to];
    if (one.number >= from.levels) return;
    for (int k = 0; k < numbers(to); ++k)
        for (const Column& c : columns) {
            T& x = row_of<T>(to, c.block, c.row, k)[c.column];
            x = one.number < 0 ? row_of<T>(from, c.block, c.row, k)[c.column]
                               : ((const T*)from.at[0])[one.number];
        }
}

void Bundled::copy(Given at, std::span<const Column> columns,
                   std::span<const Copied> copied) const {
    if (columns.empty()) return;
    if (There* device = on_device(at)) return device->copy(at, columns, copied);
    for (const Copied& one : copied)
        at.set.bytes() == 4 ? copy_here<float>(at, columns, one)
                            : copy_here<double>(at, columns, one);
}

std::vector<double> Bundled::values(Given at, Item item, std::span<const Column> columns) const {
    if (There* device = on_device(at)) return device->values(at, item, columns);
    const Field& f = at[item];
    std::vector<double> found;
    for (const Column& c : columns)
        found.push_back(at.set.bytes() == 4 ? row_of<float>(f, c.block, c.row, 0)[c.column]
                                            : row_of<double>(f, c.block, c.row, 0)[c.column]);
    return found;
}

}  // namespace fathom
