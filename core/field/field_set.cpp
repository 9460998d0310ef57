#include "field/field_set.hpp"
#include <algorithm>
#include <cstring>
#include "field/diagnostics.hpp"
#include "machine/region.hpp"
#include "machine/strides.hpp"

namespace fathom {

/// A field of this many bytes has left the caches when it is read again.
constexpr std::size_t large = 8 << 20;

int padded_columns(int columns, int cell) { return int(row_stride(columns, cell)); }

/// Whether a field is host or guest of another, or changes places in a rotation with one that is.
bool Layout::shares_memory(int f) const {
    if (fields[f].guest_of >= 0) return true;
    const auto has_guest = [&](auto& cycle) {
        return std::ranges::find(cycle, f) != cycle.end() &&
               std::ranges::any_of(fields,
                                   [&](auto& guest) { return guest.guest_of == cycle.back(); });
    };
    return std::ranges::any_of(rotations, has_guest);
}

/// Finds the begin of each field in the memory of a set. Rows are padded to whole cells; both ends
/// have spare bytes, so that loads next to the first and the last cell are valid.
void Layout::place() {
    auto& all = fields;
    memory = 0;
    const int blocks = int(domain->blocks.size());
    for (int n = 0; n < int(all.size()); ++n) {
        Field& f = all[n];
        const bool profile = f.place == place::profile, shared = shares_memory(n);
        f.level.resize(blocks), f.row.resize(blocks), f.at.resize(blocks);
        if (f.scratch || f.borrowed) continue;
        std::size_t numbers = 0;
        for (int b = 0; b < blocks; ++b) {
            const int columns = padded_columns(domain->columns_of(b), cell);
            f.level[b] = profile ? 1 : columns;
            f.row[b] = profile ? 0
                               : std::ptrdiff_t(columns) *
                                     (shared ? domain->levels + 1 : f.levels);  // the same for all
            numbers += std::size_t(f.row[b]) * domain->rows_of(b);
            if (f.guest_of >= 0) continue;
            const std::size_t row = f.row[b] * bytes,
                              size = profile ? f.levels * bytes : domain->rows_of(b) * row,
                              spare = 64 + (profile ? 0 : 3 * columns * bytes);
            f.at[b] = (std::byte*)(memory + 64);
            memory += (size + 64 + spare + 63) / 64 * 64;
        }
        f.streams = f.place.vertical != Vertical::column && numbers * bytes > large;
    }
    memory = std::max<std::size_t>(memory, 64);  // where all fields are borrowed
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

/// Copies all bytes; the time levels are in the same order as in the other set.
FieldSet::FieldSet(const FieldSet& x)
    : layout(x.layout), count(x.count), memory(layout->memory), all(x.all) {
    for (auto& f : all)
        if (f.stays())
            for (auto& at : f.at) at = memory.at + (at - x.memory.at);
    choose_pages();
    settle_guests();
    for (int n = 0; n < int(all.size()); ++n) x.fetch(n);
    std::memcpy(memory.at, x.memory.at, memory.bytes);
}

static std::shared_ptr<const Layout> in_precision(const Layout& layout, int bytes) {
    auto other = std::make_shared<Layout>(layout);
    other->bytes = bytes;
    other->place();
    return other;
}

FieldSet::FieldSet(const FieldSet& x, int bytes) : FieldSet(in_precision(*x.layout, bytes)) {
    copy(x);
}

/// Uses large pages if the system has them: the levels of a column are pages apart, and a tile has
/// more pages than the TLB of the processor holds. Small pages remain where the sea is shallow
/// and unused levels below the floor would fill much of a large page.
void FieldSet::choose_pages() {
    constexpr std::size_t small = Pages::small_page, large = Pages::large_page;
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
            Pages::enlarge((std::byte*)page, large);
    }
}

void FieldSet::settle_guests() {
    for (auto& f : all)
        if (f.guest_of >= 0) f.at = all[f.guest_of].at;
}

void FieldSet::rotate() {
    for (auto& cycle : layout->rotations)
        for (std::size_t n = 0; n + 1 < cycle.size(); ++n) {
            std::swap(all[cycle[n]].at, all[cycle[n + 1]].at);
            if (!places.empty()) std::swap(place_of[cycle[n]], place_of[cycle[n + 1]]);
        }
    settle_guests();
}

void FieldSet::borrow(int n, const Field& of) {
    static_cast<FieldSlab&>(all[n]) = of;
    all[n].streams = of.streams;
}

void FieldSet::live_on(std::shared_ptr<Device> device) {
    if (there.device)
        for (int n = 0; n < int(all.size()); ++n) fetch(n);
    places.clear(), place_of.clear(), watches.clear(), movers.clear();
    there = {};
    if (!device) return;
    there = DeviceMemory(std::move(device), memory.bytes);
    // fields follow each other in memory, in their order
    std::size_t end = memory.bytes;
    places.resize(all.size());
    for (int n = int(all.size()); n-- > 0;) {
        const Field& f = layout->fields[n];
        place_of.insert(place_of.begin(), n);
        if (!f.stays() || f.at.empty()) continue;
        const auto begin = (std::size_t)f.at[0] - 64;
        places[n] = {begin, end - begin, Newest::here};
        end = begin;
    }
    // the set may have fields that changed places
    for (auto& cycle : layout->rotations)
        for (int n : cycle)
            for (int m : cycle)
                if (!all[n].at.empty() &&
                    all[n].at[0] == memory.at + (std::size_t)layout->fields[m].at[0])
                    place_of[n] = m;
}

/// The field whose memory it uses: its host, if it is a guest.
static int holder(const std::vector<Field>& all, int n) {
    return all[n].guest_of < 0 ? n : all[n].guest_of;
}

bool FieldSet::only_there(int n) const {
    return !places.empty() && places[place_of[holder(all, n)]].newest == Newest::there;
}

void FieldSet::fetch(int n) const {
    static const Region copying("copies from the device", "", "copy");
    if (!only_there(n)) return;
    Within within(copying);
    const Home& p = places[place_of[holder(all, n)]];
    p.newest = Newest::both;
    there.device->copy(memory.at + p.begin, there.at + p.begin, p.bytes, Device::Way::to_host);
}

void FieldSet::send(int n) const {
    static const Region copying("copies to the device", "", "copy");
    const Home& p = places[place_of[holder(all, n)]];
    if (p.newest != Newest::here) return;
    Within within(copying);
    p.newest = Newest::both;
    there.device->copy(there.at + p.begin, memory.at + p.begin, p.bytes, Device::Way::to_device);
}

std::size_t FieldSet::place_there(int n) const {
    return (std::size_t)there.at + places[place_of[holder(all, n)]].begin;
}

void FieldSet::changed_here(int n) {
    if (!places.empty()) places[place_of[holder(all, n)]].newest = Newest::here;
}
void FieldSet::changed_there(int n) { places[place_of[holder(all, n)]].newest = Newest::there; }

std::shared_ptr<Watch>& FieldSet::watch(Place p) const {
    return watches[{p.horizontal, p.vertical == Vertical::column}];
}

Field FieldSet::on_device(int n) const {
    send(n);
    Field f = all[n];
    for (auto& at : f.at) at = there.at + (at - memory.at);
    return f;
}

std::vector<std::string> FieldSet::state() const {
    std::vector<std::string> names;
    for (auto& f : all)
        if (f.state && f.place != place::profile) names.push_back(f.name);
    return names;
}

/// The position of a point of a rank in the global grid.
static Topology::Source source(const Topology& t, Horizontal where, int i, int j,
                               bool nearest_outside) {
    if (0 <= i && i < t.nx && 0 <= j && j < t.ny - 1) return {i, j, true, false};  // most are
    const auto found = t.source(where, i, j);
    if (found.inside || !nearest_outside) return found;
    return t.source(where, t.periodic ? i : std::clamp(i, 0, t.nx - 1),
                    t.periodic_j ? j : std::clamp(j, 0, t.ny - 1));
}

void FieldSet::set(std::string_view name, const double* values, int first_level, int levels,
                   bool nearest_outside) {
    Field& f = to_write(name);
    if (f.scratch)
        throw Error("'", name, "' is made by a process before it is read, and cannot be set");
    const Domain& d = domain();
    const Topology& t = d.decomposition.topology;
    const auto store = [&](int b, std::ptrdiff_t n, double value) {
        const auto to = [&](auto* at) {
            if (value != 0 || at[n] != 0) at[n] = value;  // writing 0 over 0 would use memory
        };
        bytes() == 4 ? to((float*)f.at[b]) : to((double*)f.at[b]);
    };
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int r = 0; r < d.rows_of(b); ++r)
            for (int c = 0; c < d.columns_of(b); ++c) {
                const int i = d.blocks[b]->i0 + c - d.halo, j = d.blocks[b]->j0 + r - d.halo;
                const auto s = source(t, f.place.horizontal, i, j, nearest_outside);
                const double sign = s.flipped && f.place.vector ? -1 : 1;
                for (int k = 0; k < levels; ++k)
                    store(b, r * f.row[b] + (first_level + k) * f.level[b] + c,
                          s.inside ? sign * values[(std::size_t(k) * t.ny + s.j) * t.nx + s.i] : 0);
            }
}

