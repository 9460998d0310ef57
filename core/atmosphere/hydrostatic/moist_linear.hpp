/// Tangents and adjoints of the processes that moist air adds to a step (hybrid.hpp,
/// primitive.hpp).
///   T = T_v / (1 + x q):                 dT = (dT_v - x T dq) / (1 + x q)
///   dT_v/dt = (1 + x q) dT/dt + x T dq/dt: a product rule
#pragma once
#include "atmosphere/hydrostatic/primitive.hpp"
#include "field/linear.hpp"

namespace fathom {

template <> struct Linear<atmosphere::TracerTendencyStart> {
    template <class Real>
    static void tangent(const atmosphere::TracerTendencyStart&, const auto& x, const auto& d) {
        const auto tendency = d.template of<"tracer_tendency">();
        for (int k = 0; k < x.levels(); ++k) tendency[k] = Real(0);
    }
    template <class Real>
    static void adjoint(const atmosphere::TracerTendencyStart&, const auto&, const auto&) {}
};

template <> struct Linear<atmosphere::TracerPhysics> {
    template <class Real>
    static void tangent(const atmosphere::TracerPhysics& s, const auto& x, const auto& d) {
        const auto tendency = d.template of<"tracer_tendency">(),
                   tracer = d.template of<"tracer">();
        for (int k = 0; k < x.levels(); ++k) tracer[k] += s.step * tendency[k];
    }
    template <class Real>
    static void adjoint(const atmosphere::TracerPhysics& s, const auto& x, const auto& a) {
        const auto tendency = a.template of<"tracer_tendency">(),
                   tracer = a.template of<"tracer">();
        for (int k = 0; k < x.levels(); ++k) tendency[k] += s.step * tracer[k];
    }
};

template <> struct Linear<atmosphere::TemperatureOfMoistAir> {
    template <class Real>
    static void tangent(const atmosphere::TemperatureOfMoistAir&, const auto& x, const auto& d) {
        const auto q = x.template of<"specific_humidity">();
        const auto T = x.template of<"air_temperature">();
        const auto dTv = d.template of<"virtual_temperature">(),
                   dq = d.template of<"specific_humidity">(),
                   dT = d.template of<"air_temperature">();
        for (int k = 0; k < x.levels(); ++k)
            dT[k] = (dTv[k] - atmosphere::vapour_excess * T[k] * dq[k]) /
                    fma(atmosphere::vapour_excess, q[k], Real(1));
    }
    template <class Real>
    static void adjoint(const atmosphere::TemperatureOfMoistAir&, const auto& x, const auto& a) {
        const auto q = x.template of<"specific_humidity">();
        const auto T = x.template of<"air_temperature">();
        const auto aTv = a.template of<"virtual_temperature">(),
                   aq = a.template of<"specific_humidity">(),
                   aT = a.template of<"air_temperature">();
        for (int k = 0; k < x.levels(); ++k) {
            const Real part = aT[k] / fma(atmosphere::vapour_excess, q[k], Real(1));
            aTv[k] += part;
            aq[k] -= atmosphere::vapour_excess * T[k] * part;
        }
    }
};

template <> struct Linear<atmosphere::VirtualTemperatureTendency> {
    static auto read(const auto& f) {
        return std::tuple{f.template of<"air_temperature">(), f.template of<"specific_humidity">(),
                          f.template of<"air_temperature_tendency">(),
                          f.template of<"specific_humidity_tendency">()};
    }
    template <class Real>
    static void tangent(const atmosphere::VirtualTemperatureTendency&, const auto& x,
                        const auto& d) {
        constexpr double e = atmosphere::vapour_excess;
        const auto [T, q, heating, moistening] = read(x);
        const auto [dT, dq, dheating, dmoistening] = read(d);
        const auto tendency = d.template of<"virtual_temperature_tendency">();
        for (int k = 0; k < x.levels(); ++k)
            tendency[k] =
                fma(e * q[k], dheating[k], Real(dheating[k])) +
                e * (fma(dq[k], heating[k], T[k] * dmoistening[k]) + dT[k] * moistening[k]);
    }
    template <class Real>
    static void adjoint(const atmosphere::VirtualTemperatureTendency&, const auto& x,
                        const auto& a) {
        constexpr double e = atmosphere::vapour_excess;
        const auto [T, q, heating, moistening] = read(x);
        const auto [aT, aq, aheating, amoistening] = read(a);
        const auto tendency = a.template of<"virtual_temperature_tendency">();
        for (int k = 0; k < x.levels(); ++k) {
            const Real y = tendency[k], part = e * y;
            aheating[k] += fma(part, q[k], y);
            amoistening[k] += part * T[k];
            aq[k] += part * heating[k], aT[k] += part * moistening[k];
        }
    }
};

}  // namespace fathom
