#include "sequence/step_program.hpp"
#include <omp.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include "field/units.hpp"
#include "machine/limits.hpp"

namespace fathom {

StepProgram::StepProgram(std::shared_ptr<const Domain> d, int bytes, std::vector<Process> processes,
                         Options o)
    : domain(std::move(d)),
      bytes(bytes),
      cell(64 / bytes),
      options(std::move(o)),
      plan(std::make_shared<Layout>(Layout{domain, bytes, cell, {}, {}, {}})) {
    for (auto& p : processes) {
        if (p.every < 1) throw Error(p.name, ": every = ", p.every, " steps must be at least 1");
        if (!p.global && p.fields.size() > most_fields) throw Error(p.name, " has too many fields");
        const Region region(p.name, p.phase, p.global ? "global" : "process");
        steps.push_back({std::move(p), {}, 0, std::vector<Clock>(omp_get_max_threads()), region});
    }
    declare();
    derive();
    cut_cells();
    cut_rows();
    count_levels();
    choose_tiles();
    join_rows();
    plan->place();
    place_scratch();
    open_exchanges();
    find_edges();
}

/// Finds all fields, and checks that the processes agree about them.
void StepProgram::declare() {
    auto& all = plan->fields;
    for (auto& s : steps) {
        for (auto& use : s.process.fields) {
            const int n = declared(use);
            agree(s.process, use, all[n]);
            if (use.access != Access::writes && !all[n].written) all[n].state = true;
            s.fields.push_back(n);
        }
        for (std::size_t i = 0; i < s.fields.size(); ++i)
            if (auto& use = s.process.fields[i]; use.access != Access::reads) {
                all[s.fields[i]].written = true;
                all[s.fields[i]].state |= s.process.every > 1 && !use.own;
            }
    }
    for (auto& names : options.rotate) {
        auto& cycle = plan->rotations.emplace_back();
        for (auto& name : names) cycle.push_back(plan->index(name));
        check_rotation(cycle);
        // fields that remain from the last step are state, except the last of the cycle, which is
        // overwritten before it is read
        for (std::size_t n = 0; n + 1 < cycle.size(); ++n)
            all[cycle[n]].state = all[cycle[n]].written = true;
    }
    check_units_of_tracers();
    for (auto& f : all) f.state = f.state && f.written, f.units = std::string(plain_units(f.units));
}

/// The number of a field; a field that no process has named before gets a new number.
int StepProgram::declared(const Process::Field& use) {
    auto& all = plan->fields;
    for (std::size_t n = 0; n < all.size(); ++n)
        if (all[n].name == use.name) return int(n);
    Field& f = all.emplace_back();
    f.name = use.name, f.units = use.units, f.place = use.place;
    return int(all.size()) - 1;
}

/// Checks that a process declares a field as others have declared it.
void StepProgram::agree(const Process& process, const Process::Field& use, Field& f) const {
    if (f.place != use.place)
        throw Error(process.name, " expects '", use.name, "' at ", name(use.place.horizontal), " ",
                    name(use.place.vertical), "; others have it at ", name(f.place.horizontal), " ",
                    name(f.place.vertical));
    if (!units_agree(f.units, use.units))
        throw Error(process.name, " expects '", use.name, "' in ", use.units,
                    "; others have it in ", f.units);
    if (use.reach > domain->halo)
        throw Error(process.name, " reads '", use.name, "' ", use.reach,
                    " columns away; the halo is ", domain->halo);
    f.units = std::string(known_units(f.units, use.units));
    f.own = std::max(f.own, use.own);
}

/// Fields that change places have the same units, and are written in every step.
void StepProgram::check_rotation(const std::vector<int>& cycle) {
    auto& all = plan->fields;
    for (auto& s : steps)
        for (std::size_t i = 0; i < s.fields.size() && s.process.every > 1; ++i)
            if (s.process.fields[i].access != Access::reads &&
                std::ranges::find(cycle, s.fields[i]) != cycle.end())
                throw Error(s.process.name, " runs every ", s.process.every,
                            " steps and cannot write '", all[s.fields[i]].name,
                            "', which changes places at the end of every step");
    std::string units = all[cycle.front()].units;
    for (int f : cycle) {
        if (!units_agree(units, all[f].units))
            throw Error("'", all[f].name, "' in ", all[f].units, " takes the place of one in ",
                        units);
        units = std::string(known_units(units, all[f].units));
    }
    for (int f : cycle) all[f].units = units;
}

/// A field derived from a tracer has the units of the tracer times those that the process gives.
void StepProgram::check_units_of_tracers() const {
    for (auto& s : steps) {
        std::string_view tracer = "any";
        for (std::size_t n = 0; n < s.fields.size() && any_units(tracer); ++n)
            if (s.process.fields[n].units == "any") tracer = plan->fields[s.fields[n]].units;
        if (any_units(tracer)) continue;
        for (std::size_t n = 0; n < s.fields.size(); ++n) {
            const Process::Field& use = s.process.fields[n];
            const std::string& units = plan->fields[s.fields[n]].units;
            if (use.units.starts_with("any ") && !any_units(units) &&
                !units_of(units, tracer, use.units))
                throw Error(s.process.name, " expects '", use.name, "' in ", tracer,
                            use.units.substr(3), "; others have it in ", units);
        }
    }
}

/// Makes groups and their exchanges; finds the fields that are only scratch.
void StepProgram::derive() {
    auto& all = plan->fields;
    std::vector<Process> processes;
    std::vector<std::vector<int>> used;
    for (auto& s : steps) processes.push_back(s.process), used.push_back(s.fields);
    std::vector<bool> constant;
    for (auto& f : all) constant.push_back(!f.written);
    const std::vector<bool> keep = kept_fields();
    Schedule schedule(processes, used, constant, plan->rotations, domain->halo,
                      options.compute_in_halo, options.group);
    for (std::size_t n = 0; n < steps.size(); ++n) steps[n].extent = schedule.extent[n];
    for (auto& g : schedule.groups) form(g);
    for (std::size_t f = 0; f < all.size(); ++f) {
        all[f].scratch = !options.tangent &&
                         (all[f].own > 0 || (!options.device && !keep[f] && schedule.local[f]));
        all[f].guest_of = all[f].scratch || keep[f] || constant[f] ? -2 : -1;
    }
    share(schedule);
}

/// Fields whose values are needed after the end of a group: state, profiles, fields that change
/// places, and fields for output.
std::vector<bool> StepProgram::kept_fields() const {
    auto& all = plan->fields;
    std::vector<bool> keep;
    for (int f = 0; f < int(all.size()); ++f) {
        bool kept = all[f].state || all[f].place == place::profile ||
                    std::ranges::find(options.keep, all[f].name) != options.keep.end();
        for (auto& cycle : plan->rotations) kept |= std::ranges::find(cycle, f) != cycle.end();
        keep.push_back(kept);
    }
    return keep;
}

/// A group of processes that take turns at every row, with the exchange before it.
void StepProgram::form(const Schedule::Group& g) {
    Group& group = groups.emplace_back(Group{g.first,
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
        for (auto& use : steps[p].process.fields) group.reach = std::max(group.reach, use.reach);
    for (auto& s : g.exchange) group.sent.push_back({s.field, s.width});
    if (!g.exchange.empty())
        group.region = Region(exchanged(group), steps[g.first].process.phase, "exchange");
}

/// A field that exists only within a step may use the memory of another field, its host: one that
/// is overwritten later in the step and has no valid values before, the last of a rotation. This
/// saves two 3-D fields of the ocean.
void StepProgram::share(const Schedule& schedule) {
    auto& all = plan->fields;
    std::vector<int> hosts;
    for (auto& cycle : plan->rotations)
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

std::set<int> StepProgram::fields_of(const Group& g) const {
    std::set<int> fields;
    for (int p = g.first; p < g.last; ++p)
        fields.insert(steps[p].fields.begin(), steps[p].fields.end());
    return fields;
}

void StepProgram::count_levels() {
    constexpr int least_of_profile = 8;  // a series in time needs it if layers are few
    const int layers = domain->levels;
    for (auto& f : plan->fields) f.borrowed = options.borrowed && !f.scratch;
    for (auto& f : plan->fields)
        f.levels = f.own > 0                   ? f.own * (layers + 1)
                   : f.place == place::profile ? std::max(layers + 1, least_of_profile)
                   : f.place.vertical == Vertical::column
                       ? 1
                       : layers + (f.place.vertical == Vertical::interface);
}

/// A tile of all fields of a group fills two fifths of the second-level cache; the rest is for the
/// rows on both sides. Where most fields have no levels, a tile is a whole row. A tile consists of
/// whole cells and ends with its row, unless rows join (joined.cpp): what is kept and told is what
/// is computed.
void StepProgram::choose_tiles() {
    auto& all = plan->fields;
    int widest = 1;
    for (int b = 0; b < int(domain->blocks.size()); ++b)
        widest = std::max(widest, domain->columns_of(b));
    widest = (widest + cell - 1) / cell * cell;
    const auto whole = [&](int tile) { return std::max(std::min(tile, widest) / cell, 1) * cell; };
    const int joined = columns_that_join(widest);
    for (auto& g : groups) {
        if ((g.joins = joined > 0)) {
            g.tiles.fix(joined);
            continue;
        }
        std::size_t column = 0;
        for (int f : fields_of(g))
            if (all[f].place != place::profile && !all[f].own) column += all[f].levels * bytes;
        const int fit = int(second_level_cache() * 2 / 5 / std::max<std::size_t>(column, 1));
        const auto known = options.tiles.find(steps[g.first].process.name);
        if (options.tile < 0 && known != options.tiles.end()) {
            g.tiles.fix(whole(known->second));
            continue;
        }
        const int tile = whole(options.tile > 0 ? options.tile : fit);
        if (options.tile < 0)
            g.tiles.measure(tile, widest, cell);
        else
            g.tiles.fix(tile);
    }
}

/// Whether the time of this step can be used to choose a group's tile: not in the first step, in
/// which memory is first used, nor in a step with a process that runs only every n-th step.
bool StepProgram::tries(const Group& g, long count) const {
    if (!g.tiles.open() || count == 0) return false;
    for (int p = g.first; p < g.last; ++p)
        if (steps[p].process.every > 1 && count % steps[p].process.every == 0) return false;
    return true;
}

/// Scratch: groups use the same memory one after the other; each thread has separate memory. It
/// begins with the memory of kernels, at the same place for all groups in which they are.
void StepProgram::place_scratch() {
    const auto place = [&](Field& f, int columns, std::size_t offset) {
        for (std::size_t b = 0; b < f.at.size(); ++b)
            f.level[b] = columns, f.row[b] = 0, f.at[b] = (std::byte*)offset;
        return std::size_t(f.levels) * columns * bytes;
    };
    std::size_t of_kernels = 0;
    for (Field& f : plan->fields)
        if (f.own && f.scratch) of_kernels += place(f, cell, of_kernels);
    scratch_bytes = of_kernels;
    for (auto& g : groups) {
        const int width = padded_columns(g.tiles.widest, cell);
        std::size_t offset = of_kernels;
        for (int n : fields_of(g))
            if (Field& f = plan->fields[n]; f.scratch && !f.own) offset += place(f, width, offset);
        scratch_bytes = std::max(scratch_bytes, offset);
    }
    scratch_bytes = (scratch_bytes + 4096 + 64) / 64 * 64;
    threads = omp_get_max_threads();
    scratch = Pages(scratch_bytes * threads);
    Pages::enlarge(scratch.at, scratch.bytes);
    // first written here, not in a thread's first step
    std::memset(scratch.at, 0, scratch.bytes);
}

void StepProgram::open_exchanges() {
    for (auto& g : groups) {
        std::vector<Exchange::Item> items;
        for (auto& s : g.sent) {
            const Field& f = plan->fields[s.field];
            items.push_back({f.place.horizontal, f.place.vector, s.width, f.levels});
            g.slabs.push_back(f);
        }
        if (!items.empty())
            g.exchange = std::make_unique<Exchange>(domain->comm, domain->decomposition,
                                                    domain->halo, bytes, items, domain->exchange);
    }
}

/// Calls body(number) for each field that steps [first, last) change.
template <class Steps, class Body>
static void each_changed(const Steps& steps, std::size_t first, std::size_t last, Body&& body) {
    for (std::size_t p = first; p < last; ++p)
        for (std::size_t n = 0; n < steps[p].fields.size(); ++n)
            if (steps[p].process.fields[n].access != Access::reads) body(steps[p].fields[n]);
}

/// Fields that a group reads at neighbours are 0 beyond closed edges, unless a group before it in
/// the step has left them so. What a global process has put there, as the wind over a pole, stays.
void StepProgram::find_edges() {
    std::set<int> kept;
    for (std::size_t p = 0; p < steps.size(); ++p)
        if (steps[p].global()) each_changed(steps, p, p + 1, [&](int n) { kept.insert(n); });
    std::set<int> clean = kept;
    for (auto& g : groups) {
        for (int p = g.first; p < g.last; ++p)
            for (std::size_t n = 0; n < steps[p].fields.size(); ++n) {
                const int number = steps[p].fields[n];
                const Field& f = plan->fields[number];
                const bool looks = steps[p].process.fields[n].reach > 0 && f.written && !f.scratch;
                if (looks && clean.insert(number).second) g.beyond.add(number, f, *domain);
            }
        each_changed(steps, g.first, g.last, [&](int number) {
            for (int n : {number, plan->fields[number].guest_of})
                if (!kept.contains(n)) clean.erase(n);
        });
    }
}

void StepProgram::ramp(std::string_view profile, double step, double origin, double length) {
    if (!(length > 0))
        throw Error("the ramp of '", profile, "' needs a length > 0 s, given ", length);
    before_step(profile, 1, [=](std::span<double> value, long steps) {
        value[0] = (double(steps) * step - origin) / length;
    });
}

void StepProgram::before_step(std::string_view profile, int count, Values values) {
    const Field& f = plan->fields[plan->index(profile)];
    if (count > f.levels)
        throw Error("'", profile, "' takes ", count, " values; with ", domain->levels,
                    " levels it holds ", f.levels);
    std::erase_if(moving, [&](auto& m) { return m.profile == profile; });
    moving.push_back({f.name, std::vector<double>(count), std::move(values)});
}

/// Marks the fields that a process writes as changed here (not on the device).
static void wrote(const Process& p, const std::vector<int>& fields, FieldSet& set) {
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (p.fields[i].access != Access::reads) set.changed_here(fields[i]);
}

void StepProgram::prepare(FieldSet& set, const std::function<void()>& fill) {
    fill();
    for (auto& s : steps)
        if (s.global()) s.process.global->prepare({set, s.fields}), wrote(s.process, s.fields, set);
}

void StepProgram::start(FieldSet& set) {
    for (auto& s : steps)
        if (s.global()) s.process.global->start({set, s.fields}), wrote(s.process, s.fields, set);
}

/// A step takes those rows of halos as valid which the step before has exchanged.
void StepProgram::fill_halos(FieldSet& set) {
    std::vector<Exchange::Item> items;
    std::vector<FieldSlab> slabs;
    for (int n = 0; n < int(plan->fields.size()); ++n) {
        const Field& f = plan->fields[n];
        if (!f.written || !f.state || !f.stays() || f.place == place::profile) continue;
        items.push_back({f.place.horizontal, f.place.vector, domain->halo, f.levels});
        slabs.push_back(set[n]);
        set.changed_here(n);
    }
    if (domain->halo == 0 || items.empty()) return;
    Exchange all(domain->comm, domain->decomposition, domain->halo, bytes, items, domain->exchange);
    all.start(slabs);
    all.finish(slabs);
}

void StepProgram::changed(FieldSet& set) {
    fill_halos(set);
    for (auto& s : steps)
        if (s.global()) s.process.global->changed({set, s.fields}), wrote(s.process, s.fields, set);
}

std::vector<std::shared_ptr<GlobalProcess>> StepProgram::globals() const {
    std::vector<std::shared_ptr<GlobalProcess>> list;
    for (auto& s : steps)
        if (s.global()) list.push_back(s.process.global);
    return list;
}

std::vector<StepProgram::Part> StepProgram::parts() const {
    std::vector<Part> list;
    for (auto& s : steps) list.push_back({s.process, s.fields});
    return list;
}

void StepProgram::set_profiles(FieldSet& set) {
    for (auto& m : moving) {
        m.set(m.values, set.count);
        set.set_profile(m.profile, m.values);
    }
}

namespace {
/// While it exists: no more threads than there is memory for.
class AtMost {
public:
    explicit AtMost(int threads) {
        if (before > threads) omp_set_num_threads(threads);
    }
    ~AtMost() { omp_set_num_threads(before); }

private:
    const int before = omp_get_max_threads();
};
}  // namespace

void StepProgram::step(FieldSet& set) {
    const AtMost limit(threads);
    static const Region whole("step");
    Within step(whole);
    if (set.layout != plan) throw Error("this field set belongs to another sequence");
    if (regions.mine()) regions.step(seconds_now());
    set_profiles(set);
    if (set.device())
        step_on_device(set);
    else
        pass(set);
    set.rotate();
    ++set.count;
}

void StepProgram::pass(FieldSet& set) {
    for (std::size_t g = 0; g < groups.size(); ++g) run(groups[g], rows[g], set);
}

void StepProgram::repeat(FieldSet& set) {
    const AtMost limit(threads);
    pass(set);
    ++set.count;
}

/// A group: its exchange, then its processes; rows that need nothing from other ranks are computed
/// while messages travel.
void StepProgram::run(Group& group, const Rows& rows, FieldSet& set) {
    const bool overlaps = rows.inner > 0;
    group.beyond.clear(set);
    auto exchange = [&](int calls, auto part) {
        Within within(group.region, calls);
        const double t = work_now();
        part(*group.exchange);
        group.seconds += work_now() - t, group.calls += calls;
    };
    if (group.exchange)
        exchange(1, [&](Exchange& e) {
            for (std::size_t n = 0; n < group.sent.size(); ++n)
                group.slabs[n] = set[group.sent[n].field];
            e.start(group.slabs);
            if (!overlaps)
                e.finish(group.slabs);
            else
                e.copy(group.slabs);
        });
    if (Step& first = steps[group.first]; first.global()) return apply(first, set);
    for (int p = group.first; p < group.last; ++p) find_arguments(steps[p], set);
    const bool trial = tries(group, set.count);
    if (trial) group.tiles.next();
    double seconds = 0;
    if (overlaps) {
        seconds += run_rows(group, rows, true, set, 1);
        exchange(0, [&](Exchange& e) { e.finish(group.slabs); });
    }
    seconds += run_rows(group, rows, false, set, !overlaps);
    if (trial) group.tiles.learn(seconds);
}

void StepProgram::apply(Step& step, FieldSet& set) {
    if (set.count % step.process.every) return;
    Within within(step.region);
    const double t = work_now();
    step.process.global->apply({set, step.fields});
    step.seconds += work_now() - t, ++step.calls;
}

}  // namespace fathom
