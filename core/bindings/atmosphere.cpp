/// Semi-Lagrangian advection and the spectral models for Python. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <map>
#include <memory>
#include "atmosphere/coupling.hpp"
#include "atmosphere/gridpoint/helmholtz.hpp"
#include "atmosphere/gridpoint/pole_wind.hpp"
#include "atmosphere/gridpoint/tracers.hpp"
#include "atmosphere/gridpoint/transport.hpp"
#include "atmosphere/hydrostatic/semi_implicit.hpp"
#include "atmosphere/nonhydrostatic/semi_implicit.hpp"
#include "atmosphere/shallow_water/dynamics.hpp"
#include "atmosphere/spectral/dynamics.hpp"
#include "base/constants.hpp"
#include "base/error.hpp"
#include "base/usual.hpp"
#include "bindings/places.hpp"
#include "physics/land/ground.hpp"
#include "physics/land/soil.hpp"
#include "semi_lagrangian/adjoint/scatter.hpp"
#include "semi_lagrangian/sphere/transport.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;
using namespace fathom::atmosphere;

namespace {

using Array = nb::ndarray<double, nb::numpy, nb::ndim<3>, nb::c_contig,
                          nb::device::cpu>;  // (rows, levels, points)

/// Advection of plain arrays on one rank, in either precision.
class Advection {
public:
    Advection(const GaussianGrid& grid, std::vector<double> eta, int precision, double step,
              double radius, double rotation, int iterations)
        : rows(grid.rows()),
          levels(int(eta.size())),
          longest(grid.longest()),
          precision(precision) {
        std::vector<int> wet(std::size_t(rows) * longest, levels);
        Decomposition d =
            arrange(Topology{longest, rows, true, false}, wet, 1, {0, longest}, {0, rows}, {0}, 0);
        if (precision == 8)
            wide = std::make_unique<SemiLagrangian<double>>(
                MPI_COMM_SELF, d, 0, grid, eta,
                SemiLagrangian<double>::Parameters{step, radius, rotation, iterations});
        else
            narrow = std::make_unique<SemiLagrangian<float>>(
                MPI_COMM_SELF, d, 0, grid, eta,
                SemiLagrangian<float>::Parameters{step, radius, rotation, iterations});
    }
    void depart(std::vector<Array> wind) {
        if (wind.size() != 3 && wind.size() != 6)
            throw Error(
                "the wind is (u, v, w), or (u, v, w and the three extrapolated ones), given ",
                wind.size(), " arrays");
        std::vector<Copy> c;
        for (auto& a : wind) c.emplace_back(*this, a);
        const int e = wind.size() == 6 ? 3 : 0;
        if (wide)
            wide->depart({c[0].slab, c[1].slab, c[2].slab},
                         {c[e].slab, c[e + 1].slab, c[e + 2].slab});
        else
            narrow->depart({c[0].slab, c[1].slab, c[2].slab},
                           {c[e].slab, c[e + 1].slab, c[e + 2].slab});
    }
    void interpolate(std::vector<Array> fields, bool wind, bool monotone, bool by_levels) {
        std::vector<Copy> copies;
        std::vector<FieldSlab> slabs;
        for (auto& a : fields) copies.emplace_back(*this, a), slabs.push_back(copies.back().slab);
        if (wide)
            wide->interpolate(
                {slabs,
                 wind ? SemiLagrangian<double>::Kind::wind : SemiLagrangian<double>::Kind::scalar,
                 monotone, by_levels},
                slabs);
        else
            narrow->interpolate(
                {slabs,
                 wind ? SemiLagrangian<float>::Kind::wind : SemiLagrangian<float>::Kind::scalar,
                 monotone, by_levels},
                slabs);
        for (std::size_t n = 0; n < fields.size(); ++n) copies[n].back(*this, fields[n]);
    }

