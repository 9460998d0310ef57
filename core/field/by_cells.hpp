/// Tangent and adjoint of a scheme that has none by hand: its kernel on dual numbers or tapes, cell
/// after cell. Values and changes of a cell are gathered into memory of the thread, in
/// which they lie as dual numbers and tapes need them (base/dual.hpp, base/taped.hpp).
#pragma once
#include "field/process.hpp"

namespace fathom {

/// As of LinearKernel: columns [first, last) of a row; `before`: values as they are before the
/// process runs.
void tangent_by_cells(const Process&, int bytes, const Raw* before, const Raw* change,
                      const Cell* first, const Cell* last);
/// Throws Error where the scheme has no tape.
void adjoint_by_cells(const Process&, int bytes, const Raw* before, const Raw* change,
                      const Cell* first, const Cell* last);

}  // namespace fathom
