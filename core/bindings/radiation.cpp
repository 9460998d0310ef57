/// Radiation by correlated k for Python: tables, fluxes of plain columns, the process. No logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <map>
#include "base/constants.hpp"
#include "base/error.hpp"
#include "physics/radiation/rrtmgp/process.hpp"
#include "physics/radiation/sun.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fathom;
using namespace fathom::physics;
using rrtmgp::KDistribution, rrtmgp::Tables;

namespace {

template <class T> using Numbers = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T> std::vector<T> list(const nb::dict& from, const char* name) {
    const auto array = nb::cast<Numbers<T>>(from[name]);
    return {array.data(), array.data() + array.size()};
}
void set_flavours(Tables& k, const nb::dict& d) {
    const auto gases = list<int>(d, "flavour_gases");
    std::vector<KDistribution::Flavour> flavours;
    for (std::size_t f = 0; f < gases.size() / 2; ++f)
        flavours.push_back({{gases[2 * f], gases[2 * f + 1]}});
    const auto band = list<int>(d, "bands");  // first, last + 1, flavour below, flavour above
    std::vector<KDistribution::Band> bands;
    for (std::size_t b = 0; b < band.size() / 4; ++b) {
        const int* n = &band[4 * b];
        const int before = b ? bands.back().before + bands.back().vectors() : 0;
        bands.push_back({n[0], n[1], before, {n[2], n[3]}});
        for (int half = 0; half < 2; ++half) flavours[std::size_t(n[2 + half])].used[half] = true;
    }
    k.bands = int(bands.size());
    k.band = k.keep(bands), k.flavours = k.keep(flavours);
    k.flavour_ratio = k.keep(list<double>(d, "flavour_ratio"));
}

void set_minor(Tables& k, const nb::dict& d, int half) {
    const char* const which[] = {"minor_lower", "minor_upper"};
    const char* const table[] = {"minor_table_lower", "minor_table_upper"};
    // first, count, gas, scaling gas, flavour, by density, by complement, place in the table
    const auto minor = list<int>(d, which[half]);
    std::vector<KDistribution::Minor> all;
    for (std::size_t m = 0; m < minor.size() / 8; ++m) {
        const int* n = &minor[8 * m];
        all.push_back({n[0], n[1], n[2], n[3], n[4], n[5] != 0, n[6] != 0, std::size_t(n[7])});
        for (auto& band : k.band)
            if (band.first == n[0] && band.vectors() * rrtmgp::lanes == n[1])
                all.back().within = band.last - band.first;
    }
    k.minor[half] = k.keep(all);
    k.minor_table[half] = k.keep(list<float>(d, table[half]));
}

/// Tables of ecCKD: each g point is a separate band for aerosols.
void set_by_gas(Tables& k, const nb::dict& d) {
    const auto gas = list<int>(d, "absorber_gases");
    const auto reference = list<double>(d, "absorber_references");
    std::vector<KDistribution::Absorber> absorbers;
    for (std::size_t a = 0; a < gas.size(); ++a) absorbers.push_back({gas[a], reference[a]});
    k.absorber = k.keep(absorbers);
    k.coldest = k.keep(list<double>(d, "coldest"));
    const auto axis = list<double>(d, "mixture_axis");
    k.first_log_mixture = axis[0], k.log_mixture_step = axis[1];
    k.water_table = k.keep(list<float>(d, "water"));
    std::vector<KDistribution::Band> bands;
    for (int g = 0; g < k.gpoints; ++g) bands.push_back({g, g + 1, 0, {0, 0}});
    k.band = k.keep(bands), k.bands = k.gpoints;
}

void set_particles(Tables& k, KDistribution::Particles& p, const nb::dict& d,
                   const std::string& name) {
    if (!d.contains((name + "_sizes").c_str())) return;
    const auto sizes = list<double>(d, (name + "_sizes").c_str());  // number, first, step
    p.sizes = int(sizes[0]), p.first = sizes[1], p.step = sizes[2];
    int n = 0;
    for (const char* what : {"_extinction", "_albedo", "_asymmetry"})
        p.table[n++] = k.keep(list<float>(d, (name + what).c_str()));
}

std::shared_ptr<KDistribution> distribution(const nb::dict& d) {
    auto k = std::make_shared<Tables>();
    const auto size = list<int>(d, "sizes");
    k->gpoints = size[0], k->row = size[1], k->temperatures = size[2], k->pressures = size[3];
    k->mixtures = size[4], k->gases = size[5], k->water = size[6];
    const auto axis = list<double>(d, "axes");
    k->first_temperature = axis[0], k->temperature_step = axis[1];
    k->first_log_pressure = axis[2], k->log_pressure_step = axis[3];
    k->tropopause_log_pressure = axis[4], k->first_planck = axis[5];
    k->major = k->keep(list<float>(d, "major"));
    if (d.contains("absorber_gases"))
        set_by_gas(*k, d);
    else
        set_flavours(*k, d), set_minor(*k, d, 0), set_minor(*k, d, 1);
    if (d.contains("planck")) {
        k->planck = k->keep(list<float>(d, "planck"));
        k->planck_rows = int(k->planck.size()) / rrtmgp::stride(*k);
    } else {
        k->rayleigh[0] = k->keep(list<float>(d, "rayleigh_lower"));
        if (!k->by_gas()) k->rayleigh[1] = k->keep(list<float>(d, "rayleigh_upper"));
        k->solar = k->keep(list<double>(d, "solar"));
    }
    set_particles(*k, k->liquid, d, "liquid"), set_particles(*k, k->ice, d, "ice");
    if (d.contains("aerosol")) {
        k->humidities = k->keep(list<double>(d, "humidities"));
        k->aerosol = k->keep(list<float>(d, "aerosol"));
        k->aerosols = int(k->aerosol.size() / (k->humidities.size() * 3 * std::size_t(k->bands)));
    }
    return k;
}

struct OfClouds {
    int overlap;
    double decorrelation;
    std::vector<float> water_factors;
    std::uint64_t key;
};

std::vector<float> checked(std::vector<float> water_factors) {
    if (!water_factors.empty() && int(water_factors.size()) != rrtmgp::parts_of_water)
        throw Error(water_factors.size(), " factors of cloud water, expected ",
                    rrtmgp::parts_of_water);
    return water_factors;
}

/// Columns given as arrays (column, ...). They are computed one after the other.
template <class T> class Columns {
public:
    Columns(const KDistribution& k, const nb::dict& d) : k(k) {
        for (auto [key, value] : d) {
            const auto name = nb::cast<std::string>(key);
            arrays[name] = nb::cast<Numbers<double>>(value);
        }
        count = int(arrays.at("pressure").shape(0)), L = int(arrays.at("pressure").shape(1));
        amount.resize(std::size_t(k.gases + 1) * std::size_t(L));
    }
    int columns() const { return count; }
    int layers() const { return L; }

    rrtmgp::Column<T>& column(int n, const OfClouds& clouds) {
        c = {};
        c.layers = L;
        c.pressure = numbers("pressure", n), c.temperature = numbers("temperature", n);
        c.interface_temperature = numbers("interface_temperature", n);
        c.cover = numbers("cloud_fraction", n), c.liquid_path = numbers("liquid_path", n);
        c.ice_path = numbers("ice_path", n), c.droplet_radius = numbers("droplet_radius", n);
        c.ice_diameter = numbers("ice_diameter", n), c.aerosol = numbers("aerosol", n);
        c.humidity = numbers("relative_humidity", n);
        c.surface_temperature = one("surface_temperature", n, 288);
        c.emissivity = one("emissivity", n, 1), c.zenith = one("cosine_zenith", n, 0);
        c.albedo_direct = one("albedo_direct", n, 0);
        c.albedo_diffuse = one("albedo_diffuse", n, 0);
        c.irradiance_factor = one("irradiance_factor", n, 1);
        c.overlap = rrtmgp::Overlap(clouds.overlap), c.decorrelation = T(clouds.decorrelation);
        c.key = rrtmgp::key_of(std::uint64_t(n), clouds.key);
        c.water_factors = clouds.water_factors.empty() ? nullptr : clouds.water_factors.data();
        amounts(n);
        return c;
    }

private:
    const KDistribution& k;
    std::map<std::string, Numbers<double>> arrays;
    std::map<std::string, std::vector<T>> kept;
    std::vector<T> amount;
    rrtmgp::Column<T> c;
    int count = 0, L = 0;

    const T* numbers(const char* name, int n) {
        const auto found = arrays.find(name);
        if (found == arrays.end()) return nullptr;
        const std::size_t each = found->second.size() / std::size_t(count);
        auto& to = kept[name];
        to.assign(found->second.data() + each * n, found->second.data() + each * (n + 1));
        return to.data();
    }
    T one(const char* name, int n, double otherwise) {
        const auto found = arrays.find(name);
        return T(found == arrays.end() ? otherwise : found->second.data()[n]);
    }
    /// From mole fractions of dry air [column][gas][layer], without gas 0.
    void amounts(int n) {
        const T* const fraction = numbers("mole_fraction", n);
        const double* const p =
            arrays.at("interface_pressure").data() + std::size_t(n) * std::size_t(L + 1);
        for (int l = 0; l < L; ++l) {
            const T dry = rrtmgp::dry_air<T>(T(p[l + 1] - p[l]), fraction[(k.water - 1) * L + l],
                                             constants::standard_gravity);
            amount[std::size_t(l)] = dry;
            for (int g = 0; g < k.gases; ++g)
                amount[std::size_t((g + 1) * L + l)] = fraction[g * L + l] * dry;
        }
        c.amount = amount.data();
    }
};

struct Result {
    std::vector<double> up, down, other;
};

template <class T>
Result compute(const KDistribution& k, Columns<T>& all, int angles, const OfClouds& clouds) {
    const std::size_t each = std::size_t(all.layers()) + 1;
    Result r;
    for (auto* x : {&r.up, &r.down, &r.other}) x->assign(each * std::size_t(all.columns()), 0.);
    std::vector<T> up(each), down(each), other(each);
    for (int n = 0; n < all.columns(); ++n) {
        const auto& c = all.column(n, clouds);
        if (k.longwave())
            rrtmgp::longwave<T>(k, c, angles, {up.data(), down.data(), other.data()});
        else if (c.zenith > 0)
            rrtmgp::shortwave<T>(k, c, {up.data(), down.data(), other.data()});
        else
            continue;
        std::copy(up.begin(), up.end(), r.up.begin() + std::ptrdiff_t(each * n));
        std::copy(down.begin(), down.end(), r.down.begin() + std::ptrdiff_t(each * n));
        std::copy(other.begin(), other.end(), r.other.begin() + std::ptrdiff_t(each * n));
    }
    return r;
}

nb::object array(std::vector<double> values, std::size_t columns) {
    auto* const kept = new std::vector<double>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete (std::vector<double>*)p; });
    const std::size_t shape[] = {columns, kept->size() / columns};
    return nb::cast(nb::ndarray<nb::numpy, double>(kept->data(), 2, shape, owner));
}

