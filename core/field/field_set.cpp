#include "field/field_set.hpp"
#include <sys/mman.h>
#include <algorithm>
#include <cstring>
#include "field/diagnostics.hpp"

namespace fathom {

Pages::Pages(std::size_t bytes) : bytes(bytes) {
    void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw Error("no memory for ", bytes, " bytes");
    at = (std::byte*)map;
}
Pages::~Pages() {
    if (at) munmap(at, bytes);
}

int Layout::index(std::string_view name) const {
    std::vector<std::string> known;
    for (std::size_t n = 0; n < fields.size(); ++n) {
        if (fields[n].name == name) return int(n);
        known.push_back(fields[n].name);
    }
    throw Error("no process of this sequence has a field '", name, "'", near(name, known));
}
bool Layout::has(std::string_view name) const {
    return std::ranges::any_of(fields, [&](auto& f) { return f.name == name; });
}

FieldSet::FieldSet(std::shared_ptr<const Layout> given)
    : layout(std::move(given)), memory(layout->memory), all(layout->fields) {
    for (auto& f : all)
        if (f.stays())
            for (auto& at : f.at) at = memory.at + (std::size_t)at;
    choose_pages();
    settle_guests();
}

/// All bytes; time levels stand where they stand in the other.
FieldSet::FieldSet(const FieldSet& x)
    : layout(x.layout), count(x.count), memory(layout->memory), all(x.all) {
    for (auto& f : all)
        if (f.stays())
            for (auto& at : f.at) at = memory.at + (at - x.memory.at);
    choose_pages();
    settle_guests();
    std::memcpy(memory.at, x.memory.at, memory.bytes);
}

/// Large pages where the system has them: the levels of a column lie pages apart, and a tile's
/// columns are more pages than the processor remembers. But not where the rock under shallow water
/// would fill a good part of one.
void FieldSet::choose_pages() {
    constexpr std::size_t small = 1 << 12, large = 1 << 21;
    const auto begin = (std::size_t)memory.at, end = begin + memory.bytes;
    std::vector<bool> water(memory.bytes / small + 2);
    const auto mark = [&](const Field& f, std::size_t b, std::size_t row, const Cell& c) {
        for (int k = 0; k < std::min(c.levels + 1, f.levels); ++k) {
            const auto n = row * f.row[b] + k * f.level[b] + c.column;
            water[((std::size_t)f.at[b] + n * bytes()) / small - begin / small] = true;
        }
    };
    for (auto& f : all)
        if (f.stays() && f.place != place::profile)
            for (std::size_t b = 0; b < layout->cells.size(); ++b)
                for (std::size_t row = 0; row < layout->cells[b].size(); ++row)
                    for (auto& c : layout->cells[b][row]) mark(f, b, row, c);
    for (std::size_t page = (begin + large - 1) / large * large; page + large <= end;
         page += large) {
        const auto first = water.begin() + (page / small - begin / small);
        if (std::count(first, first + large / small, true) > 0.95 * large / small)
            madvise((void*)page, large, MADV_HUGEPAGE);
    }
}

void FieldSet::settle_guests() {
    for (auto& f : all)
        if (f.guest_of >= 0) f.at = all[f.guest_of].at;
}

void FieldSet::rotate() {
    for (auto& cycle : layout->rotations)
        for (std::size_t n = 0; n + 1 < cycle.size(); ++n)
            std::swap(all[cycle[n]].at, all[cycle[n + 1]].at);
    settle_guests();
}

std::vector<std::string> FieldSet::state() const {
    std::vector<std::string> names;
    for (auto& f : all)
        if (f.state && f.place != place::profile) names.push_back(f.name);
    return names;
}

void FieldSet::set(std::string_view name, const double* values, int first_level, int levels,
                   bool nearest_outside) {
    Field& f = named(name);
    if (f.scratch)
        throw Error("'", name, "' is made by a process before it is read, and cannot be set");
    const Domain& d = domain();
    const Topology& t = d.decomposition.topology;
    const auto store = [&](int b, std::ptrdiff_t n, double value) {
        const auto to = [&](auto* at) {
            if (value != 0 || at[n] != 0) at[n] = value;  // zeros that are there stay the system's
        };
        bytes() == 4 ? to((float*)f.at[b]) : to((double*)f.at[b]);
    };
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int r = 0; r < d.rows_of(b); ++r)
            for (int c = 0; c < d.columns_of(b); ++c) {
                const int i = d.blocks[b]->i0 + c - d.halo, j = d.blocks[b]->j0 + r - d.halo;
                auto s = t.source(f.place.horizontal, i, j);
                if (!s.inside && nearest_outside)
                    s = t.source(f.place.horizontal, t.periodic ? i : std::clamp(i, 0, t.nx - 1),
                                 std::clamp(j, 0, t.ny - 1));
                const double sign = s.flipped && f.place.vector ? -1 : 1;
                for (int k = 0; k < levels; ++k)
                    store(b, r * f.row[b] + (first_level + k) * f.level[b] + c,
                          s.inside ? sign * values[(std::size_t(k) * t.ny + s.j) * t.nx + s.i] : 0);
            }
}

