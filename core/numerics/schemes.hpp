/// The catalogue of numerics: processes of the ocean's dynamics and of its tracers.
#pragma once
#include "field/catalogue.hpp"

namespace fathom::numerics {
std::vector<Entry> schemes();
std::vector<Entry> momentum_schemes();
std::vector<Entry> tracer_schemes();
}
