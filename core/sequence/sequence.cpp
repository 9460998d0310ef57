#include "sequence/sequence.hpp"
#include <omp.h>
#include <sys/mman.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include "field/units.hpp"
#include "machine/limits.hpp"

namespace fathom {

constexpr std::size_t large =
    8 << 20;  // bytes of a field that will have left the caches when it is read again

Domain::Domain(MPI_Comm comm, Topology topology, int levels, std::vector<int> wet,
               DecompositionOptions options)
    : comm(comm), levels(levels), halo(options.halo), wet_levels(std::move(wet)) {
    int ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    decomposition = decompose(topology, wet_levels, ranks, options);
    blocks = decomposition.of(rank);
}

int Domain::wet(Horizontal h, int i, int j) const {
    const Topology& t = decomposition.topology;
    auto center = [&](int i, int j) {
        const auto s = t.source(Horizontal::center, i, j);
        return s.inside ? wet_levels[std::size_t(s.j) * t.nx + s.i] : 0;
    };
    if (h == Horizontal::corner)
        return std::min({center(i, j), center(i + 1, j), center(i, j + 1), center(i + 1, j + 1)});
    if (h == Horizontal::east_face) return std::min(center(i, j), center(i + 1, j));
    if (h == Horizontal::north_face) return std::min(center(i, j), center(i, j + 1));
    return center(i, j);
}

/// Memory, zero as the system gives it: pages that are never touched never exist.
static std::byte* map_pages(std::size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw Error("no memory for ", bytes, " bytes");
    return (std::byte*)at;
}

Sequence::Sequence(std::shared_ptr<const Domain> d, int bytes, std::vector<Process> processes,
                   Options o)
    : domain(std::move(d)), bytes(bytes), cell(64 / bytes), options(std::move(o)) {
    for (auto& p : processes)
        if (p.every < 1) throw Error(p.name, ": every = ", p.every, " steps must be at least 1");
    for (auto& p : processes) {
        const Region region(p.name, p.phase, p.run ? "process" : "global");
        steps.push_back({std::move(p), {}, 0, std::vector<Clock>(omp_get_max_threads()), region});
    }
    declare();
    derive();
    cut_rows();
    allocate();
}
Sequence::~Sequence() {
    munmap(memory, memory_bytes);
    munmap(scratch, scratch_total);
}

int Sequence::index(std::string_view name) const {
    std::vector<std::string> known;
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (all[n].name == name) return int(n);
        known.push_back(all[n].name);
    }
    throw Error("no process of this sequence has a field '", name, "'", near(name, known));
}
const Field& Sequence::field(std::string_view name) const { return all[index(name)]; }
bool Sequence::has(std::string_view name) const {
    return std::ranges::any_of(all, [&](auto& f) { return f.name == name; });
}

/// Which fields there are, and whether the processes agree about them.
void Sequence::declare() {
    for (auto& s : steps) {
        if (s.process.fields.size() > most_fields)
            throw Error(s.process.name, " has too many fields");
        for (auto& use : s.process.fields) {
            std::size_t n = 0;
            while (n < all.size() && all[n].name != use.name) ++n;
            if (n == all.size()) all.push_back({use.name, use.units, use.place});
            Field& f = all[n];
            if (f.place != use.place)
                throw Error(s.process.name, " expects '", use.name, "' at ",
                            name(use.place.horizontal), " ", name(use.place.vertical),
                            "; others have it at ", name(f.place.horizontal), " ",
                            name(f.place.vertical));
            if (!units_agree(f.units, use.units))
                throw Error(s.process.name, " expects '", use.name, "' in ", use.units,
                            "; others have it in ", f.units);
            f.units = std::string(known_units(f.units, use.units));
            if (use.reach > domain->halo)
                throw Error(s.process.name, " reads '", use.name, "' ", use.reach,
                            " columns away; the halo is ", domain->halo);
            if (use.access != Access::writes && !f.written) f.state = true;
            s.fields.push_back(int(n));
        }
        for (std::size_t i = 0; i < s.fields.size(); ++i)
            if (s.process.fields[i].access != Access::reads) {
                all[s.fields[i]].written = true;
                all[s.fields[i]].state |= s.process.every > 1;
            }
    }
    for (auto& cycle : options.rotate) {
        rotations.emplace_back();
        for (auto& name : cycle) rotations.back().push_back(index(name));
        for (auto& s : steps)
            for (std::size_t i = 0; i < s.fields.size(); ++i)
                if (s.process.every > 1 && s.process.fields[i].access != Access::reads &&
                    std::ranges::find(rotations.back(), s.fields[i]) != rotations.back().end())
                    throw Error(s.process.name, " runs every ", s.process.every,
                                " steps and cannot write '", all[s.fields[i]].name,
                                "', which changes places at the end of every step");
        // what is left of the last step is state; the last of the cycle is overwritten before it is
        // read
        for (std::size_t n = 0; n + 1 < rotations.back().size(); ++n)
            all[rotations.back()[n]].state = all[rotations.back()[n]].written = true;
        for (int f : rotations.back()) all[f].units = all[rotations.back().front()].units;
    }
    for (auto& f : all) f.state = f.state && f.written, f.units = std::string(plain_units(f.units));
}

