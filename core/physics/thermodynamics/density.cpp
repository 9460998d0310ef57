#include "physics/thermodynamics/density.hpp"
#include "field/entry_made.hpp"
#include "physics/thermodynamics/linear.hpp"
#include "physics/thermodynamics/mwjf.hpp"
#include "physics/thermodynamics/secant_bulk.hpp"
#include "physics/thermodynamics/teos10.hpp"

namespace fathom::physics {

template <class State>
static Density density_by(const std::string& name, const std::map<std::string, double>& values) {
    State state;
    const auto known = parameters_of(state);
    for (auto& [parameter, value] : values) set_parameter(&state, known, name, parameter, value);
    return [state](double temperature, double salinity, double pressure) {
        using One = Pack<double, 1>;
        const typename State::template Parcel<One> parcel(state, One(temperature), One(salinity));
        return State::anomaly(parcel, typename State::Level(pressure)).lanes;
    };
}

Density density(const std::string& name, const std::map<std::string, double>& parameters) {
    const std::map<std::string,
                   Density (*)(const std::string&, const std::map<std::string, double>&)>
        known{{"LinearEquationOfState", density_by<LinearEquationOfState>},
              {"MWJF", density_by<MWJF>},
              {"JMCD", density_by<JMCD>},
              {"UNESCO", density_by<UNESCO>},
              {"TEOS10Polynomial", density_by<TEOS10Polynomial>}};
    const auto found = known.find(name);
    if (found != known.end()) return found->second(name, parameters);
    std::vector<std::string> names;
    for (auto& [name, make] : known) names.push_back(name);
    throw Error("unknown equation of state '", name, "'", near(name, names));
}

}  // namespace fathom::physics
