#include "sequence/linear.hpp"
#include <algorithm>
#include <cstring>
#include <iterator>

namespace fathom {

static bool is_written(const Process::Field& use) {
    return use.access != Access::reads && !use.own;
}

static const Linearisable* linearisable(const Process& p) {
    return dynamic_cast<const Linearisable*>(p.global.get());
}

LinearStepProgram::LinearStepProgram(std::shared_ptr<StepProgram> of, Options options)
    : sequence(std::move(of)),
      options(options),
      bytes_kept(options.keep == Keep::single ? 4 : sequence->bytes),
      parts(sequence->parts()) {
    for (auto& part : parts)
        frozen.push_back(std::ranges::find(options.frozen, part.process.name) !=
                         options.frozen.end());
    find_idle();
    check();
    find_neighbours();
    const Layout& layout = *sequence->layout();
    for (std::size_t n = 0; n < layout.fields.size(); ++n) {
        const Field& f = layout.fields[n];
        if (f.place == place::profile)
            of_profile.push_back(int(n));
        else if (f.state)
            state.push_back(int(n));
    }
    for (std::size_t n = 0; n < parts.size(); ++n) needs.push_back(need_of(int(n)));
    for (auto& [process, fields] : parts)
        of_parts.emplace_back(process.name, process.phase, process.global ? "global" : "process");
}

/// Whether a part writes one of these fields.
static bool writes_one(const StepProgram::Part& part, const std::vector<char>& fields) {
    for (std::size_t n = 0; n < part.fields.size(); ++n)
        if (is_written(part.process.fields[n]) && fields[part.fields[n]]) return true;
    return false;
}
static void add_read(const StepProgram::Part& part, std::vector<char>& fields) {
    for (std::size_t n = 0; n < part.fields.size(); ++n)
        if (part.process.fields[n].access != Access::writes) fields[part.fields[n]] = true;
}

/// A field matters where it is a state, or a part that matters reads it; a part that writes one.
void LinearStepProgram::find_idle() {
    const Layout& layout = *sequence->layout();
    std::vector<char> matters;
    for (auto& f : layout.fields) matters.push_back(f.state);
    for (auto& cycle : layout.rotations)
        for (int f : cycle) matters[f] = true;
    idle.assign(parts.size(), true);
    for (bool found = true; found;) {
        found = false;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            if (!idle[p] || !(frozen[p] || writes_one(parts[p], matters))) continue;
            idle[p] = false, found = true;
            if (!frozen[p]) add_read(parts[p], matters);
        }
    }
}

void LinearStepProgram::check() const {
    const Layout& layout = *sequence->layout();
    if (options.every < 1) throw Error("states are kept of every ", options.every, ". step");
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const Process& process = parts[p].process;
        if (frozen[p] || idle[p]) continue;
        if (!process.global && !process.tangent) throw Error(process.name, " has no tangent");
        for (auto& use : process.fields)
            if (process.global && use.reach > 0)
                throw Error(process.name,
                            " looks at neighbours of whole fields: it has no tangent");
    }
    for (const Field& f : layout.fields)
        if (!f.own && !f.stays())
            throw Error("'", f.name, "' lives only within a step: the sequence must keep it");
}

LinearStepProgram::Halos::Halos(const Layout& layout, const std::vector<int>& widths) {
    std::vector<Exchange::Item> items;
    for (std::size_t n = 0; n < widths.size(); ++n) {
        const Field& f = layout.fields[n];
        if (widths[n] == 0) continue;
        items.push_back({f.place.horizontal, f.place.vector, widths[n], f.levels});
        fields.push_back(int(n)), slabs.push_back(f);
    }
    const Domain& d = *layout.domain;
    if (!items.empty())
        by = std::make_unique<Exchange>(d.comm, d.decomposition, d.halo, layout.bytes, items,
                                        d.exchange);
}

void LinearStepProgram::Halos::exchange(FieldSet& set) const {
    if (!by) return;
    for (std::size_t n = 0; n < fields.size(); ++n) slabs[n].at = set[fields[n]].at;
    by->start(slabs), by->finish(slabs);
}