nb::tuple fluxes(const KDistribution& k, const nb::dict& arrays, int precision, int angles,
                 int overlap, double decorrelation, std::vector<float> water_factors,
                 std::uint64_t key) {
    const OfClouds clouds{overlap, decorrelation, checked(std::move(water_factors)), key};
    const auto with = [&]<class T>(T) {
        Columns<T> all(k, arrays);
        Result r;
        {
            nb::gil_scoped_release nogil;
            r = compute<T>(k, all, angles, clouds);
        }
        const auto n = std::size_t(all.columns());
        return nb::make_tuple(array(std::move(r.up), n), array(std::move(r.down), n),
                              array(std::move(r.other), n));
    };
    return precision == 4 ? with(0.f) : with(0.);
}

Process make(std::shared_ptr<KDistribution> thermal, std::shared_ptr<KDistribution> solar,
             std::vector<double> of_thermal, std::vector<double> of_solar,
             const std::map<std::string, double>& parameters, std::vector<float> water_factors,
             int precision, std::vector<std::vector<int>> in_time) {
    RRTMGP s;
    const auto keep = [&]<class T>(std::vector<T> values) -> std::span<const T> {
        const auto all = std::make_shared<const std::vector<T>>(std::move(values));
        s.kept.push_back(all);
        return *all;
    };
    s.thermal = *thermal, s.solar = *solar, s.kept = {thermal, solar};
    s.of_thermal = keep(std::move(of_thermal)), s.of_solar = keep(std::move(of_solar));
    s.water_factors = keep(checked(std::move(water_factors)));
    s.ozone = int(parameters.at("ozone")), s.angles = int(parameters.at("angles"));
    s.overlap = int(parameters.at("overlap"));
    s.droplet_radius = parameters.at("droplet_radius");
    s.ice_diameter = parameters.at("ice_diameter");
    s.decorrelation = parameters.at("decorrelation");
    s.twilight = parameters.at("twilight");
    if (in_time.empty()) return process_of(s, precision);
    if (in_time.size() != 3 || in_time[0].size() != physics::rrtmgp::changing ||
        in_time[1].size() != physics::rrtmgp::changing ||
        (!in_time[2].empty() && in_time[2].size() != physics::rrtmgp::hazes))
        throw Error("in_time: numbers of gases in both tables, rows of aerosols");
    s.thermal_gases = keep(std::move(in_time[0])), s.solar_gases = keep(std::move(in_time[1]));
    s.aerosols = keep(std::move(in_time[2]));
    s.visible = int(parameters.at("visible"));
    return process_in_time(s, precision);
}

}  // namespace

