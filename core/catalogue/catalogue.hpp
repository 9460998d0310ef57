/// All schemes that a sequence can be assembled from, by name: the list that Python, TOML and the
/// generic tests read.
#pragma once
#include "field/entry.hpp"

namespace fathom {

const Entries& catalogue();
/// Schemes of a library that was compiled from a header of the user (fathom/model/plugins.py).
/// Throws Error where it was compiled for another build of the core, or where a name is already
/// used. Returns their names.
std::vector<std::string> load_schemes(const std::string& library);
const Entry& find_entry(std::string_view name);  ///< throws Error: similar names

}  // namespace fathom
