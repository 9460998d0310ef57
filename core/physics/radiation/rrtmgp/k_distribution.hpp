/// Tables of the absorption of the air by correlated k (Pincus, Mlawer & Delamere 2019, J. Adv.
/// Model. Earth Syst. 11, 3074-3089): at each of the g points of a spectrum a coefficient that
/// depends on temperature, pressure and the mixture of the two key species of the band. In every
/// table g is the fastest index, so that a vector reads contiguous numbers. Numbers are float for
/// any precision of the computation. Rows end with spare numbers, as many as a vector may read
/// beyond the end.
#pragma once
#include <array>
#include <new>
#include <vector>
#include "base/pack.hpp"

namespace fathom::physics::rrtmgp {

/// g points that are computed at once.
inline constexpr int lanes = 8;

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
using Table = std::vector<float, AtLines<float>>;

struct KDistribution {
    int gpoints = 0;  ///< without those that fill up the last vector
    int row = 0;      ///< numbers of a row: gpoints filled up to whole vectors
    int temperatures = 0, pressures = 0, mixtures = 0, gases = 0, bands = 0;
    int water = 1;  ///< the number of water vapour; 0 is dry air
    double first_temperature = 0, temperature_step = 0;
    double first_log_pressure = 0, log_pressure_step = 0, tropopause_log_pressure = 0;

    /// Two key species, and the ratio of their amounts for which eta = 1/2, by half (0 the lower
    /// atmosphere) and temperature.
    struct Flavour {
        int gas[2];
        bool used[2] = {false, false};
        std::vector<double> ratio[2];
    };
    std::vector<Flavour> flavours;
    struct Band {
        int first, last;
        int before;  ///< vectors of the bands before it
        int flavour[2];
        int vectors() const { return (last - first + lanes - 1) / lanes; }
    };
    std::vector<Band> band;
    /// Vectors of a table [temperature][eta] that lie before those of a band.
    std::size_t before(const Band& b) const {
        return std::size_t(b.before) * std::size_t(temperatures * mixtures);
    }

    /// Of each band [temperature][pressure + half][eta][vector][lane], m2 mol-1. In the long wave
    /// each vector is followed by its parts of the band's Planck function, so that both come with
    /// one line of the cache.
    Table major;
    /// One further absorber in one range of g points.
    struct Minor {
        int first, count, gas, scaling_gas, flavour;
        bool by_density, by_complement;
        std::size_t at;  ///< of its table [temperature][eta][count] in minor_table
    };
    std::vector<Minor> minor[2];  ///< those of one range side by side
    Table minor_table[2];
    Table
        rayleigh[2];  ///< of each band [temperature][eta][vector][lane], m2 mol-1; short wave only

    /// Of tables of ecCKD (ecckd.hpp), in `major` [temperature][pressure][absorber][g]: gas 0 is
    /// air. Water has a separate table [mixture][temperature][pressure][g].
    struct Absorber {
        int gas;
        double reference;
    };
    std::vector<Absorber> absorber;
    std::vector<double> coldest;  ///< first temperature by pressure
    double first_log_mixture = 0, log_mixture_step = 0;
    Table water_table;

    double first_planck = 0;
    int planck_rows = 0;
    std::vector<float> planck;  ///< [temperature, one a kelvin][g]: of the band, W m-2 sr-1
    std::vector<double> solar;  ///< [g], W m-2 at 1 au

    /// Extinction [m2 g-1], single-scattering albedo and asymmetry, each [size][g].
    struct Particles {
        int sizes = 0;
        double first = 0, step = 0;
        std::vector<float> table[3];
    };
    Particles liquid, ice;
    /// Extinction [m2 kg-1], albedo, asymmetry of aerosols: [species][humidity][3][band].
    int aerosols = 0;
    std::vector<double> humidities;
    std::vector<float> aerosol;

    bool by_gas() const { return !absorber.empty(); }
    bool longwave() const { return !planck.empty(); }
};

template <class T> using Lanes8 = Pack<T, lanes>;

/// a b + c rounded once, and the square root: of eight floats as of eight doubles one instruction.
template <class T>
Lanes8<T> multiply_add(Lanes8<T> a, std::type_identity_t<Lanes8<T>> b,
                       std::type_identity_t<Lanes8<T>> c) {
#if defined(__FMA__)
    if constexpr (std::is_same_v<T, float>) {
        a.lanes = _mm256_fmadd_ps(a.lanes, b.lanes, c.lanes);
        return a;
    }
#endif
    return fma(a, b, c);
}
template <class T> Lanes8<T> root(Lanes8<T> a) {
#if defined(__FMA__)
    if constexpr (std::is_same_v<T, float>) {
        a.lanes = _mm256_sqrt_ps(a.lanes);
        return a;
    }
#endif
    return sqrt(a);
}

/// Numbers of a table as those that are computed with, and back.
template <class T> Lanes8<T> widen(Lanes8<float> x) {
    Lanes8<T> r;
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 8) {  // one instruction, where the compiler makes three
        r.lanes = _mm512_cvtps_pd(x.lanes);
        return r;
    }
#endif
    r.lanes = __builtin_convertvector(x.lanes, typename Lanes8<T>::Storage);
    return r;
}
template <class T> Lanes8<float> narrow(Lanes8<T> x) {
    Lanes8<float> r;
    r.lanes = __builtin_convertvector(x.lanes, typename Lanes8<float>::Storage);
    return r;
}
template <class T> Lanes8<T> load(const float* at) { return widen<T>(Lanes8<float>::load(at)); }

}  // namespace fathom::physics::rrtmgp