/// Of each field, the largest value of a property of its uses by a process; 0 where it uses none.
template <class Property>
static std::vector<int> most_of(const StepProgram::Part& part, std::size_t fields,
                                Property property) {
    std::vector<int> most(fields);
    for (std::size_t n = 0; n < part.fields.size(); ++n) {
        int& of_field = most[part.fields[n]];
        of_field = std::max(of_field, int(property(part.process.fields[n])));
    }
    return most;
}

/// Processes that look at neighbours: where halos are needed, and how adjoints are added up.
void LinearStepProgram::find_neighbours() {
    const Layout& layout = *sequence->layout();
    const std::size_t count = layout.fields.size();
    const auto reach = [](auto& use) { return use.reach; };
    std::vector<int> width(count), of_state(count);  // of the halo that some process reads
    for (auto& part : parts) {
        const std::vector<int> own = most_of(part, count, reach);
        for (std::size_t f = 0; f < count; ++f)
            width[f] = std::max(width[f], layout.fields[f].written * own[f]);
    }
    for (std::size_t f = 0; f < count; ++f) of_state[f] = layout.fields[f].state * width[f];
    at_start = Halos(layout, of_state);
    for (auto& part : parts) {
        std::vector<int> written = most_of(part, count, is_written),
                         read = most_of(part, count, reach);
        const bool looks = std::ranges::max(read) > 0;
        for (std::size_t f = 0; f < count; ++f)
            written[f] *= width[f], read[f] *= layout.fields[f].written;
        made.emplace_back(layout, written), seen.emplace_back(layout, read);
        if (looks && !active) active = std::make_shared<Active>(*layout.domain);
        const bool added = looks && !frozen[neighbours.size()] && !idle[neighbours.size()];
        neighbours.push_back(looks);
        sums.push_back(
            added ? std::make_unique<NeighbourSums>(layout, part.process, part.fields, active)
                  : nullptr);
    }
}

// ---- what is kept -----------------------------------------------------------------------------

int LinearStepProgram::value(int field, int after) {
    for (std::size_t n = 0; n < values.size(); ++n)
        if (values[n].field == field && values[n].after == after) return int(n);
    values.push_back({field, after});
    return int(values.size()) - 1;
}

/// The kept value of a field of a process: that after the last part, up to `last`, that writes it.
std::optional<int> LinearStepProgram::needed(const StepProgram::Part& part, std::size_t number,
                                             int last) {
    const int field = part.fields[number];
    const Field& f = sequence->layout()->fields[field];
    if (f.place == place::profile || !f.written) return constant;
    const auto writes = [&](const StepProgram::Part& p) {
        for (std::size_t n = 0; n < p.fields.size(); ++n)
            if (p.fields[n] == field && is_written(p.process.fields[n])) return true;
        return false;
    };
    while (last >= 0 && !writes(parts[last])) --last;
    return value(field, last);
}

LinearStepProgram::Need LinearStepProgram::need_of(int number) {
    const auto& [process, fields] = parts[number];
    Need need;
    if (frozen[number] || idle[number]) {
        need.before.resize(fields.size()), need.after.resize(fields.size());
        return need;
    }
    if (options.by_hand && !process.global) need.by_hand = process.by_hand.get();
    const bool by_itself = linearisable(process);
    for (std::size_t n = 0; n < fields.size(); ++n) {
        const auto& use = process.fields[n];
        const bool given = !use.own && use.access != Access::writes,
                   before = need.by_hand ? need.by_hand->before[n] : given && !by_itself,
                   after = need.by_hand && need.by_hand->after[n];
        if (before && after && use.access == Access::updates)
            throw Error(process.name, " needs '", use.name, "' before and afterwards");
        std::optional<int> none;
        need.before.push_back(before ? needed(parts[number], n, number - 1) : none);
        need.after.push_back(after ? needed(parts[number], n, number) : none);
    }
    return need;
}

