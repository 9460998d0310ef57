#include "sequence/linear.hpp"
#include <cstring>
#include <optional>
#include "field/adjoint.hpp"

namespace fathom {

static const auto is_written = [](const Process::Field& use) {
    return use.access != Access::reads && !use.own;
};

LinearSequence::LinearSequence(std::shared_ptr<Sequence> of)
    : sequence(std::move(of)), parts(sequence->parts()) {
    const Layout& layout = *sequence->layout();
    if (!layout.rotations.empty())
        throw Error("fields that change places at the end of a step have no tangent");
    for (auto& [process, fields] : parts) {
        if (!process.global && !process.tangent) throw Error(process.name, " has no tangent");
        if (process.every > 1) throw Error(process.name, " must run in every step");
        for (auto& use : process.fields)
            if (use.reach > 0) throw Error(process.name, " looks at neighbours: no tangent yet");
    }
    for (std::size_t n = 0; n < layout.fields.size(); ++n) {
        const Field& f = layout.fields[n];
        if (!f.own && !f.stays())
            throw Error("'", f.name, "' lives only within a step: the sequence must keep it");
        if (f.state || f.place == place::profile) state.push_back(int(n));
    }
}

std::size_t LinearSequence::bytes() const {
    std::size_t sum = 0;
    for (auto& all : states)
        for (auto& field : all) sum += field.size();
    return sum;
}

/// All of a field, block after block.
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
void LinearSequence::put_back(const FieldSet& set, int field, const Memory& kept) const {
    std::size_t from = 0;
    each_block(set, set[field], [&](std::byte* at, std::size_t bytes) {
        std::memcpy(at, &kept[from], bytes);
        from += bytes;
    });
}

void LinearSequence::follow(FieldSet& set, int steps) {
    if (!now || now->layout != set.layout) now = std::make_unique<FieldSet>(set);
    if (states.empty()) now->copy(set), first_count = set.count;
    for (int n = 0; n < steps; ++n) {
        auto& all = states.emplace_back();
        for (int field : state) all.push_back(keep(set, field));
        sequence->step(set);
    }
}

void LinearSequence::recall(int step) {
    if (step < 0 || step >= steps())
        throw Error("the trajectory has ", steps(), " steps; wanted number ", step);
    for (std::size_t n = 0; n < state.size(); ++n) put_back(*now, state[n], states[step][n]);
    now->count = first_count + step;
    sequence->set_profiles(*now);
}

/// The fields of a process at one cell, gathered into memory of a thread: values, as much again for
/// tangents or adjoints, and as much for the kernel.
struct LinearSequence::Cells {
    const Sequence::Part& part;
    const FieldSet& set;
    std::vector<std::size_t> offset;
    std::size_t size = 0;  // bytes
    /// Levels of each field; of these those that are given, written, and changed by the adjoint: 0
    /// of others.
    std::vector<int> levels, given, written, changed;

