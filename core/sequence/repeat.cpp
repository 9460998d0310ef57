#include "sequence/repeat.hpp"
#include <algorithm>

namespace fathom {

Repeat::Repeat(std::string name, int times, std::vector<Process> given)
    : GlobalProcess(std::move(name)), times(times), processes(std::move(given)) {
    if (times < 1) throw Error(this->name, ": times = ", times, " must be at least 1");
    if (processes.empty()) throw Error(this->name, " repeats no process");
    for (auto& process : processes)
        for (auto& use : process.fields)
            if (!use.own) declare(process, use);
}

/// To the outer program a field is read if a process within reads it before one writes it. What
/// stays from one turn of a process to the next is read, too.
void Repeat::declare(const Process& process, const Process::Field& use) {
    const bool stays = process.every > 1 && use.access == Access::writes;
    const Access access = stays ? Access::updates : use.access;
    const auto known = std::ranges::find(used, use.name, &Process::Field::name);
    if (known == used.end())
        return void(used.push_back({use.name, use.units, use.place, access, use.reach}));
    if (known->access == Access::reads && access != Access::reads) known->access = Access::updates;
    known->reach = std::max(known->reach, use.reach);
}

void Repeat::prepare(Given at) {
    StepProgram::Options options;
    for (auto& use : used) options.keep.push_back(use.name);
    options.compute_in_halo = false, options.borrowed = true;
    program =
        std::make_unique<StepProgram>(at.set.layout->domain, at.set.bytes(), processes, options);
    fields_within.emplace(program->layout());
    items.clear();
    for (auto& f : program->layout()->fields) {
        const auto known = std::ranges::find(used, f.name, &Process::Field::name);
        items.push_back({known == used.end() ? -1 : int(known - used.begin())});
    }
    program->prepare(*fields_within, [&] { borrow(at); });  // the outer program has filled them
}

/// The fields within, where those of the outer set lie now.
FieldSet& Repeat::borrow(Given at) {
    for (int n = 0; n < int(items.size()); ++n)
        if (items[n].number >= 0) fields_within->borrow(n, at[items[n]]);
    fields_within->count = at.set.count * times;
    return *fields_within;
}

void Repeat::start(Given at) { program->start(borrow(at)); }
void Repeat::changed(Given at) { program->changed(borrow(at)); }

void Repeat::apply(Given at) {
    FieldSet& set = borrow(at);
    for (int n = 0; n < times; ++n) program->repeat(set);
}

std::vector<StepProgram::Timing> Repeat::timings() const {
    return program ? program->timings() : std::vector<StepProgram::Timing>{};
}
std::vector<StepProgram::GroupText> Repeat::describe() const {
    return program ? program->describe() : std::vector<StepProgram::GroupText>{};
}

}  // namespace fathom
