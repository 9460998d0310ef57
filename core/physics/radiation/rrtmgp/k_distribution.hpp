/// Tables of the absorption of the air by correlated k (Pincus, Mlawer & Delamere 2019, J. Adv.
/// Model. Earth Syst. 11, 3074-3089): at each of the g points of a spectrum a coefficient that
/// depends on temperature, pressure and the mixture of the two key species of the band. In every
/// table g is the fastest index, so that a vector reads contiguous numbers. Numbers are float for
/// any precision of the computation. Rows end with spare numbers, as many as a vector may read
/// beyond the end. KDistribution says where they lie, in memory of the processor or of a device;
/// Tables keeps them.
#pragma once
#include <array>
#include <memory>
#include <new>
#include <span>
#include <vector>
#include "base/halves.hpp"

namespace fathom::physics::rrtmgp {

/// g points that are computed at once: by one vector of a processor (Pack<T, lanes>), or by this
/// many threads of a device (Pack<T, 1>), of which each has every eighth, from its `lane` on.
inline constexpr int lanes = 8;

struct KDistribution {
    template <class T> using List = std::span<const T>;

    int gpoints = 0;  ///< without those that fill up the last vector
    int row = 0;      ///< numbers of a row: gpoints filled up to whole vectors
    int temperatures = 0, pressures = 0, mixtures = 0, gases = 0, bands = 0;
    int water = 1;  ///< the number of water vapour; 0 is dry air
    double first_temperature = 0, temperature_step = 0;
    double first_log_pressure = 0, log_pressure_step = 0, tropopause_log_pressure = 0;

    /// Two key species.
    struct Flavour {
        int gas[2];
        bool used[2] = {false, false};  ///< in a half, 0 the lower atmosphere
    };
    List<Flavour> flavours;
    /// Of their amounts, for which eta = 1/2: [flavour][half][temperature].
    List<double> flavour_ratio;
    constexpr double ratio(std::size_t flavour, int half, int temperature) const {
        return flavour_ratio[(2 * flavour + std::size_t(half)) * std::size_t(temperatures) +
                             std::size_t(temperature)];
    }
    struct Band {
        int first, last;
        int before;  ///< vectors of the bands before it
        int flavour[2];
        constexpr int vectors() const { return (last - first + lanes - 1) / lanes; }
    };
    List<Band> band;
    /// Vectors of a table [temperature][eta] that lie before those of a band.
    constexpr std::size_t before(const Band& b) const {
        return std::size_t(b.before) * std::size_t(temperatures * mixtures);
    }

    /// Of each band [temperature][pressure + half][eta][vector][lane], m2 mol-1. In the long wave
    /// each vector is followed by its parts of the band's Planck function, so that both come with
    /// one line of the cache.
    List<float> major;
    /// One further absorber in one range of g points.
    struct Minor {
        int first, count;  ///< count: whole vectors, of which those beyond the range are 0
        int gas, scaling_gas, flavour;
        bool by_density, by_complement;
        std::size_t at;  ///< of its table [temperature][eta][count] in minor_table
        int within = 0;  ///< g points of the band that begins there; 0: the range is not a band
    };
    List<Minor> minor[2];  ///< those of one range side by side
    List<float> minor_table[2];
    List<float>
        rayleigh[2];  ///< of each band [temperature][eta][vector][lane], m2 mol-1; short wave only

    /// Of tables of ecCKD (ecckd.hpp), in `major` [temperature][pressure][absorber][g]: gas 0 is
    /// air. Water has a separate table [mixture][temperature][pressure][g].
    struct Absorber {
        int gas;
        double reference;
    };
    List<Absorber> absorber;
    List<double> coldest;  ///< first temperature by pressure
    double first_log_mixture = 0, log_mixture_step = 0;
    List<float> water_table;

    double first_planck = 0;
    int planck_rows = 0;
    List<float> planck;  ///< [temperature, one a kelvin][g]: of the band, W m-2 sr-1
    List<double> solar;  ///< [g], W m-2 at 1 au

    /// Extinction [m2 g-1], single-scattering albedo and asymmetry, each [size][g].
    struct Particles {
        int sizes = 0;
        double first = 0, step = 0;
        List<float> table[3];
    };
    Particles liquid, ice;
    /// Extinction [m2 kg-1], albedo, asymmetry of aerosols: [species][humidity][3][band].
    int aerosols = 0;
    List<double> humidities;
    List<float> aerosol;

    constexpr bool by_gas() const { return !absorber.empty(); }
    constexpr bool longwave() const { return !planck.empty(); }

