/// Aerosols added to the gases of a column, by species and relative humidity (tables of MERRA-2;
/// Randles et al. 2017, J. Climate 30, 6823-6850), the same in all g points of a band:
///
///   tau = sum over species of M k(h),  tau w and tau w g likewise; short wave: scaled as clouds
#pragma once
#include "physics/radiation/rrtmgp/column.hpp"

namespace fathom::physics::rrtmgp {

/// Where a humidity lies in the tables: row, share of the next.
template <class T> constexpr std::pair<int, T> row_of(const KDistribution& k, T humidity) {
    const int humid = int(k.humidities.size());
    const T h = std::clamp<T>(humidity, 0, 1);
    int row = 0;
    while (row < humid - 2 && h > T(k.humidities[row + 1])) ++row;
    const T share = std::clamp<T>(
        (h - T(k.humidities[row])) / T(k.humidities[row + 1] - k.humidities[row]), 0, 1);
    return {row, share};
}

/// Of a species in a band [m2 kg-1].
template <class T> T extinction(const KDistribution& k, int species, T humidity, int band) {
    const auto [row, share] = row_of(k, humidity);
    const float* const dry =
        &k.aerosol[(std::size_t(species) * k.humidities.size() + std::size_t(row)) * 3 *
                       std::size_t(k.bands) +
                   std::size_t(band)];
    return dry[0] + share * (T(dry[3 * k.bands]) - dry[0]);
}

template <class T> class Aerosols {
public:
    Aerosols(const KDistribution& k, const Column<T>& c, const Work<T>& work)
        : k(k), c(c), L(c.layers), S(stride(k)) {
        absorption = work.absorption, scattering = work.scattering, asymmetry = work.asymmetry;
        sums = work.sweep, touched = work.touched;
    }
    void add(bool scaled, bool scatters) {
        for (int l = 0; l < L; ++l) {
            if (!bands(l)) continue;
            if (scatters && !touched[l])
                std::fill(asymmetry + l * S, asymmetry + l * S + k.row, T(0));
            touched[l] = 1;
            for (int b = 0; b < k.bands; ++b) spread(l, b, scaled, scatters);
        }
    }

private:
    const KDistribution& k;
    const Column<T>& c;
    const int L, S;
    T *absorption, *scattering, *asymmetry, *sums;  // sums: tau, tau w, tau w g of each band
    std::uint8_t* touched;

    /// Whether there is any; its optics, by band.
    bool bands(int l) {
        std::fill(sums, sums + 3 * k.bands, T(0));
        const int humid = int(k.humidities.size());
        const auto [row, share] = row_of(k, c.humidity[l]);
        bool any = false;
        for (int s = 0; s < k.aerosols; ++s) {
            const T mass = c.aerosol[std::size_t(s) * L + l];
            if (!(mass > 0)) continue;
            any = true;
            const float* const dry = &k.aerosol[(std::size_t(s) * humid + row) * 3 * k.bands];
            const float* const wet = dry + 3 * k.bands;
            const auto of = [&](int n, int b) {
                const T low = dry[n * k.bands + b];
                return low + share * (T(wet[n * k.bands + b]) - low);
            };
            for (int b = 0; b < k.bands; ++b) {
                const T tau = mass * of(0, b), scattered = tau * of(1, b);
                sums[b] += tau;
                sums[k.bands + b] += scattered;
                sums[2 * k.bands + b] += scattered * of(2, b);
            }
        }
        return any;
    }
    void spread(int l, int b, bool scaled, bool scatters) {
        const T tau = sums[b];
        T scattered = sums[k.bands + b], forward = sums[2 * k.bands + b];
        const T absorbed = tau - scattered;
        if (scaled && scattered > 0) {
            const T g = forward / scattered, f = g * g;
            forward -= f * scattered;
            scattered -= f * scattered;
        }
        for (int g = k.band[b].first; g < k.band[b].last; ++g) {
            const std::size_t at = std::size_t(l) * S + g;
            absorption[at] += absorbed;
            if (!scatters) continue;
            scattering[at] += scattered;
            asymmetry[at] += forward;
        }
    }
};

}  // namespace fathom::physics::rrtmgp
