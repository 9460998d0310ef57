/// The catalogue of numerics: processes of the dynamics of ocean and atmosphere, and of tracers.
#pragma once
#include "field/catalogue.hpp"

namespace fathom::numerics {
std::vector<Entry> schemes();
std::vector<Entry> momentum_schemes();
std::vector<Entry> tracer_schemes();
std::vector<Entry> volume_schemes();
std::vector<Entry> eddy_schemes();
std::vector<Entry> strain_schemes();
std::vector<Entry> atmosphere_schemes();
}
