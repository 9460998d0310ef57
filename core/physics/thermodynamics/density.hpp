/// The density of one parcel of sea water by any equation of state, for what is decided outside
/// columns.
#pragma once
#include <functional>
#include <map>
#include <string>

namespace fathom::physics {

/// Of temperature [degC], salinity [1e-3] and pressure [dbar], less a function of pressure alone
/// [kg m-3]. Throws Error for a name that is none, or a parameter that it does not have.
using Density = std::function<double(double, double, double)>;
Density density(const std::string& equation_of_state,
                const std::map<std::string, double>& parameters);

}  // namespace fathom::physics