    /// (seconds, operations) of a pass.
    std::pair<double, double> pass(const std::string& name) {
        using fathom::InterpolationPass;
        const std::map<std::string, InterpolationPass> known{
            {"departure", InterpolationPass::departure},
            {"weights", InterpolationPass::weights},
            {"linear", InterpolationPass::linear},
            {"cubic", InterpolationPass::cubic},
            {"monotone", InterpolationPass::monotone},
            {"by_levels", InterpolationPass::by_levels}};
        const auto it = known.find(name);
        if (it == known.end()) throw Error("no pass '", name, "'");
        if (wide) return {wide->seconds(it->second), wide->operations(it->second, 4)};
        return {narrow->seconds(it->second), narrow->operations(it->second, 4)};
    }
    /// Time to interpolate four fields, `together` at once, by the clock that is set: the shortest
    /// of some repetitions.
    double seconds(int together, int repetitions, bool by_levels) {
        std::vector<Copy> copies;
        std::vector<FieldSlab> slabs;
        for (int f = 0; f < 4; ++f) copies.emplace_back(*this), slabs.push_back(copies.back().slab);
        double least = 1e300;
        for (int r = 0; r < repetitions; ++r) {
            const double start = work_now();
            for (int f = 0; f < 4; f += together) {
                const std::vector<FieldSlab> group(slabs.begin() + f, slabs.begin() + f + together);
                if (wide)
                    wide->interpolate({.fields = group, .by_levels = by_levels}, group);
                else
                    narrow->interpolate({.fields = group, .by_levels = by_levels}, group);
            }
            least = std::min(least, work_now() - start);
        }
        return least;
    }

private:
    int rows, levels, longest, precision;
    std::unique_ptr<SemiLagrangian<double>> wide;
    std::unique_ptr<SemiLagrangian<float>> narrow;
    struct Copy {
        std::vector<std::byte> memory;
        FieldSlab slab;
        int stride;
        explicit Copy(const Advection& of) : stride((of.longest + 79) / 16 * 16) {
            memory.resize(std::size_t(of.rows) * of.levels * stride * of.precision);
            slab = {{memory.data()}, {std::ptrdiff_t(of.levels) * stride}, {stride}, of.levels};
        }
        Copy(const Advection& of, const Array& a) : Copy(of) {
            if (int(a.shape(0)) != of.rows || int(a.shape(1)) != of.levels ||
                int(a.shape(2)) != of.longest)
                throw Error("arrays are (", of.rows, ", ", of.levels, ", ", of.longest, ")");
            each(of, [&](auto* own, std::size_t n, std::size_t m) { own[n] = a.data()[m]; });
        }
        template <class F> void each(const Advection& of, F f) {
            for (std::size_t r = 0; r < std::size_t(of.rows) * of.levels; ++r)
                for (int i = 0; i < of.longest; ++i)
                    if (of.precision == 8)
                        f((double*)memory.data(), r * stride + i, r * of.longest + i);
                    else
                        f((float*)memory.data(), r * stride + i, r * of.longest + i);
        }
        void back(const Advection& of, Array& a) {
            each(of, [&](auto* own, std::size_t n, std::size_t m) { a.data()[m] = own[n]; });
        }
    };
};

template <class P>
void set(P& p, const std::map<std::string, double P::*>& known,
         const std::map<std::string, double>& given) {
    std::vector<std::string> names;
    for (auto& [name, at] : known) names.push_back(name);
    for (auto& [name, value] : given) {
        const auto it = known.find(name);
        if (it == known.end()) throw Error("no parameter '", name, "'", near(name, names));
        p.*(it->second) = value;
    }
}

void bind_trajectories(nb::module_& m) {
    nb::class_<Advection>(m, "SemiLagrangian",
                          "Semi-Lagrangian advection of arrays (rows from south to north, levels, "
                          "points) on one rank.")
        .def(nb::init<const GaussianGrid&, std::vector<double>, int, double, double, double, int>(),
             "grid"_a, "eta"_a, "precision"_a, "step"_a, "radius"_a, "rotation"_a = 0.,
             "iterations"_a = 2)
        .def("depart", &Advection::depart, "wind"_a)
        .def("interpolate", &Advection::interpolate, "fields"_a, "wind"_a = false,
             "monotone"_a = false, "by_levels"_a = true, "in place: values at the departure points")
        .def("pass_", &Advection::pass, "name"_a,
             "(seconds, operations) of one pass over all points with four fields: departure, "
             "weights, linear, cubic, monotone, by_levels")
        .def("seconds", &Advection::seconds, "together"_a, "repetitions"_a, "by_levels"_a = false,
             "of interpolating four fields, so many at once");
    nb::class_<ScatterMeasured>(m, "ScatterMeasured",
                                "The adjoint of interpolation by itself, for measurements.")
        .def(nb::init<const GaussianGrid&, std::vector<double>, double, double>(), "grid"_a,
             "eta"_a, "columns"_a, "rows"_a)
        .def("by_bands", &ScatterMeasured::by_bands)
        .def("point_by_point", &ScatterMeasured::point_by_point, "atomic"_a)
        .def("interpolate", &ScatterMeasured::interpolate)
        .def_prop_ro("norm", &ScatterMeasured::norm)
        .def_prop_ro("points", &ScatterMeasured::points);
}

void bind_spectral_process(nb::module_& m) {
    nb::class_<SpectralProcess, GlobalProcess>(
        m, "SpectralProcess",
        "The process of a scheme that goes through spectral space; it knows what all of them took.")
        .def_prop_ro(
            "spent",
            [](const SpectralProcess& d) {
                const auto s = d.spent();
                std::map<std::string, std::tuple<double, double, double>> by_name;
                for (auto& [name, part] :
                     std::initializer_list<std::pair<const char*, const Spent&>>{
                         {"legendre", s.legendre},
                         {"fourier", s.fourier},
                         {"transpositions", s.transpositions},
                         {"packing", s.packing},
                         {"departure", s.departure},
                         {"interpolation", s.interpolation},
                         {"semi_implicit", s.semi_implicit},
                         {"diffusion", s.diffusion}})
                    by_name[name] = {part.seconds, part.operations, part.bytes};
                return by_name;
            },
            "by what was done: (seconds, operations, bytes) of this rank since it was made")
        .def_prop_ro(
            "seconds",
            [](nb::handle_t<SpectralProcess> d) {
                nb::dict seconds;
                for (auto [name, part] : nb::cast<nb::dict>(d.attr("spent")))
                    seconds[name] = part[nb::int_(0)];
                return seconds;
            },
            "by what was done, of this rank since it was made")
        .def_prop_ro(
            "halo",
            [](const SpectralProcess& d) { return std::pair(d.halo().points, d.halo().plans); },
            "(points that this rank receives for its departure points, plans made so far)")
        .def_prop_ro(
            "rows_away", [](const SpectralProcess& d) { return d.halo().rows_away; },
            "how far these points lie away from the nearest row of this rank, at most");
}

SpectralParameters spectral_parameters(const std::map<std::string, double>& given) {
    SpectralParameters p;
    set(p,
        {{"step", &SpectralParameters::step},
         {"radius", &SpectralParameters::radius},
         {"rotation", &SpectralParameters::rotation},
         {"gas_constant", &SpectralParameters::gas_constant},
         {"heat_capacity", &SpectralParameters::heat_capacity},
         {"reference_temperature", &SpectralParameters::reference_temperature},
         {"reference_pressure", &SpectralParameters::reference_pressure},
         {"off_centring", &SpectralParameters::off_centring},
         {"diffusion_time", &SpectralParameters::diffusion_time},
         {"divergence_damping", &SpectralParameters::divergence_damping},
         {"diffusion_order", &SpectralParameters::diffusion_order},
         {"sponge", &SpectralParameters::sponge},
         {"iterations", &SpectralParameters::iterations},
         {"fix_mass", &SpectralParameters::fix_mass},
         {"fix_energy", &SpectralParameters::fix_energy},
         {"viscosity", &SpectralParameters::viscosity},
         {"robert_asselin", &SpectralParameters::filter},
         {"williams_factor", &SpectralParameters::williams},
         {"splitting", &SpectralParameters::splitting},
         {"acoustic_temperature", &SpectralParameters::acoustic_temperature}},
        given);
    return p;
}

/// Scheme, shape and parameters of a hydrostatic spectral model.
SpectralDynamics made(const std::string& scheme, std::variant<OnSphere, OnPlane> lies_on,
                      std::vector<double> a, std::vector<double> b,
                      const std::map<std::string, double>& given, const std::string& temperature,
                      const std::vector<std::pair<std::string, std::string>>& tracers,
                      int precision) {
    SpectralSetup s{std::move(lies_on),         std::move(a), std::move(b),
                    spectral_parameters(given), temperature,  {}};
    for (auto& [name, units] : tracers) s.tracers.push_back({name, units});
    return scheme == "eulerian" ? leapfrog_scheme(s, precision)
                                : semi_lagrangian_scheme(s, precision);
}

void bind_plane(nb::module_& m) {
    nb::class_<EnergyFixer, GlobalProcess>(m, "EnergyFixer", "What keeps energy in the dynamics.")
        .def_ro("returned", &EnergyFixer::returned,
                "energy that it has returned since it was made, mean over the sphere [J m-2]")
        .def_prop_ro(
            "heat_of_diffusion", &EnergyFixer::heat_of_diffusion,
            "what truncation and diffusion turned from wind into heat since it was made [J m-2]");
    nb::class_<OnPlane>(m, "OnPlane",
                        "Points of a periodic plane, of which the first columns and rows are "
                        "places on earth; waves (east, north); lengths [m].")
        .def(
            "__init__",
            [](OnPlane* self, std::pair<int, int> points, std::pair<int, int> inside,
               std::pair<int, int> waves, std::pair<double, double> lengths,
               std::vector<double> map_factor, std::vector<double> relaxation,
               std::vector<double> of_tracers, std::vector<double> of_levels) {
                new (self) OnPlane{{points.first, points.second, waves.first, waves.second,
                                    lengths.first, lengths.second},
                                   inside.first,
                                   inside.second,
                                   std::move(map_factor),
                                   std::move(relaxation),
                                   std::move(of_tracers),
                                   std::move(of_levels)};
            },
            "points"_a, "inside"_a, "waves"_a, "lengths"_a, "map_factor"_a = std::vector<double>(),
            "relaxation"_a = std::vector<double>(),
            "relaxation_of_tracers"_a = std::vector<double>(),
            "relaxation_of_levels"_a = std::vector<double>());
}

void bind_spectral_dynamics(nb::module_& m) {
    nb::class_<SpectralDynamics>(m, "SpectralDynamics",
                                 "The global processes of a hydrostatic spectral model.")
        .def(
            "__init__",
            [](SpectralDynamics* self, const std::string& scheme, const GaussianGrid& grid,
               int truncation, std::vector<double> a, std::vector<double> b,
               const std::map<std::string, double>& given, const std::string& temperature,
               const std::vector<std::pair<std::string, std::string>>& tracers, int precision) {
                new (self)
                    SpectralDynamics(made(scheme, OnSphere{grid, truncation}, std::move(a),
                                          std::move(b), given, temperature, tracers, precision));
            },
            "scheme"_a, "grid"_a, "truncation"_a, "a"_a, "b"_a, "parameters"_a, "temperature"_a,
            "tracers"_a = std::vector<std::pair<std::string, std::string>>{}, "precision"_a = 8,
            "scheme: eulerian or semi-lagrangian; tracers: (name, units)")
        .def(
            "__init__",
            [](SpectralDynamics* self, const OnPlane& plane, std::vector<double> a,
               std::vector<double> b, const std::map<std::string, double>& given,
               const std::string& temperature,
               const std::vector<std::pair<std::string, std::string>>& tracers, int precision) {
                new (self)
                    SpectralDynamics(made("semi-lagrangian", plane, std::move(a), std::move(b),
                                          given, temperature, tracers, precision));
            },
            "plane"_a, "a"_a, "b"_a, "parameters"_a, "temperature"_a,
            "tracers"_a = std::vector<std::pair<std::string, std::string>>{}, "precision"_a = 8)
        .def_ro("transport", &SpectralDynamics::transport)
        .def_ro("tracer_transport", &SpectralDynamics::tracer_transport)
        .def_ro("step", &SpectralDynamics::step)
        .def_ro("total_energy", &SpectralDynamics::total_energy)
        .def_ro("coupling", &SpectralDynamics::coupling)
        .def_ro("coupling_again", &SpectralDynamics::coupling_again)
        .def_ro("correction", &SpectralDynamics::correction)
        .def_ro("tracer_mass", &SpectralDynamics::tracer_mass)
        .def_ro("tracer_leapfrog", &SpectralDynamics::tracer_leapfrog);
}

void bind_shallow_water(nb::module_& m) {
    m.def(
        "shallow_water_dynamics",
        [](const std::string& scheme, const GaussianGrid& grid, int truncation,
           double mean_geopotential, const std::map<std::string, double>& given, int precision) {
            const SpectralSetup s = shallow_water(OnSphere{grid, truncation},
                                                  spectral_parameters(given), mean_geopotential);
            return scheme == "eulerian" ? shallow_water_leapfrog(s, precision)
                                        : shallow_water_semi_lagrangian(s, precision);
        },
        "scheme"_a, "grid"_a, "truncation"_a, "mean_geopotential"_a, "parameters"_a,
        "precision"_a = 8, "The global processes of shallow water on the sphere.");
}

void bind_coupling(nb::module_& m) {
    m.def(
        "coupling",
        [](const std::string& label, int columns,
           const std::vector<std::tuple<std::string, std::string, std::string, std::string,
                                        std::vector<double>>>& fields,
           int precision) {
            std::vector<Drawn> drawn;
            for (auto& [name, horizontal, vertical, units, alpha] : fields)
                drawn.push_back({name, place_of(horizontal, vertical, false), units, alpha, {}});
            return coupling(label, columns, drawn, precision);
        },
        "label"_a, "columns"_a, "fields"_a, "precision"_a,
        "Draws fields (name, horizontal and vertical place, units, weights of all points) to those "
        "of the outer model.");
}

void bind_gridpoint(nb::module_& m) {
    nb::class_<GridPointCarrier, GlobalProcess>(
        m, "GridPointCarrier", "A semi-Lagrangian process of the grid-point atmosphere.")
        .def_prop_ro(
            "halo",
            [](const GridPointCarrier& c) { return std::pair(c.halo().points, c.halo().plans); },
            "(points that this rank receives for its departure points, plans made so far)")
        .def_rw("row_seconds", &GridPointCarrier::row_seconds, "of the processor, if it has rows");
    nb::class_<GridPointSetup>(m, "GridPointSetup")
        .def(
            "__init__",
            [](GridPointSetup* self, double step, double implicitness, int iterations, double dx,
               double dy, std::vector<double> heights, double radius, bool deep, double south,
               bool area, int times, bool hills, bool own_of_wind) {
                new (self) GridPointSetup{
                    step, implicitness, iterations, dx,    dy,    std::move(heights), radius,
                    deep, south,        area,       times, hills, own_of_wind};
            },
            "step"_a, "implicitness"_a, "iterations"_a, "dx"_a, "dy"_a, "heights"_a,
            "radius"_a = 0., "deep"_a = false, "south"_a = -90., "area"_a = false, "times"_a = 1,
            "hills"_a = false, "own_of_wind"_a = false, "radius: of a sphere, 0 of a plane");
    m.def("gridpoint_departure", &gridpoint_departure, "setup"_a, "precision"_a);
    m.def("gridpoint_climb", &gridpoint_climb, "setup"_a, "precision"_a);
    m.def("gridpoint_transport", &gridpoint_transport, "setup"_a, "precision"_a);
    m.def("gridpoint_tracers", &gridpoint_tracers, "setup"_a, "tracers"_a, "keep_mass"_a,
          "precision"_a);
    nb::class_<DryMass, GlobalProcess>(m, "DryMass", "Keeps the mass of air.")
        .def(nb::init<double>(), "curvature"_a = 0.)
        .def_ro("correction", &DryMass::correction, "of the last step: the factor less 1");
    nb::class_<PoleWind, GlobalProcess>(m, "PoleWind", "Wind over the poles of the sphere.")
        .def(nb::init<std::string>(), "suffix"_a = "");
}

void bind_helmholtz(nb::module_& m) {
    nb::class_<HelmholtzSolve, GlobalProcess>(
        m, "HelmholtzSolve", "The increment of the Exner function of the grid-point atmosphere.")
        .def(
            "__init__",
            [](HelmholtzSolve* self, const std::map<std::string, double>& given,
               const std::string& preconditioner, const std::string& method, double tolerance,
               int most_iterations, int solves_of_a_step, bool about_state, bool narrow) {
                using P = HelmholtzSolve::Parameters;
                P p;
                p.solves_of_a_step = solves_of_a_step, p.about_state = about_state;
                p.narrow = narrow;
                set(p,
                    {{"step", &P::step},
                     {"implicitness", &P::implicitness},
                     {"gravity", &P::gravity},
                     {"heat_capacity", &P::heat_capacity},
                     {"gas_constant", &P::gas_constant}},
                    given);
                p.solver = {tolerance, most_iterations, preconditioner, method};
                new (self) HelmholtzSolve(p);
            },
            "parameters"_a, "preconditioner"_a, "method"_a, "tolerance"_a, "most_iterations"_a,
            "solves_of_a_step"_a, "about_state"_a, "narrow"_a)
        .def_ro("iterations", &HelmholtzSolve::iterations)
        .def_ro("solves", &HelmholtzSolve::solves)
        .def_ro("residual", &HelmholtzSolve::residual);
    const auto told = [](std::span<const HelmholtzChoice> choices) {
        nb::dict known;
        for (auto& one : choices) known[std::string(one.name).c_str()] = std::string(one.text);
        return known;
    };
    m.attr("helmholtz_preconditioners") = told(helmholtz_preconditioners());
    m.attr("helmholtz_methods") = told(helmholtz_methods());
}

void bind_ground(nb::module_& m) {
    nb::dict of_ground;
    nb::list thickness;
    for (int k = 0; k < physics::soil::layers; ++k)
        thickness.append(physics::soil::thickness::at(k));
    of_ground["thickness"] = nb::tuple(thickness);
    of_ground["wilting_point"] = physics::soil::wilting;
    of_ground["field_capacity"] = physics::soil::field_capacity;
    of_ground["bucket"] = physics::ground::bucket;
    of_ground["freezing_sea"] = physics::ground::sea_freezing;
    m.attr("ground") = of_ground;
}

void bind_levels(nb::module_& m) {
    m.def(
        "hybrid_reference",
        [](std::vector<double> a, std::vector<double> b, double pressure, double temperature,
           double gas_constant, double heat_capacity) {
            const atmosphere::HybridReference r(a, b, pressure, temperature, gas_constant,
                                                heat_capacity);
            const atmosphere::VerticalModes modes(r);
            nb::dict d;
            d["alpha"] = r.alpha;
            d["log_ratio"] = r.log_ratio;
            d["thickness"] = r.thickness;
            d["gamma"] = r.gamma();
            d["tau"] = r.tau();
            d["matrix"] = r.matrix();
            d["speed_squared"] = modes.speed_squared;
            d["to_modes"] = modes.to_modes;
            d["from_modes"] = modes.from_modes;
            return d;
        },
        "a"_a, "b"_a, "pressure"_a = usual::reference_pressure,
        "temperature"_a = usual::reference_temperature,
        "gas_constant"_a = constants::balance_gas_constant,
        "heat_capacity"_a = constants::balance_heat_capacity,
        "linear operators of the semi-implicit scheme; matrices row by row");
    m.def(
        "compressible_reference",
        [](std::vector<double> a, std::vector<double> b, double beta, double pressure,
           double temperature, double acoustic_temperature, double gas_constant,
           double heat_capacity) {
            const atmosphere::CompressibleReference r(
                {a, b, pressure, temperature, gas_constant, heat_capacity}, acoustic_temperature);
            const auto L = r.acceleration();
            const auto modes = atmosphere::compressible_modes(r, beta);
            nb::dict d;
            d["G"] = r.G();
            d["S"] = r.S();
            d["acceleration"] = std::array{L.above, L.here, L.below};
            d["acoustic"] = r.acoustic();
            d["F"] = r.F(beta);
            d["matrix"] = r.matrix(beta);
            d["speed_squared"] = modes.speed_squared;
            return d;
        },
        "a"_a, "b"_a, "beta"_a, "pressure"_a = usual::reference_pressure,
        "temperature"_a = usual::reference_temperature,
        "acoustic_temperature"_a = usual::acoustic_temperature,
        "gas_constant"_a = constants::balance_gas_constant,
        "heat_capacity"_a = constants::balance_heat_capacity,
        "linear operators of compressible air; matrices row by row, the acceleration L by its "
        "diagonals");
}

}  // namespace

void bind_atmosphere(nb::module_& m) {
    bind_trajectories(m);
    bind_spectral_process(m);
    bind_plane(m);
    bind_spectral_dynamics(m);
    bind_shallow_water(m);
    bind_coupling(m);
    bind_gridpoint(m);
    bind_helmholtz(m);
    bind_ground(m);
    bind_levels(m);
}
