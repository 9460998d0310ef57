/// Repeat: a program within a program. Its processes run `times` times in each step, on the fields
/// of the step itself:
///
///   step      ..., before, Repeat(3, [strain, accelerate]), after, ...
///   becomes   ..., before, strain, accelerate, strain, accelerate, strain, accelerate, after, ...
///
/// Between two repetitions halos are exchanged where a process looks at neighbours, as between two
/// steps. A process that runs every n-th time counts repetitions. Fields of the processes are
/// fields of the outer program, so they are in restarts and output; only the memory of kernels is
/// its own. There are no time levels that change places. A Repeat may hold another one.
#pragma once
#include <memory>
#include <optional>
#include "field/global_process.hpp"
#include "sequence/step_program.hpp"

namespace fathom {

class Repeat final : public GlobalProcess {
public:
    /// Throws Error: times < 1, or no processes.
    Repeat(std::string name, int times, std::vector<Process> processes);
    void prepare(Given) override;
    void start(Given) override;
    void changed(Given) override;
    void apply(Given) override;

    const int times;
    /// Of the processes and exchanges within, since `reset`.
    std::vector<StepProgram::Timing> timings() const;
    /// Messages and processes within, as StepProgram::describe.
    std::vector<StepProgram::GroupText> describe() const;

private:
    std::vector<Process> processes;
    std::unique_ptr<StepProgram> program;
    std::optional<FieldSet> fields_within;  ///< with the memory of the outer set
    std::vector<Item> items;                ///< of the fields of the program; -1: memory of kernels
    void declare(const Process&, const Process::Field&);
    FieldSet& borrow(Given);
};

}  // namespace fathom
