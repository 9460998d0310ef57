/// The density of one parcel of sea water by any equation of state, for decisions outside of
/// columns.
#pragma once
#include <functional>
#include <map>
#include <string>

namespace fathom::physics {

/// For temperature [degC], salinity [1e-3] and pressure [dbar], minus a function of pressure alone
/// [kg m-3]. Throws Error for an unknown name or an unknown parameter.
using Density = std::function<double(double, double, double)>;
Density density(const std::string& equation_of_state,
                const std::map<std::string, double>& parameters);

}  // namespace fathom::physics
