/// Tables of the absorption of the air by correlated k (Pincus, Mlawer & Delamere 2019, J. Adv.
/// Model. Earth Syst. 11, 3074-3089): at each of the g points of a spectrum a coefficient that
/// depends on temperature, pressure and the mixture of the two key species of the band. In every
/// table g is the fastest index, so that what a vector reads lies side by side; numbers are float,
/// whatever the precision of what is computed from them. Rows end with as many spare numbers as a
/// vector may read too far.
#pragma once
#include <array>
#include <vector>
#include "base/pack.hpp"

namespace fathom::physics::rrtmgp {

/// g points that are computed at once.
inline constexpr int lanes = 8;

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
        int flavour[2];
    };
    std::vector<Band> band;
    std::vector<int> band_of;  ///< each number of a row

    std::vector<float> major;     ///< [temperature][pressure + half][eta][g], m2 mol-1
    std::vector<float> fraction;  ///< the same: part of the band's Planck function; long wave only
    /// One further absorber in one range of g points.
    struct Minor {
        int first, count, gas, scaling_gas, flavour;
        bool by_density, by_complement;
        std::size_t at;  ///< of its table [temperature][eta][count] in minor_table
    };
    std::vector<Minor> minor[2];  ///< those of one range side by side
    std::vector<float> minor_table[2];
    std::vector<float> rayleigh[2];  ///< [temperature][eta][g], m2 mol-1; short wave only

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

/// Numbers of a table as those that are computed with.
template <class T> Lanes8<T> load(const float* at) {
    typename Lanes<float, lanes>::type x;
    __builtin_memcpy(&x, at, sizeof x);
    Lanes8<T> r;
    r.lanes = __builtin_convertvector(x, typename Lanes8<T>::Storage);
    return r;
}

}  // namespace fathom::physics::rrtmgp
