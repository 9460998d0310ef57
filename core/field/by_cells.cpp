#include "field/by_cells.hpp"
#include <cstring>
#include "field/adjoint.hpp"

namespace fathom {

namespace {

constexpr std::size_t line = 64;  // bytes of a level: a cell

/// Memory of a thread for a cell: for values, for changes, for the kernel, equal in size.
class OneCell {
public:
    OneCell(const Process& process, int bytes, int levels) : process(process), bytes(bytes) {
        for (auto& use : process.fields) {
            begins.push_back(size);
            counts.push_back(count(use, levels));
            size += counts.back() * line;
        }
        memory.resize(3 * size + line);
        at = memory.data() + (line - std::size_t(memory.data()) % line) % line;
    }
    std::vector<Raw> arguments(const Raw* given) const {
        std::vector<Raw> made;
        for (std::size_t n = 0; n < counts.size(); ++n) {
            const Place& place = process.fields[n].place;
            const std::ptrdiff_t level = place.vertical == Vertical::column ? 0 : line / bytes;
            made.push_back(place == place::profile ? given[n] : Raw{at + begins[n], level, 0});
        }
        return made;
    }
    std::ptrdiff_t to_changes() const { return std::ptrdiff_t(size); }

    /// Copies the given part of the state, and all changes.
    void take(const Raw* state, const Raw* change, std::ptrdiff_t column) {
        const auto copy = [](std::byte* field, std::byte* own) { std::memcpy(own, field, line); };
        each(
            state, column, 0,
            [](const Process::Field& use) { return !use.own && use.access != Access::writes; },
            copy);
        each(
            change, column, to_changes(), [](const Process::Field& use) { return !use.own; }, copy);
    }
    template <class Which> void give(const Raw* to, std::ptrdiff_t column, Which which) {
        each(to, column, to_changes(), which,
             [](std::byte* field, std::byte* own) { std::memcpy(field, own, line); });
    }

private:
    const Process& process;
    int bytes;
    std::vector<std::size_t> begins;
    std::vector<int> counts;  // of levels
    std::size_t size = 0;
    std::vector<std::byte> memory;
    std::byte* at;

    static int count(const Process::Field& use, int levels) {
        if (use.own) return use.own * (levels + 1);
        if (use.place == place::profile) return 0;
        if (use.place.vertical == Vertical::column) return 1;
        return levels + (use.place.vertical == Vertical::interface);
    }
    template <class Which, class Body>
    void each(const Raw* fields, std::ptrdiff_t column, std::ptrdiff_t part, Which which,
              Body body) {
        for (std::size_t n = 0; n < counts.size(); ++n) {
            if (!which(process.fields[n])) continue;
            std::byte* there = (std::byte*)fields[n].at + column * bytes;
            for (int k = 0; k < counts[n]; ++k)
                body(there + k * fields[n].level * bytes, at + part + begins[n] + k * line);
        }
    }
};

/// For each cell: copies values and changes, calls body(cell, arguments), copies changes back.
template <class Which, class Body>
void each_cell(const Process& process, int bytes, const Raw* before, const Raw* change,
               const Cell* first, const Cell* last, Which which, Body body) {
    for (const Cell* cell = first; cell != last; ++cell) {
        OneCell own(process, bytes, cell->levels);
        const std::ptrdiff_t column = cell->column - first->column;
        own.take(before, change, column);
        body(Cell{0, cell->levels}, own.arguments(before).data(), own.to_changes());
        own.give(change, column, which);
    }
}

}  // namespace

void tangent_by_cells(const Process& p, int bytes, const Raw* before, const Raw* change,
                      const Cell* first, const Cell* last) {
    const auto written = [](const Process::Field& use) {
        return use.access != Access::reads && !use.own;
    };
    each_cell(p, bytes, before, change, first, last, written,
              [&](const Cell& cell, const Raw* at, std::ptrdiff_t apart) {
                  p.set_shadow(apart);
                  p.tangent(p.scheme.get(), at, &cell, &cell + 1);
              });
}

void adjoint_by_cells(const Process& p, int bytes, const Raw* before, const Raw* change,
                      const Cell* first, const Cell* last) {
    const Adjoint adjoint = adjoint_of(p);
    if (!adjoint) throw Error(p.name, " has no adjoint");
    each_cell(
        p, bytes, before, change, first, last, [](const Process::Field& use) { return !use.own; },
        [&](const Cell& cell, const Raw* at, std::ptrdiff_t apart) {
            adjoint(p.scheme.get(), at, apart, cell);
        });
}

}  // namespace fathom
