#include "atmosphere/shallow_water/dynamics.hpp"
#include "atmosphere/spectral/spectral_step.hpp"
#include "atmosphere/spectral/wind_transport.hpp"

namespace fathom::atmosphere {

namespace {

template <class T> class ShallowWaterStep final : public SemiLagrangianStep<T> {
    using GlobalProcess::reads, GlobalProcess::updates, GlobalProcess::writes;
    using typename GlobalProcess::Given, typename GlobalProcess::Item;
    using SemiLagrangianStep<T>::engine;
    const Item u = updates("eastward_wind", place::center_layer, "m s-1"),
               v = updates("northward_wind", place::center_layer, "m s-1"),
               phi = updates("fluid_geopotential", place::center_layer, "m2 s-2"),
               vorticity = writes("vorticity", place::center_layer, "s-1"),
               divergence = writes("divergence", place::center_layer, "s-1"),
               phi_east = writes("geopotential_gradient_east", place::center_layer, "m s-2"),
               phi_north = writes("geopotential_gradient_north", place::center_layer, "m s-2"),
               orography = reads("surface_geopotential", place::center_column, "m2 s-2"),
               orography_east = reads("orography_gradient_east", place::center_column, "m s-2"),
               orography_north = reads("orography_gradient_north", place::center_column, "m s-2");
    SpectralFields fields(const FieldOf& at) const override {
        return {.u = at(u),
                .v = at(v),
                .temperature = at(phi),
                .pressure = no_field,
                .divergence = at(divergence),
                .T_east = at(phi_east),
                .T_north = at(phi_north),
                .p_east = no_field,
                .p_north = no_field,
                .vorticity = at(vorticity)};
    }

public:
    explicit ShallowWaterStep(Common<T> engine)
        : SemiLagrangianStep<T>("ShallowWaterStep", std::move(engine)) {}
    void prepare(Given at) override {
        engine->open(at.set.domain());
        (*engine)->truncate_orography(at[orography], at[orography_east], at[orography_north]);
    }
};

template <class T> class ShallowWaterLeapfrog final : public LeapfrogStep<T> {
    using GlobalProcess::reads, GlobalProcess::updates, GlobalProcess::writes;
    using typename GlobalProcess::Given, typename GlobalProcess::Item;
    using LeapfrogStep<T>::engine;
    const Item force_east = reads("vorticity_flux_east", place::center_layer, "m s-2"),
               force_north = reads("vorticity_flux_north", place::center_layer, "m s-2"),
               flux_east = reads("geopotential_flux_east", place::center_layer, "m3 s-3"),
               flux_north = reads("geopotential_flux_north", place::center_layer, "m3 s-3"),
               energy = reads("mechanical_energy", place::center_layer, "m2 s-2"),
               u = updates("eastward_wind", place::center_layer, "m s-1"),
               v = updates("northward_wind", place::center_layer, "m s-1"),
               phi = updates("fluid_geopotential", place::center_layer, "m2 s-2"),
               u_before = updates("eastward_wind_before", place::center_layer, "m s-1"),
               v_before = updates("northward_wind_before", place::center_layer, "m s-1"),
               phi_before = updates("fluid_geopotential_before", place::center_layer, "m2 s-2"),
               vorticity = writes("vorticity", place::center_layer, "s-1"),
               orography = reads("surface_geopotential", place::center_column, "m2 s-2");
    LeapfrogFields fields(const FieldOf& at) const override {
        const Field& none = no_field;
        return {.now = {at(u), at(v), at(phi), none, none, none, none, none, none},
                .u_before = at(u_before),
                .v_before = at(v_before),
                .T_before = at(phi_before),
                .p_before = none,
                .u_tendency = at(force_east),
                .v_tendency = at(force_north),
                .T_tendency = none,
                .p_tendency = none,
                .energy = at(energy),
                .vorticity = at(vorticity),
                .curl_east = at(flux_east),
                .curl_north = at(flux_north)};
    }

public:
    explicit ShallowWaterLeapfrog(CommonLeapfrog<T> engine)
        : LeapfrogStep<T>("ShallowWaterLeapfrog", std::move(engine)) {}
    void prepare(Given at) override {
        engine->open(at.set.domain());
        (*engine)->truncate_orography(at[orography], no_field, no_field);
    }
};

template <class T> SpectralDynamics semi_lagrangian(const SpectralSetup& setup) {
    const auto engine = std::make_shared<Shared<SemiLagrangianEngine<T>>>(setup);
    const std::vector<typename WindTransport<T>::Carried> carried{
        {"eastward_wind_carried", "m s-1"},
        {"northward_wind_carried", "m s-1"},
        {"geopotential_carried", "m2 s-2"}};
    SpectralDynamics d;
    d.transport = std::make_shared<WindTransport<T>>("ShallowWaterTransport", engine, carried);
    d.step = std::make_shared<ShallowWaterStep<T>>(engine);
    return d;
}
template <class T> SpectralDynamics leapfrog(const SpectralSetup& setup) {
    SpectralDynamics d;
    d.step = std::make_shared<ShallowWaterLeapfrog<T>>(
        std::make_shared<Shared<LeapfrogEngine<T>>>(setup));
    return d;
}

}  // namespace

SpectralSetup shallow_water(OnSphere on, SpectralParameters p, double mean_geopotential) {
    p.gas_constant = p.heat_capacity = p.reference_pressure = 1;
    p.reference_temperature = mean_geopotential;
    p.fix_mass = p.fix_energy = 0;
    return {std::move(on), {0, 1}, {0, 0}, p, "fluid_geopotential", {}};
}
SpectralDynamics shallow_water_semi_lagrangian(const SpectralSetup& setup, int bytes) {
    return bytes == 4 ? semi_lagrangian<float>(setup) : semi_lagrangian<double>(setup);
}
SpectralDynamics shallow_water_leapfrog(const SpectralSetup& setup, int bytes) {
    return bytes == 4 ? leapfrog<float>(setup) : leapfrog<double>(setup);
}

}  // namespace fathom::atmosphere