void FieldSet::set_profile(std::string_view name, std::span<const double> values) {
    Field& f = to_write(name);
    if (f.place != place::profile) throw Error("'", name, "' is not a profile");
    if (int(values.size()) > f.levels)
        throw Error("'", name, "' holds ", f.levels, " values, given ", values.size());
    const auto to = [&](auto* at) {
        for (std::size_t k = 0; k < values.size(); ++k) at[k] = values[k];
    };
    for (auto* at : f.at) bytes() == 4 ? to((float*)at) : to((double*)at);
}

/// Calls body(first, count) for the numbers of a field in each block, with padding and halo.
template <class Body> static void each_block(const FieldSet& s, const Field& f, Body body) {
    for (int b = 0; b < int(s.domain().blocks.size()); ++b) {
        const std::size_t count =
            f.place == place::profile ? f.levels : s.domain().rows_of(b) * f.row[b];
        s.bytes() == 4 ? body((float*)f.at[b], count) : body((double*)f.at[b], count);
    }
}

/// Calls body(first of y, first of x, count) for the rows of a field in both sets, level by level,
/// for any strides in memory; bytes: of a number of x.
template <class Body>
static void each_row(const FieldSet& s, const Field& y, const Field& x, int bytes, Body body) {
    for (int b = 0; b < int(s.domain().blocks.size()); ++b) {
        const auto rows = [&](auto* to, const auto* from) {
            if (y.place == place::profile) return body(to, from, y.levels);
            for (int r = 0; r < s.domain().rows_of(b); ++r)
                for (int k = 0; k < y.levels; ++k)
                    body(to + r * y.row[b] + k * y.level[b], from + r * x.row[b] + k * x.level[b],
                         s.domain().columns_of(b));
        };
        const auto from = [&](auto* to) {
            bytes == 4 ? rows(to, (const float*)x.at[b]) : rows(to, (const double*)x.at[b]);
        };
        s.bytes() == 4 ? from((float*)y.at[b]) : from((double*)y.at[b]);
    }
}

