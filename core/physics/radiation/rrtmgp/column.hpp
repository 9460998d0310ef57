/// One column of air as radiation sees it, and the memory in which its optical properties and
/// fluxes are computed. k = 0 is the uppermost layer.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include "physics/radiation/rrtmgp/k_distribution.hpp"

namespace fathom::physics::rrtmgp {

/// Numbers that begin at a line of the cache; only grows.
template <class T> class Lines {
public:
    T* operator()(std::size_t count) {
        if (count > size) {
            memory.reset(static_cast<T*>(::operator new(count * sizeof(T), alignment)));
            std::memset(memory.get(), 0, count * sizeof(T));
            size = count;
        }
        return memory.get();
    }

private:
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(T* p) const { ::operator delete(p, alignment); }
    };
    std::unique_ptr<T, Free> memory;
    std::size_t size = 0;
};

/// x where it lies in [0, most], a place in a table; 0 where it is no number, as in columns that
/// only fill a pack.
template <class T> constexpr T within(T x, T most) { return std::max(T(0), std::min(x, most)); }

enum class Overlap { homogeneous, maximum_random, exponential_random };

inline constexpr int parts_of_water = 256;  // fathom/atmosphere/radiation/variability.py

/// Numbers of layers have `layers` values, of interfaces one more.
template <class T> struct Column {
    int layers = 0;
    const T *pressure, *temperature;  ///< of layers [Pa, K]
    const T* interface_temperature;   ///< [K]
    T surface_temperature = 0, emissivity = 1;
    const T* amount;  ///< [gas][layer], 0 dry air [mol m-2]
    T zenith = 0, albedo_direct = 0, albedo_diffuse = 0, irradiance_factor = 1;

    // clouds, where `cover` is given: fraction; water within it [g m-2]; sizes [um]
    const T *cover = nullptr, *liquid_path, *ice_path, *droplet_radius, *ice_diameter;
    Overlap overlap = Overlap::exponential_random;
    T decorrelation = 2000;                ///< [m]
    std::uint64_t key = 0;                 ///< of the random numbers of this column now
    const float* water_factors = nullptr;  ///< parts_of_water, of equal probability; null: all 1

    // aerosols, where given: [species][layer] [kg m-2], relative humidity of layers
    const T *aerosol = nullptr, *humidity = nullptr;
};

/// Numbers from one layer to the next in tables of optical properties: a last vector may write
/// beyond a row.
constexpr int stride(const KDistribution& k) { return k.row + lanes; }

/// Lists of numbers one after another in memory that begins at `at`; each begins at a line of the
/// cache.
class Places {
public:
    constexpr explicit Places(std::byte* at) : at(at) {}
    template <class T> constexpr void operator()(T*& list, std::size_t count) {
        if (at) list = (T*)(at + bytes);
        bytes += (count * sizeof(T) + 63) / 64 * 64;
    }
    std::size_t bytes = 0;

private:
    std::byte* at;
};

/// Where the optical properties and fluxes of one column are computed.
template <class T> struct Work {
    T *absorption, *scattering, *asymmetry;  ///< [layer][g]: the last two times those
    float* fraction;                         ///< [layer][g] of the band's Planck function
    float *weights, *minor;                  ///< of interpolation, [flavour][layer]
    int *rows, *plane, *active;
    T* scalar;
    int* node;     ///< of interfaces, layers and the ground in the table of the Planck function
    float* above;  ///< the same: beyond it
    T *sweep, *fluxes;      ///< [layer][lane]
    std::uint8_t* touched;  ///< layers that hold more than gas

    static constexpr int per_flavour = 20, most_fluxes = 4;
    /// Begins at `at`, which may be null; returns the bytes.
    constexpr std::size_t place(std::byte* at, const KDistribution& k, int layers) {
        const std::size_t L = std::size_t(layers), P = (L + lanes - 1) / lanes * lanes,
                          all = L * std::size_t(stride(k)) + lanes, N = (L + 1) * lanes,
                          flavours = k.flavours.size();
        Places places(at);
        for (auto* list : {&absorption, &scattering, &asymmetry}) places(*list, all);
        places(fraction, k.longwave() ? all : 0);
        places(weights, flavours * per_flavour * P), places(minor, most_minor(k) * L);
        places(rows, flavours * 4 * P), places(plane, 2 * P), places(active, 3 + 4 * most_minor(k));
        places(scalar, std::max(6 * P, 3 * P + k.absorber.size() * L));
        places(node, 2 * L + 2), places(above, 2 * L + 2);
        const std::size_t ranks = 2 * std::size_t(stride(k)), bands = 3 * std::size_t(k.bands);
        places(sweep, std::max(16 * N, std::max(ranks, bands)));
        places(fluxes, most_fluxes * N), places(touched, L);
        return places.bytes;
    }
    /// Nothing scatters, at the g points from a lane on.
    constexpr void clear_scattering(const KDistribution& k, int layers, int lane) const {
        for (int l = 0; l < layers; ++l)
            for (int g = lane; g < k.row; g += lanes)
                scattering[l * stride(k) + g] = asymmetry[l * stride(k) + g] = 0;
    }
    static constexpr std::size_t most_minor(const KDistribution& k) {
        return std::max(k.minor[0].size(), k.minor[1].size());
    }
    /// Of a thread, for columns one after another.
    static Work own(const KDistribution& k, int layers) {
        static thread_local Lines<std::byte> room;
        Work work;
        work.place(room(work.place(nullptr, k, layers)), k, layers);
        return work;
    }
};

}  // namespace fathom::physics::rrtmgp