void Sequence::derive() {
    std::vector<Process> processes;
    std::vector<std::vector<int>> used;
    for (auto& s : steps) processes.push_back(s.process), used.push_back(s.fields);
    std::vector<bool> constant, keep;
    for (auto& f : all) {
        constant.push_back(!f.written);
        bool kept = f.state || f.place == place::profile ||
                    std::ranges::find(options.keep, f.name) != options.keep.end();
        for (auto& cycle : rotations)
            kept |= std::ranges::find(cycle, int(&f - all.data())) != cycle.end();
        keep.push_back(kept);
    }
    Schedule schedule(processes, used, constant, rotations, domain->halo, options.compute_in_halo,
                      options.group);
    for (std::size_t n = 0; n < steps.size(); ++n) steps[n].extent = schedule.extent[n];
    for (auto& g : schedule.groups) {
        groups.push_back({g.first,
                          g.last,
                          {},
                          g.extent,
                          0,
                          {},
                          nullptr,
                          {},
                          steps[g.first].region,
                          std::vector<Clock>(omp_get_max_threads())});
        for (int p = g.first; p < g.last; ++p)
            for (auto& use : steps[p].process.fields)
                groups.back().reach = std::max(groups.back().reach, use.reach);
        for (auto& s : g.exchange) groups.back().sent.push_back({s.field, s.width});
        if (!g.exchange.empty())
            groups.back().region =
                Region(exchanged(groups.back()), steps[g.first].process.phase, "exchange");
    }
    for (std::size_t f = 0; f < all.size(); ++f) all[f].scratch = !keep[f] && schedule.local[f];
    for (std::size_t f = 0; f < all.size(); ++f)
        all[f].guest_of = all[f].scratch || keep[f] || constant[f] ? -2 : -1;
    share(schedule);
}

/// A field that lives only within a step may be the guest of one that is overwritten later in that
/// step and holds nothing before: the last of a rotation. Two fields of 3-D memory less for the
/// ocean.
void Sequence::share(const Schedule& schedule) {
    std::vector<int> hosts;
    for (auto& cycle : rotations)
        if (all[cycle.back()].place.vertical != Vertical::column) hosts.push_back(cycle.back());
    for (std::size_t f = 0; f < all.size(); ++f) {
        const bool may = all[f].guest_of == -1 && all[f].place.vertical != Vertical::column;
        all[f].guest_of = -1;
        for (auto host = hosts.begin(); may && host != hosts.end(); ++host)
            if (schedule.first_use[*host] > schedule.last_use[f]) {
                all[f].guest_of = *host;
                hosts.erase(host);
                break;
            }
    }
}
void Sequence::settle_guests() {
    for (auto& f : all)
        if (f.guest_of >= 0) f.at = all[f.guest_of].at;
}

std::set<int> Sequence::fields_of(const Group& g) const {
    std::set<int> fields;
    for (int p = g.first; p < g.last; ++p)
        fields.insert(steps[p].fields.begin(), steps[p].fields.end());
    return fields;
}