    Cells(const Sequence::Part& part, const FieldSet& set) : part(part), set(set) {
        for (std::size_t i = 0; i < part.fields.size(); ++i) {
            const Field& f = set[part.fields[i]];
            const auto& use = part.process.fields[i];
            const int count = f.place == place::profile ? 0 : f.levels;
            levels.push_back(count);
            given.push_back(use.own ? 0 : count);
            written.push_back(is_written(use) ? count : 0);
            changed.push_back(!use.own && f.written ? count : 0);
            offset.push_back(size);
            size += std::size_t(count) * 64;
        }
    }
    /// Memory of a thread, and the arguments in it, of the block that it is at.
    struct Space {
        std::vector<std::byte> memory;
        std::byte* at;
        std::vector<Raw> arguments;
        int block = -1;
    };
    Space space() const {
        Space s{std::vector<std::byte>(3 * size + 64), nullptr, {}};
        s.at = s.memory.data() + (64 - std::size_t(s.memory.data()) % 64) % 64;
        return s;
    }
    const Raw* arguments(Space& s, int block) const {
        if (s.block == block) return s.arguments.data();
        s.arguments.clear(), s.block = block;
        for (std::size_t i = 0; i < part.fields.size(); ++i) {
            const Field& f = set[part.fields[i]];
            const bool profile = f.place == place::profile;
            s.arguments.push_back(
                {profile ? (void*)f.at[block] : s.at + offset[i],
                 profile || f.place.vertical == Vertical::column ? 0 : 64 / set.bytes(), 0});
        }
        return s.arguments.data();
    }
    /// body(in the field, in this memory) of the levels of `which`.
    template <class Body>
    void each(const std::vector<int>& which, const FieldSet& of, int block, int row, int column,
              std::byte* to, Body body) const {
        for (std::size_t i = 0; i < which.size(); ++i) {
            if (which[i] == 0) continue;
            const Field& f = of[part.fields[i]];
            std::byte* at = f.at[block] + (row * f.row[block] + column) * of.bytes();
            const std::ptrdiff_t level = f.level[block] * of.bytes();
            for (int k = 0; k < which[i]; ++k) body(at + k * level, to + offset[i] + k * 64);
        }
    }
};

static const auto take = [](const std::byte* field, std::byte* own) {
    std::memcpy(own, field, 64);
};
static const auto give = [](std::byte* field, const std::byte* own) {
    std::memcpy(field, own, 64);
};

/// body(of the thread: what `make` gives; block, row, its cells) of all rows, shared out among
/// threads.
template <class Make, class Body> static void each_row(const Layout& layout, Make make, Body body) {
    std::vector<std::pair<int, int>> rows;
    for (std::size_t b = 0; b < layout.cells.size(); ++b)
        for (std::size_t r = 0; r < layout.cells[b].size(); ++r) rows.emplace_back(b, r);
#pragma omp parallel
    {
        auto own = make();
#pragma omp for schedule(dynamic, 1)
        for (std::size_t n = 0; n < rows.size(); ++n)
            body(own, rows[n].first, rows[n].second, layout.cells[rows[n].first][rows[n].second]);
    }
}

/// body(of the thread, block, row, cell) of all cells.
template <class Make, class Body>
static void each_cell(const Layout& layout, Make make, Body body) {
    each_row(layout, make, [&](auto& own, int b, int r, const std::vector<Cell>& cells) {
        for (const Cell& cell : cells) body(own, b, r, cell);
    });
}

/// Bytes from each number of a set to that of another, if all these fields lie alike in both.
static std::optional<std::ptrdiff_t> apart(const FieldSet& set, const FieldSet& other,
                                           const Sequence::Part& part) {
    std::optional<std::ptrdiff_t> found;
    for (std::size_t i = 0; i < part.fields.size(); ++i) {
        if (part.process.fields[i].own) return {};  // memory of a thread
        const Field &here = set[part.fields[i]], &there = other[part.fields[i]];
        for (std::size_t b = 0; here.place != place::profile && b < here.at.size(); ++b) {
            const std::ptrdiff_t bytes = there.at[b] - here.at[b];
            if (found.value_or(bytes) != bytes) return {};
            found = bytes;
        }
    }
    return found;
}

/// All cells of a row at once, where the fields are; tangents lie so many bytes after them.
void LinearSequence::run_in_place(const Sequence::Part& part, std::ptrdiff_t tangents) {
    const Process& p = part.process;
    const auto run = tangents ? p.tangent : p.run;
    const auto body = [&](std::vector<Raw>& at, int b, int r, const std::vector<Cell>& cells) {
        if (cells.empty()) return;
        for (std::size_t i = 0; i < part.fields.size(); ++i) {
            const Field& f = (*now)[part.fields[i]];
            const bool profile = f.place == place::profile;
            const int column = profile ? 0 : cells.front().column;
            at[i] = {f.at[b] + (profile ? 0 : (r * f.row[b] + column) * now->bytes()),
                     f.place.vertical == Vertical::column ? 0 : f.level[b], profile ? 0 : f.row[b]};
        }
        p.set_shadow(tangents);
        run(p.scheme.get(), at.data(), cells.data(), cells.data() + cells.size());
    };
    each_row(*now->layout, [&] { return std::vector<Raw>(part.fields.size()); }, body);
}

/// A process of columns, on numbers with their tangents where there is a perturbation.
void LinearSequence::run(const Sequence::Part& part, FieldSet* perturbation) {
    if (const auto tangents = apart(*now, perturbation ? *perturbation : *now, part))
        return run_in_place(part, *tangents);
    const Cells cells(part, *now);
    const Process& p = part.process;
    const auto body = [&](typename Cells::Space& s, int b, int r, const Cell& c) {
        const Raw* at = cells.arguments(s, b);
        const Cell here{0, c.levels};
        cells.each(cells.given, *now, b, r, c.column, s.at, take);
        if (perturbation) {
            std::byte* tangents = s.at + cells.size;
            cells.each(cells.given, *perturbation, b, r, c.column, tangents, take);
            p.set_shadow(std::ptrdiff_t(cells.size));
            p.tangent(p.scheme.get(), at, &here, &here + 1);
            cells.each(cells.written, *perturbation, b, r, c.column, tangents, give);
        } else
            p.run(p.scheme.get(), at, &here, &here + 1);
        cells.each(cells.written, *now, b, r, c.column, s.at, give);
    };
    each_cell(*now->layout, [&] { return cells.space(); }, body);
}

void LinearSequence::run_adjoint(const Sequence::Part& part, FieldSet& gradient) {
    const Adjoint adjoint = adjoint_of(part.process);
    if (!adjoint) throw Error(part.process.name, " has no adjoint");
    const Cells cells(part, *now);
    const auto body = [&](typename Cells::Space& s, int b, int r, const Cell& c) {
        const Raw* at = cells.arguments(s, b);
        std::byte* adjoints = s.at + cells.size;
        cells.each(cells.given, *now, b, r, c.column, s.at, take);
        cells.each(cells.given, gradient, b, r, c.column, adjoints, take);
        adjoint(part.process.scheme.get(), at, std::ptrdiff_t(cells.size), {0, c.levels});
        cells.each(cells.changed, gradient, b, r, c.column, adjoints, give);
    };
    each_cell(*now->layout, [&] { return cells.space(); }, body);
}

void LinearSequence::forward(const Sequence::Part& part, FieldSet* perturbation) {
    if (auto& global = part.process.global) {
        if (perturbation) global->tangent({*now, part.fields}, {*perturbation, part.fields});
        return global->apply({*now, part.fields});
    }
    run(part, perturbation);
}

void LinearSequence::step_tangent(FieldSet& perturbation) {
    for (auto& part : parts) forward(part, &perturbation);
}

void LinearSequence::step_adjoint(FieldSet& gradient) {
    std::vector<std::vector<std::pair<int, Memory>>> before;
    for (auto& part : parts) {
        auto& kept = before.emplace_back();
        for (std::size_t i = 0; i < part.fields.size(); ++i)
            if (is_written(part.process.fields[i]))
                kept.emplace_back(part.fields[i], keep(*now, part.fields[i]));
        forward(part, nullptr);
    }
    for (std::size_t n = parts.size(); n-- > 0;) {
        auto& part = parts[n];
        for (auto& [field, memory] : before[n]) put_back(*now, field, memory);
        before.pop_back();
        if (auto& global = part.process.global) {
            global->adjoint({*now, part.fields}, {gradient, part.fields});
            for (auto& use : part.process.fields)
                if (use.access == Access::writes) gradient.fill(use.name, 0);
        } else
            run_adjoint(part, gradient);
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

void LinearSequence::tangent(FieldSet& perturbation, int first, int steps) {
    for (int n = first; n < first + steps; ++n) recall(n), step_tangent(perturbation);
}
void LinearSequence::adjoint(FieldSet& gradient, int first, int steps) {
    for (int n = first + steps - 1; n >= first; --n) recall(n), step_adjoint(gradient);
}

}  // namespace fathom
