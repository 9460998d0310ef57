#include "field/bundled.hpp"
#include <omp.h>
#include <algorithm>
#include "machine/spent.hpp"

namespace fathom {

namespace {
constexpr int header = 2;  // rows before the fields
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

Bundled::Bundle Bundled::bundle(std::size_t count, int levels) const {
    Bundle b{count, header * count, 0, {}, {}};
    for (const auto& f : process.fields) {
        b.begins.push_back(b.size);
        if (travels(f)) b.size += count * std::size_t(numbers(f.place, levels));
    }
    return b;
}

/// Copies fields of columns into a bundle; the rest of its last pack repeats the last column.
template <class T>
void Bundled::take(Given at, Bundle& to, std::span<const Column> from,
                   std::span<const Item> places) const {
    const auto column = [&](std::size_t n) -> const Column& {
        return from[std::min(n, from.size() - 1)];
    };
    for (std::size_t n = 0; n < to.count; ++n) ((T*)to.at(0))[n] = T(column(n).levels);
    for (std::size_t p = 0; p < items.size(); ++p) {
        const auto& use = process.fields[p];
        if (!travels(use) || use.access == Access::writes) continue;
        const Field& f = at[places[p]];
        for (int k = 0; k < numbers(f); ++k) {
            T* values = (T*)to.at(to.begins[p] + k * to.count);
            for (std::size_t n = 0; n < to.count; ++n) {
                const Column& c = column(n);
                values[n] = row_of<T>(f, c.block, c.row, k)[c.column];
            }
        }
    }
}

template <class T>
Bundled::Bundle Bundled::filled(Given at, std::span<const Column> from,
                                std::span<const Item> places) const {
    const std::size_t cell = at.set.layout->cell;
    Bundle b = bundle((from.size() + cell - 1) / cell * cell, at.set.domain().levels);
    b.bytes = sizeof(T);
    b.memory.resize(b.size * sizeof(T));
    if (!from.empty()) take<T>(at, b, from, places.empty() ? std::span<const Item>(items) : places);
    return b;
}

template <class T> void Bundled::give(Given at, const Bundle& from, std::span<Column> to) const {
    for (std::size_t n = 0; n < to.size(); ++n)
        to[n].cost = double(((const T*)from.at(from.count))[n]);
    for (std::size_t p = 0; p < items.size(); ++p) {
        const auto& use = process.fields[p];
        if (!travels(use) || use.access == Access::reads) continue;
        const Field& f = at[items[p]];
        for (int k = 0; k < numbers(f); ++k) {
            const T* values = (const T*)from.at(from.begins[p] + k * from.count);
            for (std::size_t n = 0; n < to.size(); ++n)
                row_of<T>(f, to[n].block, to[n].row, k)[to[n].column] = values[n];
        }
    }
}

void Bundled::run(Given at, Bundle& b) const {
    Where here{at.set.layout->cell, at.set.domain().levels, {}};
    for (std::size_t p = 0; p < items.size(); ++p)
        here.profiles.push_back(
            process.fields[p].place == place::profile ? (void*)at[items[p]].at[0] : nullptr);
    run(here, b);
}

void Bundled::run(const Where& here, Bundle& b) const {
    const int cell = here.cell, bytes = b.bytes, levels = here.levels;
    std::size_t own = 0;
    for (const auto& f : process.fields) own = std::max<std::size_t>(own, f.own);
    const auto number = [&](std::size_t n) {
        return bytes == 4 ? double(*(const float*)b.at(n)) : *(const double*)b.at(n);
    };
#pragma omp parallel
    {
        std::vector<std::vector<double>> memory;
        for (const auto& f : process.fields)
            memory.emplace_back(f.own ? std::size_t(f.own) * (levels + 1) * cell : 0);
#pragma omp for schedule(dynamic)
        for (std::size_t first = 0; first < b.count; first += cell) {
            std::vector<Raw> raw(items.size());
            int deepest = 0;
            for (int c = 0; c < cell; ++c) deepest = std::max(deepest, int(number(first + c)));
            for (std::size_t p = 0; p < items.size(); ++p) {
                const auto& use = process.fields[p];
                if (use.own)
                    raw[p] = {memory[p].data(), cell, 0};
                else if (use.place == place::profile)
                    raw[p] = {here.profiles[p], 1, 0};
                else
                    raw[p] = {b.at(b.begins[p] + first),
                              use.place.vertical == Vertical::column ? 0 : std::ptrdiff_t(b.count),
                              0};
            }
            const Cell cells{0, deepest};
            const double began = processor_seconds();
            process.run(process.scheme.get(), raw.data(), &cells, &cells + 1);
            const double each = (processor_seconds() - began) / cell;
            for (int c = 0; c < cell; ++c)
                if (bytes == 4)
                    *(float*)b.at(b.count + first + c) = float(each);
                else
                    *(double*)b.at(b.count + first + c) = each;
        }
    }
}

template Bundled::Bundle Bundled::filled<float>(Given, std::span<const Column>,
                                                std::span<const Item>) const;
template Bundled::Bundle Bundled::filled<double>(Given, std::span<const Column>,
                                                 std::span<const Item>) const;
template void Bundled::give<float>(Given, const Bundle&, std::span<Column>) const;
template void Bundled::give<double>(Given, const Bundle&, std::span<Column>) const;

}  // namespace fathom
