/// The catalogue of numerics: processes of the dynamics of ocean and atmosphere, and of tracers.
#pragma once
#include "field/catalogue.hpp"

namespace fathom::numerics {
Entries schemes();
Entries momentum_schemes();
Entries tracer_schemes();
Entries tracer_source_schemes();
Entries volume_schemes();
Entries eddy_schemes();
Entries strain_schemes();
Entries atmosphere_schemes();
}
