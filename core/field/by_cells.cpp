#include "field/by_cells.hpp"
#include <cstring>
#include "machine/memory.hpp"

namespace fathom {

namespace {

constexpr std::size_t line = 64;  // bytes of a level: a cell

/// Memory of a thread for a cell and its neighbours: for values, for changes, for the tape, equal
/// in size. In rows, as in fields, or in lines: each neighbour of the cell has its own.
class OneCell {
public:
    enum class Kind { rows, lines };
    OneCell(const Process& process, int bytes, int levels, Kind kind)
        : process(process), bytes(bytes), kind(kind) {
        for (auto& use : process.fields) {
            const std::size_t across = 2 * use.reach + 1,
                              row = line * (kind == Kind::lines ? across
                                            : use.reach         ? 3
                                                                : 1),
                              west = kind == Kind::lines ? use.reach * line
                                     : use.reach         ? line
                                                         : 0;
            copies.push_back({size + use.reach * row + west, row, across * row});
            size += count(use, levels) * across * row;
        }
        static thread_local LargeVector<std::byte> memory;
        if (memory.size() < 3 * size) memory.resize(3 * size);
        at = memory.data();
    }
    std::vector<Raw> arguments(const Raw* given) const {
        std::vector<Raw> made;
        for (std::size_t n = 0; n < copies.size(); ++n) {
            const Place& place = process.fields[n].place;
            const auto numbers = [&](std::size_t stride) { return std::ptrdiff_t(stride) / bytes; };
            const std::ptrdiff_t level =
                place.vertical == Vertical::column ? 0 : numbers(copies[n].level);
            made.push_back(place == place::profile
                               ? given[n]
                               : Raw{at + copies[n].begin, level, numbers(copies[n].row)});
        }
        return made;
    }
    std::ptrdiff_t to_changes() const { return std::ptrdiff_t(size); }

    void take_values(const Raw* state, std::ptrdiff_t column, int levels) {
        for (std::size_t n = 0; n < copies.size(); ++n)
            if (const auto& use = process.fields[n]; !use.own && use.access != Access::writes)
                each(n, state[n], column, levels, 0, copy_to_own);
    }
    /// With those of neighbours.
    void take_changes(const Raw* change, std::ptrdiff_t column, int levels) {
        for (std::size_t n = 0; n < copies.size(); ++n)
            if (!process.fields[n].own)
                each(n, change[n], column, levels, to_changes(), copy_to_own);
    }
    /// Of the fields that are written.
    void give_changes(const Raw* change, std::ptrdiff_t column, int levels) {
        for (std::size_t n = 0; n < copies.size(); ++n)
            if (const auto& use = process.fields[n]; !use.own && use.access != Access::reads)
                each(n, change[n], column, levels, to_changes(), copy_from_own);
    }
    /// Those of neighbours begin at 0.
    void take_adjoints(const Raw* change, std::ptrdiff_t column, int levels) {
        for (std::size_t n = 0; n < copies.size(); ++n) {
            const auto& use = process.fields[n];
            if (use.own) continue;
            if (use.reach == 0)
                each(n, change[n], column, levels, to_changes(), copy_to_own);
            else
                std::memset(at + to_changes() + copies[n].begin - west(n), 0,
                            count(use, levels) * copies[n].level);
        }
    }
    void give_adjoints(const Raw* change, const Raw* slots, std::ptrdiff_t column, int levels) {
        for (std::size_t n = 0; n < copies.size(); ++n) {
            const auto& use = process.fields[n];
            if (use.own) continue;
            if (use.reach == 0) {
                each(n, change[n], column, levels, to_changes(), copy_from_own);
                continue;
            }
            for (int o = 0; o < offsets(use.reach); ++o, ++slots) {
                const Shift to = offset(use.reach, o);
                const std::byte* const part = at + to_changes() + copies[n].begin +
                                              to.j * std::ptrdiff_t(copies[n].row) +
                                              to.i * std::ptrdiff_t(line);
                for (int k = 0; slots->at && k < count(use, levels); ++k)
                    std::memcpy((std::byte*)slots->at + (column + k * slots->level) * bytes,
                                part + k * copies[n].level, line);
            }
        }
    }

private:
    /// Where the cell's own column begins; bytes from a row to the next, and of a level.
    struct Copy {
        std::size_t begin, row, level;
    };
    const Process& process;
    const int bytes;
    const Kind kind;
    std::vector<Copy> copies;
    std::size_t size = 0;
    std::byte* at;

