/// One step of a linear sequence: of each process the kernel, its tangent or its adjoint.
#include <cstring>
#include <numeric>
#include "field/by_cells.hpp"
#include "sequence/linear.hpp"

namespace fathom {

/// Calls body(thread's object from `make`, block, row, its cells) for all rows, or for own rows
/// alone; threads share the rows.
template <class Make, class Body>
static void each_row(const Layout& layout, bool own_rows, Make make, Body body) {
    const int margin = own_rows ? layout.domain->halo : 0;
    std::vector<std::pair<int, int>> rows;
    for (std::size_t b = 0; b < layout.cells.size(); ++b)
        for (std::size_t r = margin; r + margin < layout.cells[b].size(); ++r)
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
void LinearStepProgram::run(std::size_t number, const FieldSet& set) const {
    const StepProgram::Part& part = parts[number];
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
    each_row(*set.layout, looks(number), make,
             [&](Own& own, int b, int r, const std::vector<Cell>& cells) {
                 for (std::size_t n = 0; n < part.fields.size(); ++n)
                     if (const Field& f = set[part.fields[n]]; p.fields[n].own == 0)
                         own.at[n] = in_row(f, f.at[b], b, r, cells.front().column, set.bytes());
                 p.run(p.scheme.get(), own.at.data(), cells.data(), cells.data() + cells.size());
             });
}

/// Where the values that a part needs lie in each block, and the changes of a set.
struct LinearStepProgram::Places {
    std::vector<std::vector<const std::byte*>> before, after;
    FieldSet& change;
    const StepProgram::Part& part;
    /// x: before the process runs; y: afterwards; d: changes, in a row from this column on.
    void in(int block, int row, int column, Raw* x, Raw* y, Raw* d) const {
        for (std::size_t n = 0; n < part.fields.size(); ++n) {
            const Field& f = change.fields()[part.fields[n]];
            const auto here = [&](const std::byte* base) {
                return base ? in_row(f, base, block, row, column, change.bytes()) : Raw{};
            };
            if (part.process.fields[n].own) continue;
            x[n] = here(before[n][block]), y[n] = here(after[n][block]), d[n] = here(f.at[block]);
        }
    }
};

LinearStepProgram::Places LinearStepProgram::places(std::size_t number, Step& step,
                                                    FieldSet& change) {
    const StepProgram::Part& part = parts[number];
    Places at{{}, {}, change, part};
    for (std::size_t n = 0; n < part.fields.size(); ++n) {
        at.before.push_back(place(step, needs[number].before[n], part.fields[n]));
        at.after.push_back(place(step, needs[number].after[n], part.fields[n]));
    }
    return at;
}

void LinearStepProgram::run_linear(std::size_t number, Step& step, FieldSet& change, bool adjoint) {
    const Process& process = parts[number].process;
    const LinearKernel* const by_hand = needs[number].by_hand;
    const std::size_t count = process.fields.size();
    const Places at = places(number, step, change);
    const auto body = [&](std::vector<Raw>& raw, int b, int r, const std::vector<Cell>& cells) {
        Raw *x = raw.data(), *y = x + count, *d = y + count;
        at.in(b, r, cells.front().column, x, y, d);
        const Cell *first = cells.data(), *last = first + cells.size();
        if (by_hand && (adjoint || by_hand->tangent))
            (adjoint ? by_hand->adjoint : by_hand->tangent)(process.scheme.get(), x, y, d, first,
                                                            last);
        else if (adjoint)
            adjoint_by_cells(process, change.bytes(), x, d, nullptr, first, last);
        else
            tangent_by_cells(process, change.bytes(), x, d, first, last);
    };
    if (looks(number) && !adjoint) halos_of_change(number, change);
    each_row(*now->layout, looks(number), [&] { return std::vector<Raw>(3 * count); }, body);
}

/// Of a process that looks at neighbours, before its tangent: the changes of those; what is
/// constant has no meaning yet.
void LinearStepProgram::halos_of_change(std::size_t number, FieldSet& change) const {
    for (int f : seen[number].fields) active->clear_others(change, f);
    seen[number].exchange(change);
}

/// Adjoints of constants are 0, and stay 0.
void LinearStepProgram::run_adjoint_of_neighbours(std::size_t number, Step& step,
                                                  FieldSet& change) {
    const Process& process = parts[number].process;
    const LinearKernel* const by_hand = needs[number].by_hand;
    const std::size_t count = process.fields.size(), slot_count = slots_of(process);
    const Places at = places(number, step, change);
    sums[number]->add(change, [&](int b, int r, std::span<const Cell> cells, const Raw* slots) {
        std::vector<Raw> raw(3 * count + slot_count);
        Raw *x = raw.data(), *y = x + count, *d = y + count;
        at.in(b, r, cells.front().column, x, y, d);
        const Cell *first = cells.data(), *last = first + cells.size();
        if (by_hand) {
            std::copy_n(slots, slot_count, d + count);
            by_hand->adjoint(process.scheme.get(), x, y, d, first, last);
        } else
            adjoint_by_cells(process, change.bytes(), x, d, slots, first, last);
    });
}

void LinearStepProgram::run_global(std::size_t number, Step& step, FieldSet& change, bool adjoint) {
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

/// What a frozen process writes does not change; adjoints end there.
void LinearStepProgram::run_frozen(std::size_t number, FieldSet& change, FieldSet* ended) const {
    const StepProgram::Part& part = parts[number];
    for (std::size_t n = 0; n < part.fields.size(); ++n) {
        const Process::Field& use = part.process.fields[n];
        if (use.access != Access::writes || use.own) continue;
        const std::string& name = change.fields()[part.fields[n]].name;
        if (ended) ended->axpy(1, change, {name});
        change.fill(name, 0);
    }
}

void LinearStepProgram::run_part(std::size_t number, Step& step, FieldSet& change, bool adjoint) {
    const Within within(of_parts[number]);
    if (parts[number].process.global)
        run_global(number, step, change, adjoint);
    else if (adjoint && looks(number))
        run_adjoint_of_neighbours(number, step, change);
    else
        run_linear(number, step, change, adjoint);
}

/// Values that no state depends on have no change: land, levels below the bottom, halos.
void LinearStepProgram::clear_inactive(FieldSet& change) const {
    for (int f = 0; active && f < int(change.fields().size()); ++f) active->clear_others(change, f);
}

void LinearStepProgram::tangent(FieldSet& perturbation, int first, int steps) {
    static const Region whole("tangent step");
    clear_inactive(perturbation);
    for (int n = first; n < first + steps; ++n) {
        const Within within(whole);
        Step& step = about(n);
        for (std::size_t p = 0; p < parts.size(); ++p)
            if (idle[p] || !runs(p, first_count + n))
                continue;
            else if (frozen[p])
                run_frozen(p, perturbation, nullptr);
            else
                run_part(p, step, perturbation, false);
        perturbation.rotate();
    }
    clear_inactive(perturbation);
}

/// Time levels go back to their places: once as many rotations as bring them there again, less one.
static void rotate_back(FieldSet& set) {
    std::size_t all = 1;
    for (auto& cycle : set.layout->rotations) all = std::lcm(all, cycle.size());
    for (std::size_t n = 1; n < all; ++n) set.rotate();
}

void LinearStepProgram::adjoint(FieldSet& gradient, int first, int steps, FieldSet* ended) {
    static const Region whole("adjoint step");
    for (std::size_t p = 0; p < parts.size(); ++p)
        if (const Process& own = parts[p].process;
            !frozen[p] && !idle[p] && !own.global && !needs[p].by_hand && !own.adjoint)
            throw Error(own.name, " has no adjoint");
    clear_inactive(gradient);
    for (int n = first + steps - 1; n >= first; --n) {
        const Within within(whole);
        Step& step = about(n);
        rotate_back(gradient);
        for (std::size_t p = parts.size(); p-- > 0;)
            if (idle[p] || !runs(p, first_count + n))
                continue;
            else if (frozen[p])
                run_frozen(p, gradient, ended);
            else
                run_part(p, step, gradient, true);
    }
    clear_inactive(gradient);
}

void LinearStepProgram::start(FieldSet& perturbation) const {
    for (auto& part : parts)
        if (part.process.global) part.process.global->start_tangent({perturbation, part.fields});
}
void LinearStepProgram::start_adjoint(FieldSet& gradient) const {
    for (std::size_t n = parts.size(); n-- > 0;)
        if (auto& global = parts[n].process.global)
            global->start_adjoint({gradient, parts[n].fields});
}

}  // namespace fathom
