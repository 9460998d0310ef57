/// All schemes that a sequence can be assembled from, by name: the list that Python, TOML and the
/// generic tests read.
#pragma once
#include "field/entry.hpp"

namespace fathom {

const Entries& catalogue();
const Entry& find_entry(std::string_view name);  ///< throws Error: names that are near

}  // namespace fathom