    static void copy_to_own(std::byte* field, std::byte* own, std::size_t bytes) {
        std::memcpy(own, field, bytes);
    }
    static void copy_from_own(std::byte* field, std::byte* own, std::size_t bytes) {
        std::memcpy(field, own, bytes);
    }
    /// Bytes from the south-western neighbour's line to the cell's own.
    std::size_t west(std::size_t n) const {
        return process.fields[n].reach * (copies[n].row + line);
    }
    static int count(const Process::Field& use, int levels) {
        if (use.own) return use.own * (levels + 1);
        if (use.place == place::profile) return 0;
        if (use.place.vertical == Vertical::column) return 1;
        return levels + (use.place.vertical == Vertical::interface);
    }
    /// body(memory of the field, own memory, bytes) for a cell and its neighbours.
    template <class Body>
    void each(std::size_t n, const Raw& field, std::ptrdiff_t column, int levels,
              std::ptrdiff_t part, Body body) {
        const auto& use = process.fields[n];
        const int reach = use.reach, apart = kind == Kind::lines ? 1 : 2 * reach + 1;
        const std::size_t piece = line + (kind == Kind::lines ? 0 : 2 * reach * bytes),
                          next = kind == Kind::lines ? line : bytes;
        for (int k = 0; k < count(use, levels); ++k)
            for (int j = -reach; j <= reach; ++j)
                for (int i = -reach; i <= reach; i += apart)
                    body((std::byte*)field.at +
                             (column + k * field.level + j * field.row + i) * bytes,
                         at + part + copies[n].begin + k * copies[n].level +
                             j * std::ptrdiff_t(copies[n].row) + i * std::ptrdiff_t(next),
                         piece);
    }
};

int deepest(const Cell* first, const Cell* last) {
    int levels = 0;
    for (; first != last; ++first) levels = std::max(levels, first->levels);
    return levels;
}

}  // namespace

void tangent_by_cells(const Process& p, int bytes, const Raw* before, const Raw* change,
                      const Cell* first, const Cell* last) {
    OneCell own(p, bytes, deepest(first, last), OneCell::Kind::rows);
    const std::vector<Raw> at = own.arguments(before);
    for (const Cell* cell = first; cell != last; ++cell) {
        const std::ptrdiff_t column = cell->column - first->column;
        const Cell here{0, cell->levels};
        own.take_values(before, column, cell->levels);
        own.take_changes(change, column, cell->levels);
        p.set_shadow(own.to_changes());
        p.tangent(p.scheme.get(), at.data(), &here, &here + 1);
        own.give_changes(change, column, cell->levels);
    }
}

void adjoint_by_cells(const Process& p, int bytes, const Raw* before, const Raw* change,
                      const Raw* slots, const Cell* first, const Cell* last) {
    if (!p.adjoint) throw Error(p.name, " has no adjoint");
    OneCell own(p, bytes, deepest(first, last), OneCell::Kind::lines);
    const std::vector<Raw> at = own.arguments(before);
    for (const Cell* cell = first; cell != last; ++cell) {
        const std::ptrdiff_t column = cell->column - first->column;
        own.take_values(before, column, cell->levels);
        own.take_adjoints(change, column, cell->levels);
        p.adjoint(p.scheme.get(), at.data(), slots, own.to_changes(), {0, cell->levels});
        own.give_adjoints(change, slots, column, cell->levels);
    }
}

}  // namespace fathom
