/// Tangent and adjoint of a scheme that has none by hand: its kernel on dual numbers or tapes, cell
/// after cell. Values and changes of a cell and of its neighbours are gathered into memory of the
/// thread, in which they lie as dual numbers and tapes need them (base/dual.hpp, base/taped.hpp).
///
/// What a cell adds to the adjoint of a neighbour is not added here: each neighbour gets its part
/// in memory of its own, a slot, and the caller adds slots up (sequence/neighbour_sums.hpp).
#pragma once
#include "field/process.hpp"

namespace fathom {

/// Columns that a process sees of a field: its own and those up to `reach` away.
constexpr int offsets(int reach) { return (2 * reach + 1) * (2 * reach + 1); }
/// Number n of them, from the north-east to the south-west, row by row: a column gets the parts of
/// its neighbours in the order in which these lie in the grid.
constexpr Shift offset(int reach, int n) {
    return {reach - n % (2 * reach + 1), reach - n / (2 * reach + 1)};
}

/// Slots of a process: of each field that it reads at neighbours, one for each offset.
inline std::size_t slots_of(const Process& process) {
    std::size_t slots = 0;
    for (auto& f : process.fields) slots += f.reach > 0 ? offsets(f.reach) : 0;
    return slots;
}

/// As of LinearKernel: columns [first, last) of a row; `before`: values as they are before the
/// process runs, with valid neighbours where it looks at them.
void tangent_by_cells(const Process&, int bytes, const Raw* before, const Raw* change,
                      const Cell* first, const Cell* last);
/// slots: of each field that the process reads at neighbours, in their order, one for each offset:
/// the part for level k of the column `offset` away from column c is written to [k level + c]. Null
/// addresses: the field is constant. Throws Error where the scheme has no tape.
void adjoint_by_cells(const Process&, int bytes, const Raw* before, const Raw* change,
                      const Raw* slots, const Cell* first, const Cell* last);

}  // namespace fathom
