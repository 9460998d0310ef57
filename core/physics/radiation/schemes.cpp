#include "physics/schemes.hpp"
#include "physics/radiation/heating.hpp"
#include "physics/radiation/in_time.hpp"
#include "physics/radiation/local_albedo.hpp"
#include "physics/radiation/ozone.hpp"
#include "physics/radiation/sun.hpp"
#include "physics/radiation/two_stream.hpp"

namespace fathom::physics {

Entries radiation(Part) {
    return {entry<Sunlight>("Sunlight"),
            entry<StandardOzone>("StandardOzone"),
            entry<Radiation>("Radiation"),
            entry<RadiativeHeating>("RadiativeHeating"),
            entry<LocalAlbedo>("LocalAlbedo"),
            entry<OzoneInTime>("OzoneInTime"),
            entry<IrradianceInTime>("IrradianceInTime")};
}

}  // namespace fathom::physics