/// A tile of all fields of a group fills two fifths of the second-level cache; the rest is for the
/// rows on both sides. Where most fields have no levels, a tile is a whole row.
void Sequence::choose_tiles() {
    int widest = 1;
    for (int b = 0; b < int(domain->blocks.size()); ++b) widest = std::max(widest, columns_of(b));
    for (auto& g : groups) {
        std::size_t column = 0;
        for (int f : fields_of(g))
            if (all[f].place != place::profile) column += all[f].levels * bytes;
        const int fit = int(second_level_cache() * 2 / 5 / std::max<std::size_t>(column, 1));
        const auto known = options.tiles.find(steps[g.first].process.name);
        if (options.tile < 0 && known != options.tiles.end()) {
            g.tiles.fix(std::max(std::min(known->second, widest) / cell, 1) * cell);
            continue;
        }
        const int tile = std::max(options.tile > 0 ? options.tile : std::min(fit, widest), cell);
        if (options.tile < 0)
            g.tiles.measure(tile, widest, cell);
        else
            g.tiles.fix(tile);
    }
}

/// Whether this step tells something of a group's tile: not the first, in which memory is touched,
/// nor one in which a seldom process runs.
bool Sequence::tries(const Group& g) const {
    if (!g.tiles.open() || count == 0) return false;
    for (int p = g.first; p < g.last; ++p)
        if (steps[p].process.every > 1 && count % steps[p].process.every == 0) return false;
    return true;
}

/// Rows are padded to whole cells; spare bytes at both ends for the reach of the first and the last
/// cell. An odd number of cache lines from level to level: no set of the cache is used more often
/// than others.
void Sequence::allocate() {
    auto odd = [&](int n) { return ((n + cell - 1) / cell | 1) * cell; };
    const int blocks = int(domain->blocks.size());
    for (auto& f : all)
        f.levels = f.place.vertical == Vertical::column
                       ? 1
                       : domain->levels + (f.place.vertical == Vertical::interface);
    choose_tiles();
    for (auto& f : all) {
        const bool profile = f.place == place::profile;
        const bool shared =
            f.guest_of >= 0 || std::ranges::any_of(all, [&](auto& g) {
                return g.guest_of >= 0 && std::ranges::any_of(rotations, [&](auto& cycle) {
                           return cycle.back() == g.guest_of &&
                                  std::ranges::find(cycle, int(&f - all.data())) != cycle.end();
                       });
            });
        f.level.resize(blocks);
        f.row.resize(blocks);
        f.at.resize(blocks);
        if (f.scratch) continue;
        for (int b = 0; b < blocks; ++b) {
            const int columns = odd(columns_of(b));
            f.level[b] = profile ? 1 : columns;
            f.row[b] = profile
                           ? 0
                           : std::ptrdiff_t(columns) *
                                 (shared ? domain->levels + 1 : f.levels);  // host and guest alike
            if (f.guest_of >= 0) continue;
            const std::size_t row = f.row[b] * bytes,
                              size = profile ? f.levels * bytes : rows_of(b) * row,
                              spare = 64 + (profile ? 0 : 3 * columns * bytes);
            f.at[b] = (std::byte*)(memory_bytes + 64);
            memory_bytes += (size + 64 + spare + 63) / 64 * 64;
        }
    }
    memory = map_pages(memory_bytes);
    allocated += memory_bytes;
    for (auto& f : all)
        if (!f.scratch && f.guest_of < 0)
            for (auto& at : f.at) at = memory + (std::size_t)at;
    choose_pages();
    for (auto& f : all) {
        std::size_t size = 0;
        for (int b = 0; b < blocks; ++b) size += std::size_t(f.row[b]) * rows_of(b) * bytes;
        f.streams = !f.scratch && f.place.vertical != Vertical::column && size > large;
    }
    settle_guests();
    // scratch: the groups use the same memory one after the other
    for (auto& g : groups) {
        std::size_t offset = 0;
        for (int i : fields_of(g))
            if (Field& f = all[i]; f.scratch) {
                for (int b = 0; b < blocks; ++b)
                    f.level[b] = odd(g.tiles.widest), f.row[b] = 0, f.at[b] = (std::byte*)offset;
                offset += std::size_t(f.levels) * odd(g.tiles.widest) * bytes;
            }
        scratch_bytes = std::max(scratch_bytes, offset);
    }
    scratch_bytes = (scratch_bytes + 4096 + 64) / 64 * 64;
    scratch_total = scratch_bytes * omp_get_max_threads();
    scratch = map_pages(scratch_total);
    madvise(scratch, scratch_total, MADV_HUGEPAGE);
    std::memset(scratch, 0,
                scratch_total);  // here, not in the first step that a thread takes part in
    allocated += scratch_total;
    for (auto& g : groups) {
        std::vector<Exchange::Item> items;
        for (auto& s : g.sent)
            items.push_back({all[s.field].place.horizontal, all[s.field].place.vector, s.width,
                             all[s.field].levels}),
                g.slabs.push_back(slab(all[s.field]));
        if (!items.empty())
            g.exchange = std::make_unique<Exchange>(domain->comm, domain->decomposition,
                                                    domain->halo, bytes, items, domain->exchange);
    }
}

