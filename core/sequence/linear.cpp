#include "sequence/linear.hpp"
#include <cstring>
#include "field/by_cells.hpp"

namespace fathom {

static bool is_written(const Process::Field& use) {
    return use.access != Access::reads && !use.own;
}

static const Linearisable* linearisable(const Process& p) {
    return dynamic_cast<const Linearisable*>(p.global.get());
}

LinearSequence::LinearSequence(std::shared_ptr<Sequence> of, Options options)
    : sequence(std::move(of)),
      options(options),
      bytes_kept(options.keep == Keep::single ? 4 : sequence->bytes),
      parts(sequence->parts()) {
    check();
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

void LinearSequence::check() const {
    const Layout& layout = *sequence->layout();
    if (options.every < 1) throw Error("states are kept of every ", options.every, ". step");
    if (!layout.rotations.empty())
        throw Error("fields that change places at the end of a step have no tangent");
    for (auto& [process, fields] : parts) {
        if (!process.global && !process.tangent) throw Error(process.name, " has no tangent");
        if (process.every > 1) throw Error(process.name, " must run in every step");
        for (auto& use : process.fields)
            if (use.reach > 0) throw Error(process.name, " looks at neighbours: no tangent yet");
    }
    for (const Field& f : layout.fields)
        if (!f.own && !f.stays())
            throw Error("'", f.name, "' lives only within a step: the sequence must keep it");
}

// ---- what is kept -----------------------------------------------------------------------------

int LinearSequence::value(int field, int after) {
    for (std::size_t n = 0; n < values.size(); ++n)
        if (values[n].field == field && values[n].after == after) return int(n);
    values.push_back({field, after});
    return int(values.size()) - 1;
}

/// The kept value of a field of a process: that after the last part, up to `last`, that writes it.
std::optional<int> LinearSequence::needed(const Sequence::Part& part, std::size_t number,
                                          int last) {
    const int field = part.fields[number];
    const Field& f = sequence->layout()->fields[field];
    if (f.place == place::profile || !f.written) return constant;
    const auto writes = [&](const Sequence::Part& p) {
        for (std::size_t n = 0; n < p.fields.size(); ++n)
            if (p.fields[n] == field && is_written(p.process.fields[n])) return true;
        return false;
    };
    while (last >= 0 && !writes(parts[last])) --last;
    return value(field, last);
}

LinearSequence::Need LinearSequence::need_of(int number) {
    const auto& [process, fields] = parts[number];
    Need need;
    if (options.by_hand && !process.global) need.by_hand = linear_kernel_of(process);
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
LinearSequence::Memory LinearSequence::keep(const FieldSet& set, int field) const {
    Memory kept;
    each_block(set, set[field], [&](const std::byte* at, std::size_t bytes) {
        kept.insert(kept.end(), at, at + bytes);
    });
    return kept;
}
void LinearSequence::put_back(FieldSet& set, int field, const Memory& kept) const {
    std::size_t from = 0;
    each_block(set, set[field], [&](std::byte* at, std::size_t bytes) {
        std::memcpy(at, &kept[from], bytes);
        from += bytes;
    });
}
std::vector<LinearSequence::Memory> LinearSequence::keep(const FieldSet& set,
                                                         const std::vector<int>& fields) const {
    std::vector<Memory> all;
    for (int field : fields) all.push_back(keep(set, field));
    return all;
}
void LinearSequence::put_back(FieldSet& set, const std::vector<int>& fields,
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
void LinearSequence::keep_values(const FieldSet& set, int after, Step& step) const {
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
void LinearSequence::linearise(FieldSet& set, Step& step) const {
    if (!step.memory.at) step.memory = Pages(std::max<std::size_t>(numbers * bytes_kept, 1));
    step.globals.resize(parts.size());
    sequence->set_profiles(set);
    keep_values(set, -1, step);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (auto& global = parts[p].process.global) {
            if (const auto* own = linearisable(parts[p].process))
                step.globals[p] = own->linearise({set, parts[p].fields},
                                                 options.keep == Keep::single && set.bytes() == 8,
                                                 std::move(step.globals[p]));
            global->apply({set, parts[p].fields});
        } else
            run(parts[p], set);
        keep_values(set, int(p), step);
    }
    ++set.count;
}

void LinearSequence::follow(FieldSet& set, int steps) {
    if (set.layout != sequence->layout()) throw Error("this field set belongs to another sequence");
    if (!now) {
        now = std::make_unique<FieldSet>(set);
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
            linearise(set, kept.emplace_back());
            continue;
        }
        if ((profiles.size() - 1) % options.every == 0) states.push_back(keep(set, state));
        sequence->step(set);
    }
}

void LinearSequence::forget() {
    profiles.clear(), kept.clear(), states.clear(), between.clear();
    segment = once_of = -1;
}

std::size_t LinearSequence::bytes() const {
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
void LinearSequence::recall(int step) {
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

LinearSequence::Step& LinearSequence::about(int step) {
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
void LinearSequence::show(const Step& step, int number) {
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
std::vector<const std::byte*> LinearSequence::place(const Step& step, std::optional<int> number,
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

/// Calls body(thread's object from `make`, block, row, its cells) for all rows; threads share the
/// rows.
template <class Make, class Body> static void each_row(const Layout& layout, Make make, Body body) {
    std::vector<std::pair<int, int>> rows;
    for (std::size_t b = 0; b < layout.cells.size(); ++b)
        for (std::size_t r = 0; r < layout.cells[b].size(); ++r)
            if (!layout.cells[b][r].empty()) rows.emplace_back(b, r);
#pragma omp parallel
    {
        auto own = make();
#pragma omp for schedule(dynamic, 1)
        for (std::size_t n = 0; n < rows.size(); ++n)
            body(own, rows[n].first, rows[n].second, layout.cells[rows[n].first][rows[n].second]);
    }
}

/// The address of a field at a column of a row of a block that begins at `base`.
static Raw in_row(const Field& f, const std::byte* base, int block, int row, int column,
                  int bytes) {
    const bool profile = f.place == place::profile;
    return {(void*)(base + (profile ? 0 : (row * f.row[block] + column) * bytes)),
            f.place.vertical == Vertical::column ? 0 : f.level[block], profile ? 0 : f.row[block]};
}

/// A whole row at a time; each thread has its own memory for kernels.
void LinearSequence::run(const Sequence::Part& part, const FieldSet& set) const {
    const Process& p = part.process;
    struct Own {
        std::vector<Raw> at;
        std::vector<Memory> memory;
    };
    const auto make = [&] {
        Own own{std::vector<Raw>(part.fields.size()), std::vector<Memory>(part.fields.size())};
        for (std::size_t n = 0; n < part.fields.size(); ++n)
            if (p.fields[n].own > 0) {
                own.memory[n].resize(std::size_t(set[part.fields[n]].levels) * 64);
                own.at[n] = {own.memory[n].data(), 64 / set.bytes(), 0};
            }
        return own;
    };
    each_row(*set.layout, make, [&](Own& own, int b, int r, const std::vector<Cell>& cells) {
        for (std::size_t n = 0; n < part.fields.size(); ++n)
            if (const Field& f = set[part.fields[n]]; p.fields[n].own == 0)
                own.at[n] = in_row(f, f.at[b], b, r, cells.front().column, set.bytes());
        p.run(p.scheme.get(), own.at.data(), cells.data(), cells.data() + cells.size());
    });
}

void LinearSequence::run_linear(std::size_t number, Step& step, FieldSet& change, bool adjoint) {
    const auto& [process, fields] = parts[number];
    const Need& need = needs[number];
    const std::size_t count = fields.size();
    std::vector<std::vector<const std::byte*>> before, after;
    for (std::size_t n = 0; n < count; ++n) {
        before.push_back(place(step, need.before[n], fields[n]));
        after.push_back(place(step, need.after[n], fields[n]));
    }
    const auto body = [&](std::vector<Raw>& at, int b, int r, const std::vector<Cell>& cells) {
        Raw *x = at.data(), *y = x + count, *d = y + count;
        for (std::size_t n = 0; n < count; ++n) {
            const Field& f = change[fields[n]];
            const auto here = [&](const std::byte* base) {
                return base ? in_row(f, base, b, r, cells.front().column, change.bytes()) : Raw{};
            };
            if (process.fields[n].own) continue;
            x[n] = here(before[n][b]), y[n] = here(after[n][b]), d[n] = here(f.at[b]);
        }
        const Cell *first = cells.data(), *last = first + cells.size();
        if (need.by_hand)
            (adjoint ? need.by_hand->adjoint : need.by_hand->tangent)(process.scheme.get(), x, y, d,
                                                                      first, last);
        else
            (adjoint ? adjoint_by_cells : tangent_by_cells)(process, change.bytes(), x, d, first,
                                                            last);
    };
    each_row(*now->layout, [&] { return std::vector<Raw>(3 * count); }, body);
}

void LinearSequence::run_global(std::size_t number, Step& step, FieldSet& change, bool adjoint) {
    const auto& [process, fields] = parts[number];
    const GlobalProcess& global = *process.global;
    const GlobalProcess::Given to{change, fields};
    if (const auto& about = step.globals[number])
        adjoint ? about->adjoint(to) : about->tangent(to);
    else {
        for (auto& before : needs[number].before)
            if (before && *before != constant) show(step, *before);
        const GlobalProcess::Given state{*now, fields};
        adjoint ? global.adjoint(state, to) : global.tangent(state, to);
    }
    for (auto& use : process.fields)
        if (adjoint && use.access == Access::writes) change.fill(use.name, 0);
}

void LinearSequence::run_part(std::size_t number, Step& step, FieldSet& change, bool adjoint) {
    const Within within(of_parts[number]);
    parts[number].process.global ? run_global(number, step, change, adjoint)
                                 : run_linear(number, step, change, adjoint);
}

void LinearSequence::tangent(FieldSet& perturbation, int first, int steps) {
    static const Region whole("tangent step");
    for (int n = first; n < first + steps; ++n) {
        const Within within(whole);
        Step& step = about(n);
        for (std::size_t p = 0; p < parts.size(); ++p) run_part(p, step, perturbation, false);
    }
}
void LinearSequence::adjoint(FieldSet& gradient, int first, int steps) {
    static const Region whole("adjoint step");
    for (int n = first + steps - 1; n >= first; --n) {
        const Within within(whole);
        Step& step = about(n);
        for (std::size_t p = parts.size(); p-- > 0;) run_part(p, step, gradient, true);
    }
}

void LinearSequence::start(FieldSet& perturbation) const {
    for (auto& part : parts)
        if (part.process.global) part.process.global->start_tangent({perturbation, part.fields});
}
void LinearSequence::start_adjoint(FieldSet& gradient) const {
    for (std::size_t n = parts.size(); n-- > 0;)
        if (auto& global = parts[n].process.global)
            global->start_adjoint({gradient, parts[n].fields});
}

}  // namespace fathom
