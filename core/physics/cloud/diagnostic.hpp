/// Clouds that radiation sees, from the relative humidity of a layer (Sundqvist et al. 1989; Slingo 1987):
///
///   c = [max(0, q / q_s - H) / (1 - H)]^2 <= 1,   l = water_share q_s  (water in the cloud, kg kg-1),   none above `top`
///   H falls from `critical_humidity` above p = 0.5 p_s to `low_critical_humidity` below 0.85 p_s
///
/// The lower H stands for small cumulus and stratocumulus. With it an aquaplanet at T42 absorbs 245 and emits 231 W m-2 (docs/aquaplanet.md).
#pragma once
#include "field/process.hpp"
#include "physics/thermodynamics/moist.hpp"

namespace fathom::physics {

struct DiagnosticCloud {
    double critical_humidity = 0.85, low_critical_humidity = 0.7, water_share = 0.01, top = 1e4;

    static constexpr std::string_view summary = "Cloud fraction and cloud water from relative humidity";
    static constexpr std::tuple parameters{
        Parameter<DiagnosticCloud>{"critical_humidity", &DiagnosticCloud::critical_humidity, "1",  0, 0.99, "relative humidity at which clouds begin, aloft"},
        Parameter<DiagnosticCloud>{"low_critical_humidity", &DiagnosticCloud::low_critical_humidity, "1", 0, 0.99, "the same near the ground"},
        Parameter<DiagnosticCloud>{"water_share",       &DiagnosticCloud::water_share,       "1",  0, 0.2,  "cloud water over the humidity of saturation"},
        Parameter<DiagnosticCloud>{"top",               &DiagnosticCloud::top,               "Pa", 0, 1e5,  "least pressure of clouds"}};
    static constexpr std::array fields{
        reads ("air_temperature",    place::center_layer,     "K"),
        reads ("specific_humidity",  place::center_layer,     "kg kg-1"),
        reads ("air_pressure",       place::center_layer,     "Pa"),
        reads ("pressure_interface", place::center_interface, "Pa"),
        writes("cloud_fraction",     place::center_layer,     "1"),
        writes("cloud_water",        place::center_layer,     "kg kg-1")};

    template <class Real> void operator()(In<Real> temperature, In<Real> humidity, In<Real> pressure, In<Real> interface, Out<Real> fraction, Out<Real> water) const {
        const Real per_surface = 1 / interface[fraction.levels()];
        for (int k = 0; k < fraction.levels(); ++k) {
            const Real p = pressure[k], q_s = Saturation<Real>(temperature[k], p).humidity;
            const Real low = smaller(larger(fma(p, per_surface, -0.5) * (1 / 0.35), 0), 1), H = fma(low, low_critical_humidity - critical_humidity, critical_humidity);
            const Real root = smaller(larger(fma(-H, q_s, humidity[k]) / (q_s * (1 - H)), 0), 1);
            fraction[k] = select(p < top, 0, root * root);
            water[k] = water_share * q_s;
        }
    }
};

}  // namespace fathom::physics