void FieldSet::set_profile(std::string_view name, std::span<const double> values) {
    Field& f = named(name);
    if (f.place != place::profile) throw Error("'", name, "' is not a profile");
    if (int(values.size()) > f.levels)
        throw Error("'", name, "' holds ", f.levels, " values, given ", values.size());
    const auto to = [&](auto* at) {
        for (std::size_t k = 0; k < values.size(); ++k) at[k] = values[k];
    };
    for (auto* at : f.at) bytes() == 4 ? to((float*)at) : to((double*)at);
}

/// body(first, count): the numbers of a field in each block, padding and halo included.
template <class Body> static void each_block(const FieldSet& s, const Field& f, Body body) {
    for (int b = 0; b < int(s.domain().blocks.size()); ++b) {
        const std::size_t count =
            f.place == place::profile ? f.levels : s.domain().rows_of(b) * f.row[b];
        s.bytes() == 4 ? body((float*)f.at[b], count) : body((double*)f.at[b], count);
    }
}

/// body(first of y, first of x, count): the rows of a field in both sets, level by level, whatever
/// lies between them in memory.
template <class Body>
static void each_row(const FieldSet& s, const Field& y, const Field& x, Body body) {
    for (int b = 0; b < int(s.domain().blocks.size()); ++b) {
        const auto rows = [&](auto* to, const auto* from) {
            if (y.place == place::profile) return body(to, from, y.levels);
            for (int r = 0; r < s.domain().rows_of(b); ++r)
                for (int k = 0; k < y.levels; ++k)
                    body(to + r * y.row[b] + k * y.level[b], from + r * x.row[b] + k * x.level[b],
                         s.domain().columns_of(b));
        };
        s.bytes() == 4 ? rows((float*)y.at[b], (const float*)x.at[b])
                       : rows((double*)y.at[b], (const double*)x.at[b]);
    }
}

void FieldSet::fill(std::string_view name, double value) {
    if (Field& f = named(name); !f.scratch)
        each_block(*this, f, [&](auto* x, std::size_t count) {
            std::fill_n(x, count, std::remove_reference_t<decltype(*x)>(value));
        });
}

static void must_agree(const Field& f, const Field& g) {
    if (!f.scratch && !g.scratch && f.place == g.place && f.levels == g.levels) return;
    throw Error("'", f.name, "' and '", g.name, "' do not lie at the same place");
}

static const auto assign = [](auto* y, const auto* x, int count) { std::copy_n(x, count, y); };

void FieldSet::copy(std::string_view from, std::string_view to) {
    Field &f = named(from), &g = named(to);
    if (f.place == place::profile) throw Error("'", from, "' is a profile");
    must_agree(f, g);
    each_row(*this, g, f, assign);
}

template <class Body> void FieldSet::with(const FieldSet& x, const Names& names, Body body) {
    if (x.bytes() != bytes())
        throw Error("two field sets of ", bytes(), " and ", x.bytes(), " bytes a number");
    for (auto& name : names.empty() ? state() : names) {
        must_agree((*this)[name], x[name]);
        body((*this)[name], x[name]);
    }
}

void FieldSet::copy(const FieldSet& x, const Names& names) {
    with(x, names, [&](const Field& y, const Field& x) { each_row(*this, y, x, assign); });
}

void FieldSet::copy(const FieldSet& x) {
    Names both;
    for (auto& f : all)
        if (f.stays() && x.has(f.name) && x[f.name].stays()) both.push_back(f.name);
    copy(x, both);
    count = x.count;
}

void FieldSet::axpy(double a, const FieldSet& x, const Names& names) {
    with(x, names, [&](const Field& y, const Field& x) {
        each_row(*this, y, x, [a](auto* y, const auto* x, int count) {
            for (int i = 0; i < count; ++i) y[i] += a * x[i];
        });
    });
}

void FieldSet::scale(double a, const Names& names) {
    for (auto& name : names.empty() ? state() : names)
        each_block(*this, (*this)[name], [a](auto* x, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) x[i] *= a;
        });
}

double FieldSet::dot(const FieldSet& x, const Names& names) const {
    double sum = 0;
    for (auto& name : names.empty() ? state() : names) {
        must_agree((*this)[name], x[name]);
        sum += product(*this, x, name);
    }
    return sum;
}

}  // namespace fathom