/// Large pages where the system has them: the levels of a column lie pages apart, and a tile's
/// columns are more pages than the processor remembers. But not where the rock under shallow water
/// would fill a good part of one.
void Sequence::choose_pages() {
    constexpr std::size_t small = 1 << 12, large = 1 << 21;
    const auto begin = (std::size_t)memory, end = begin + memory_bytes;
    std::vector<bool> water(memory_bytes / small + 2);
    for (auto& f : all)
        if (!f.scratch && f.guest_of < 0 && f.place != place::profile)
            for (std::size_t b = 0; b < cells.size(); ++b)
                for (std::size_t row = 0; row < cells[b].size(); ++row)
                    for (auto& c : cells[b][row])
                        for (int k = 0; k < std::min(c.levels + 1, f.levels); ++k)
                            water[((std::size_t)f.at[b] +
                                   (row * f.row[b] + k * f.level[b] + c.column) * bytes) /
                                      small -
                                  begin / small] = true;
    for (std::size_t page = (begin + large - 1) / large * large; page + large <= end;
         page += large) {
        const auto first = water.begin() + (page / small - begin / small);
        if (std::count(first, first + large / small, true) > 0.95 * large / small)
            madvise((void*)page, large, MADV_HUGEPAGE);
    }
}

FieldSlab Sequence::slab(const Field& f) const { return {f.at, f.row, f.level, f.levels}; }

void Sequence::ramp(std::string_view profile, double step, double origin, double length) {
    if (!(length > 0))
        throw Error("the ramp of '", profile, "' needs a length > 0 s, given ", length);
    before_step(profile, 1, [=](std::span<double> value, long steps) {
        value[0] = (double(steps) * step - origin) / length;
    });
}

void Sequence::before_step(std::string_view profile, int count,
                           std::function<void(std::span<double>, long)> values) {
    const Field& f = field(profile);
    if (count > f.levels)
        throw Error("'", profile, "' takes ", count, " values; with ", domain->levels,
                    " levels it holds ", f.levels);
    std::erase_if(moving, [&](auto& m) { return m.profile == profile; });
    moving.push_back({f.name, std::vector<double>(count), std::move(values)});
}

void Sequence::step() {
    static const Region whole("step");
    Within step(whole);
    if (regions.mine()) regions.step(seconds_now());
    for (auto& m : moving) {
        m.set(m.values, count);
        set_profile(m.profile, m.values);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        auto& group = groups[g];
        const std::span list(rows[g].list), inner = list.first(rows[g].inner),
                                            others = list.subspan(rows[g].inner);
        auto exchange = [&](int calls, auto part) {
            Within within(group.region, calls);
            const double t = seconds_now();
            part(*group.exchange);
            group.seconds += seconds_now() - t, group.calls += calls;
        };
        if (group.exchange) {
            exchange(1, [&](Exchange& e) {
                for (std::size_t n = 0; n < group.sent.size(); ++n)
                    std::ranges::copy(all[group.sent[n].field].at, group.slabs[n].at.begin());
                e.start(group.slabs);
                if (inner.empty())
                    e.finish(group.slabs);
                else
                    e.copy(group.slabs);
            });
        }
        if (!steps[group.first].process.run) {
            Within within(steps[group.first].region);
            const double t = seconds_now();
            steps[group.first].process.global();
            steps[group.first].seconds += seconds_now() - t, ++steps[group.first].calls;
            continue;
        }
        const bool trial = tries(group);
        if (trial) group.tiles.next();
        double seconds = 0;
        if (!inner.empty()) {
            seconds += run_rows(group, inner, 1);
            exchange(0, [&](Exchange& e) { e.finish(group.slabs); });
        }
        seconds += run_rows(group, others, inner.empty());
        if (trial) group.tiles.learn(seconds);
    }
    for (auto& cycle : rotations)
        for (std::size_t n = 0; n + 1 < cycle.size(); ++n)
            std::swap(all[cycle[n]].at, all[cycle[n + 1]].at);
    settle_guests();
    ++count;
}