void FieldSet::fill(std::string_view name, double value) {
    if (Field& f = to_write(name); !f.scratch)
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
    const Field &f = (*this)[from], &g = to_write(to);
    if (f.place == place::profile) throw Error("'", from, "' is a profile");
    must_agree(f, g);
    each_row(*this, g, f, bytes(), assign);
}

template <class Body> void FieldSet::with(const FieldSet& x, const Names& names, Body body) {
    for (auto& name : names.empty() ? state() : names) {
        must_agree((*this)[name], x[name]);
        body(to_write(name), x[name]);
    }
}

void FieldSet::copy(const FieldSet& x, const Names& names) {
    with(x, names,
         [&](const Field& y, const Field& z) { each_row(*this, y, z, x.bytes(), assign); });
}

void FieldSet::copy(const FieldSet& x) {
    Names both;
    for (auto& f : all)
        if (f.stays() && x.has(f.name) && x[f.name].stays()) both.push_back(f.name);
    copy(x, both);
    count = x.count;
}

void FieldSet::axpy(double a, const FieldSet& x, const Names& names) {
    with(x, names, [&](const Field& y, const Field& z) {
        each_row(*this, y, z, x.bytes(), [a](auto* y, const auto* x, int count) {
            for (int i = 0; i < count; ++i) y[i] += a * x[i];
        });
    });
}

void FieldSet::scale(double a, const Names& names) {
    for (auto& name : names.empty() ? state() : names)
        each_block(*this, to_write(name), [a](auto* x, std::size_t count) {
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
