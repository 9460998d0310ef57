/// One column of air as radiation sees it, and the memory in which its optical properties and
/// fluxes are computed. k = 0 is the uppermost layer.
#pragma once
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

enum class Overlap { homogeneous, maximum_random, exponential_random };

inline constexpr int parts_of_water = 256;  // fathom/radiation/variability.py

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

/// Memory of one thread, for columns one after another.
template <class T> struct Work {
    Lines<T> absorption, scattering, asymmetry;  // [layer][g]: the last two times those
    Lines<float> fraction;                       // [layer][g]
    Lines<float> weights, minor;                 // of interpolation, [flavour][layer]
    Lines<int> rows, plane;
    Lines<T> sweep, fluxes, scalar;
    Lines<int> index;
    /// Of a thread.
    static Work& own() {
        static thread_local Work work;
        return work;
    }
};

/// Numbers from one layer to the next in tables of optical properties: a last vector may write
/// beyond a row.
inline int stride(const KDistribution& k) { return k.row + lanes; }

}  // namespace fathom::physics::rrtmgp