/// Calls body(memory, its bytes) for the whole field, block after block.
template <class Body> static void each_block(const FieldSet& set, const Field& f, Body body) {
    const bool profile = f.place == place::profile;
    for (std::size_t b = 0; b < f.at.size(); ++b)
        body(f.at[b], (profile ? f.levels : set.domain().rows_of(int(b)) * f.row[b]) * set.bytes());
}
LinearStepProgram::Memory LinearStepProgram::keep(const FieldSet& set, int field) const {
    Memory kept;
    each_block(set, set[field], [&](const std::byte* at, std::size_t bytes) {
        kept.insert(kept.end(), at, at + bytes);
    });
    return kept;
}
void LinearStepProgram::put_back(FieldSet& set, int field, const Memory& kept) const {
    std::size_t from = 0;
    each_block(set, set[field], [&](std::byte* at, std::size_t bytes) {
        std::memcpy(at, &kept[from], bytes);
        from += bytes;
    });
}
std::vector<LinearStepProgram::Memory> LinearStepProgram::keep(
    const FieldSet& set, const std::vector<int>& fields) const {
    std::vector<Memory> all;
    for (int field : fields) all.push_back(keep(set, field));
    return all;
}
void LinearStepProgram::put_back(FieldSet& set, const std::vector<int>& fields,
                                 const std::vector<Memory>& all) const {
    for (std::size_t n = 0; n < fields.size(); ++n) put_back(set, fields[n], all[n]);
}

/// In pieces, which threads share.
template <class To, class From> static void round(To* to, const From* from, std::size_t count) {
#pragma omp parallel for schedule(static)
    for (std::size_t n = 0; n < count; ++n) to[n] = To(from[n]);
}
template <class Body> static void each_piece(const FieldSet& set, const Field& f, Body body) {
    std::size_t begin = 0;
    each_block(set, f, [&](std::byte* at, std::size_t bytes) {
        body(at, begin, bytes / set.bytes());
        begin += bytes / set.bytes();
    });
}

/// Keeps the values of a set after a part of the step.
void LinearStepProgram::keep_values(const FieldSet& set, int after, Step& step) const {
    for (auto& v : values) {
        if (v.after != after) continue;
        std::byte* const to = step.memory.at + v.begin * bytes_kept;
        each_piece(set, set[v.field], [&](const std::byte* at, std::size_t begin, std::size_t n) {
            if (bytes_kept == sequence->bytes)
                std::memcpy(to + begin * bytes_kept, at, n * bytes_kept);
            else
                round((float*)to + begin, (const double*)at, n);
        });
    }
}

/// Takes the step, and keeps the values that tangent and adjoint need.
void LinearStepProgram::linearise(FieldSet& set, Step& step) const {
    if (!step.memory.at) step.memory = Pages((numbers + 2 * spare) * bytes_kept);
    step.globals.resize(parts.size());
    sequence->set_profiles(set);
    at_start.exchange(set);
    keep_values(set, -1, step);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (!runs(p, set.count)) {
            keep_values(set, int(p), step);
            continue;
        }
        if (auto& global = parts[p].process.global) {
            if (const auto* own = linearisable(parts[p].process); own && !frozen[p] && !idle[p])
                step.globals[p] = own->linearise({set, parts[p].fields},
                                                 options.keep == Keep::single && set.bytes() == 8,
                                                 std::move(step.globals[p]));
            global->apply({set, parts[p].fields});
        } else
            run(p, set);
        made[p].exchange(set);
        keep_values(set, int(p), step);
    }
    set.rotate();
    ++set.count;
}