void bind_radiation(nb::module_& m) {
    nb::class_<KDistribution>(m, "KDistribution", "tables of a correlated-k gas optics")
        .def_ro("gpoints", &KDistribution::gpoints)
        .def_ro("bands", &KDistribution::bands)
        .def_prop_ro("longwave", &KDistribution::longwave)
        .def_ro("aerosols", &KDistribution::aerosols);
    m.def(
        "sun_direction",
        [](double days) {
            const auto sun = physics::sun_at(days);
            return std::array{sun.x, sun.y, sun.z};
        },
        "days"_a, "to the sun, seen from the rotating Earth; days since 2000-01-01 12:00");
    m.def("k_distribution", &distribution, "tables"_a,
          "from arrays as fathom.atmosphere.radiation makes them");
    m.def("radiative_fluxes", &fluxes, "tables"_a, "arrays"_a, "precision"_a, "angles"_a,
          "overlap"_a, "decorrelation"_a, "water_factors"_a, "key"_a,
          "(up, down, other), each (column, interface); other: the emission of the ground that "
          "arrives, or the beam");
    m.def("rrtmgp_process", &make, "thermal"_a, "solar"_a, "mole_fraction_thermal"_a,
          "mole_fraction_solar"_a, "parameters"_a, "water_factors"_a, "precision"_a,
          "in_time"_a = std::vector<std::vector<int>>(),
          "in_time: of gases that fields give their numbers in the tables of both, and rows of "
          "aerosols");
}