void Sequence::attach(std::string_view process, std::function<void()> work) {
    for (auto& s : steps)
        if (s.process.name == process) {
            s.process.global = std::move(work);
            return;
        }
    throw Error("no process '", process, "' in this sequence");
}

void Sequence::set(std::string_view name, const double* values, int first_level, int levels,
                   bool nearest_outside) {
    Field& f = all[index(name)];
    if (f.scratch)
        throw Error("'", name, "' is made by a process before it is read, and cannot be set");
    const Topology& t = domain->decomposition.topology;
    for (int b = 0; b < int(domain->blocks.size()); ++b)
        for (int r = 0; r < rows_of(b); ++r)
            for (int c = 0; c < columns_of(b); ++c) {
                int i = domain->blocks[b]->i0 + c - domain->halo,
                    j = domain->blocks[b]->j0 + r - domain->halo;
                auto s = t.source(f.place.horizontal, i, j);
                if (!s.inside && nearest_outside)
                    s = t.source(f.place.horizontal, t.periodic ? i : std::clamp(i, 0, t.nx - 1),
                                 std::clamp(j, 0, t.ny - 1));
                for (int k = 0; k < levels; ++k) {
                    const double sign = s.flipped && f.place.vector ? -1 : 1;
                    const double value =
                        s.inside ? sign * values[(std::size_t(k) * t.ny + s.j) * t.nx + s.i] : 0;
                    const std::ptrdiff_t n = r * f.row[b] + (first_level + k) * f.level[b] + c;
                    auto store = [&](auto* at) {
                        if (value != 0 || at[n] != 0) at[n] = value;
                    };  // zeros that are there stay the system's
                    if (bytes == 4)
                        store((float*)f.at[b]);
                    else
                        store((double*)f.at[b]);
                }
            }
}

void Sequence::fill(std::string_view name, double value) {
    Field& f = all[index(name)];
    if (f.scratch) return;
    for (int b = 0; b < int(domain->blocks.size()); ++b) {
        const std::size_t count = f.place == place::profile ? f.levels : rows_of(b) * f.row[b];
        if (bytes == 4)
            std::fill_n((float*)f.at[b], count, float(value));
        else
            std::fill_n((double*)f.at[b], count, value);
    }
}

void Sequence::copy(std::string_view from, std::string_view to) {
    const Field &f = field(from), &g = field(to);
    if (f.scratch || g.scratch || f.place == place::profile || !(f.place == g.place) ||
        f.levels != g.levels)
        throw Error("'", from, "' and '", to, "' do not lie at the same place");
    for (int b = 0; b < int(domain->blocks.size()); ++b)
        std::copy_n((const std::byte*)f.at[b], rows_of(b) * f.row[b] * bytes, (std::byte*)g.at[b]);
}

void Sequence::set_profile(std::string_view name, std::span<const double> values) {
    Field& f = all[index(name)];
    if (f.place != place::profile) throw Error("'", name, "' is not a profile");
    if (int(values.size()) > f.levels)
        throw Error("'", name, "' holds ", f.levels, " values, given ", values.size());
    for (auto* at : f.at)
        for (std::size_t k = 0; k < values.size(); ++k)
            if (bytes == 4)
                ((float*)at)[k] = float(values[k]);
            else
                ((double*)at)[k] = values[k];
}

std::vector<std::string> Sequence::state() const {
    std::vector<std::string> names;
    for (auto& f : all)
        if (f.state && f.place != place::profile) names.push_back(f.name);
    return names;
}

}  // namespace fathom