void LinearStepProgram::follow(FieldSet& set, int steps) {
    if (set.layout != sequence->layout()) throw Error("this field set belongs to another sequence");
    if (!now) {
        now = std::make_unique<FieldSet>(set);
        numbers = spare;
        for (auto& v : values) {
            v.begin = numbers;
            each_piece(set, set[v.field],
                       [&](std::byte*, std::size_t, std::size_t n) { v.numbers += n; });
            numbers += (v.numbers + 15) / 16 * 16;  // whole lines of the cache
        }
    }
    if (profiles.empty()) now->copy(set), first_count = set.count;
    for (int n = 0; n < steps; ++n) {
        profiles.push_back(keep(set, of_profile));
        if (options.keep != Keep::states) {
            kept.emplace_back();
            if (!unused.empty()) kept.back() = std::move(unused.back()), unused.pop_back();
            linearise(set, kept.back());
            continue;
        }
        if ((profiles.size() - 1) % options.every == 0) states.push_back(keep(set, state));
        sequence->step(set);
    }
}

void LinearStepProgram::forget() {
    std::ranges::move(kept, std::back_inserter(unused));
    profiles.clear(), kept.clear(), states.clear(), between.clear();
    segment = once_of = -1;
}

std::size_t LinearStepProgram::bytes() const {
    std::size_t sum = 0;
    const auto add = [&](const auto& lists) {
        for (auto& all : lists)
            for (auto& field : all) sum += field.size();
    };
    const auto add_step = [&](const Step& step) {
        sum += step.memory.bytes;
        for (auto& global : step.globals)
            if (global) sum += global->bytes();
    };
    add(profiles), add(states), add(between);
    for (auto& step : kept) add_step(step);
    add_step(once);
    return sum;
}

// ---- one step -----------------------------------------------------------------------------------

/// Restores the state before a step if only states are kept: all states between two kept ones are
/// computed together, once.
void LinearStepProgram::recall(int step) {
    const int begin = step / options.every * options.every;
    const auto set_back = [&](int n) {
        put_back(*now, of_profile, profiles[n]);
        now->count = first_count + n;
    };
    if (segment != begin) {
        between.clear(), segment = begin;
        put_back(*now, state, states[begin / options.every]);
        for (int n = begin + 1; n < std::min(begin + options.every, steps()); ++n) {
            set_back(n - 1);
            sequence->step(*now);
            between.push_back(keep(*now, state));
        }
    }
    put_back(*now, state,
             step == begin ? states[begin / options.every] : between[step - begin - 1]);
    set_back(step);
}

LinearStepProgram::Step& LinearStepProgram::about(int step) {
    if (step < 0 || step >= steps())
        throw Error("the trajectory has ", steps(), " steps; wanted number ", step);
    shown.assign(sequence->layout()->fields.size(), -1);
    if (options.keep == Keep::states) {
        if (once_of == step) return put_back(*now, of_profile, profiles[step]), once;
        recall(step);
        once_of = -1;
        linearise(*now, once);
        once_of = step;
    }
    put_back(*now, of_profile, profiles[step]);
    now->count = first_count + step;
    sequence->set_profiles(*now);
    return options.keep == Keep::states ? once : kept[step];
}

/// Puts a value that was kept in fp32 into the field of `now`.
void LinearStepProgram::show(const Step& step, int number) {
    const Value& v = values[number];
    if (shown[v.field] == number) return;
    shown[v.field] = number;
    const std::byte* const from = step.memory.at + v.begin * bytes_kept;
    each_piece(*now, (*now)[v.field], [&](std::byte* at, std::size_t begin, std::size_t n) {
        if (bytes_kept == sequence->bytes)
            std::memcpy(at, from + begin * bytes_kept, n * bytes_kept);
        else
            round((double*)at, (const float*)from + begin, n);
    });
}

/// The address of a value of a field in each block.
std::vector<const std::byte*> LinearStepProgram::place(const Step& step, std::optional<int> number,
                                                       int field) {
    const Field& f = (*now)[field];
    std::vector<const std::byte*> at(f.at.size(), nullptr);
    if (!number) return at;
    const bool as_it_is = *number != constant && bytes_kept == sequence->bytes;
    if (*number != constant && !as_it_is) show(step, *number);
    each_piece(*now, f, [&, b = 0](std::byte* own, std::size_t begin, std::size_t) mutable {
        at[b++] = as_it_is ? step.memory.at + (values[*number].begin + begin) * bytes_kept : own;
    });
    return at;
}

}  // namespace fathom