    template <class F> void each_list(F f) {
        f(flavours), f(flavour_ratio), f(band), f(major), f(absorber), f(coldest), f(water_table);
        for (int half = 0; half < 2; ++half)
            f(minor[half]), f(minor_table[half]), f(rayleigh[half]);
        for (auto* particles : {&liquid, &ice})
            for (auto& table : particles->table) f(table);
        f(planck), f(solar), f(humidities), f(aerosol);
    }
};

/// Numbers that begin at a line of the cache.
template <class T> struct AtLines {
    using value_type = T;
    static constexpr std::size_t line = 64;
    AtLines() = default;
    template <class U> AtLines(const AtLines<U>&) {}
    T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(line)));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t(line)); }
    template <class U> bool operator==(const AtLines<U>&) const { return true; }
};

/// With its numbers.
struct Tables : KDistribution {
    template <class T, class Allocator> List<T> keep(std::vector<T, Allocator> given) {
        const auto all =
            std::make_shared<const std::vector<T, AtLines<T>>>(given.begin(), given.end());
        kept.push_back(all);
        return *all;
    }

private:
    std::vector<std::shared_ptr<const void>> kept;
};

/// Numbers of another type, each by itself.
template <class To, int width, class From>
constexpr typename Lanes<To, width>::type converted(From x) {
    if constexpr (width == 1)
        return To(x);
    else
        return __builtin_convertvector(x, typename Lanes<To, width>::type);
}
template <int width> using Integers = typename Lanes<int, width>::type;
/// Whole parts of numbers >= 0, and back.
template <class T, int width> constexpr Integers<width> whole_parts(Pack<T, width> x) {
    return converted<int, width>(x.lanes);
}
template <class Half> Integers<2 * Half::width> whole_parts(Halves<Half> x) {
    return std::bit_cast<Integers<2 * Half::width>>(
        std::array{whole_parts(x.low), whole_parts(x.high)});
}
template <class Real> constexpr Real numbers(Integers<Real::width> n) {
    Real r;
    if constexpr (in_halves<Real>) {
        using Half = typename Real::Half;
        const auto two = std::bit_cast<std::array<Integers<Half::width>, 2>>(n);
        r = {numbers<Half>(two[0]), numbers<Half>(two[1])};
    } else
        r.lanes = converted<typename Real::Number, Real::width>(n);
    return r;
}
template <int width> constexpr Integers<width> load_integers(const int* at) {
    if constexpr (width == 1)
        return *at;
    else {
        Integers<width> x;
        __builtin_memcpy(&x, at, sizeof x);
        return x;
    }
}
template <int width> constexpr void store_integers(Integers<width> x, int* at) {
    if constexpr (width == 1)
        *at = x;
    else
        __builtin_memcpy(at, &x, sizeof x);
}

/// a b + c rounded once, and the square root: of eight floats as of eight doubles one instruction.
template <class T, int width>
constexpr Pack<T, width> multiply_add(Pack<T, width> a, std::type_identity_t<Pack<T, width>> b,
                                      std::type_identity_t<Pack<T, width>> c) {
#if defined(__FMA__)
    if constexpr (std::is_same_v<T, float> && width == 8) {
        a.lanes = _mm256_fmadd_ps(a.lanes, b.lanes, c.lanes);
        return a;
    }
#endif
    return fma(a, b, c);
}
template <class Half>
Halves<Half> multiply_add(Halves<Half> a, std::type_identity_t<Halves<Half>> b,
                          std::type_identity_t<Halves<Half>> c) {
    return fma(a, b, c);
}
template <class T, int width> constexpr Pack<T, width> root(Pack<T, width> a) {
#if defined(__FMA__)
    if constexpr (std::is_same_v<T, float> && width == 8) {
        a.lanes = _mm256_sqrt_ps(a.lanes);
        return a;
    }
#endif
    return sqrt(a);
}
template <class Half> Halves<Half> root(Halves<Half> a) { return sqrt(a); }

/// Numbers of a table as those that are computed with, and back.
template <class T, int width> constexpr Wide<T, width> widen(Pack<float, width> x) {
    Wide<T, width> r;
    if constexpr (in_halves<Wide<T, width>>) {
        const auto two = std::bit_cast<std::array<Pack<float, width / 2>, 2>>(x);
        r = {widen<T>(two[0]), widen<T>(two[1])};
    }
#if defined(__AVX512F__)
    else if constexpr (sizeof(T) == 8 && width == 8)
        r.lanes = _mm512_cvtps_pd(x.lanes);  // one instruction, where the compiler makes three
#endif
    else
        r.lanes = converted<T, width>(x.lanes);
    return r;
}
template <class T, int width> constexpr Pack<float, width> narrow(Pack<T, width> x) {
    Pack<float, width> r;
    r.lanes = converted<float, width>(x.lanes);
    return r;
}
template <class Half> Pack<float, 2 * Half::width> narrow(Halves<Half> x) {
    return std::bit_cast<Pack<float, 2 * Half::width>>(std::array{narrow(x.low), narrow(x.high)});
}

}  // namespace fathom::physics::rrtmgp
