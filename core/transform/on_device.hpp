/// Transforms on the sphere of fields on a device, of one rank: what the processor gives it, and
/// what can be asked of it.
#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include "machine/device.hpp"
#include "parallel/travel/packing.hpp"

namespace fathom {

/// Lists of transforms: rows from south to north, zonal wavenumbers, Fourier transforms of a
/// length, Legendre functions (sphere/legendre.hpp).
struct RowThere {
    int points, waves, block, place, plan;  ///< waves: the largest m
    std::ptrdiff_t index;                   ///< among the entries of an m
    std::size_t begin;                      ///< of its numbers among those of all rows
    double weight, cosine;                  ///< weight: of a point in a mean
};
struct WaveThere {
    int m, degrees, first_row;
    std::size_t coefficients, epsilon, strips, begin;  ///< begin: of its degrees among all
};
struct PlanThere {
    int half, passes;
    std::size_t first_pass, twiddles, places;  ///< places: of half numbers, and turns of one more
    std::size_t turns;
};
struct PassThere {
    int radix, stride;
    std::size_t twiddle;
};
struct StripThere {
    int first;
    std::size_t at;
};
template <class T> struct TransformTables {
    int truncation, padding;  ///< padding: pairs of rows before the first
    double radius;
    std::size_t entries, numbers, degrees;  ///< of a field: entries; numbers of rows; degrees
    std::span<const RowThere> rows;
    std::span<const WaveThere> waves;
    std::span<const PlanThere> plans;
    std::span<const PassThere> passes;
    std::span<const StripThere> strips;
    std::span<const T> twiddles, epsilon, functions;
    std::span<const int> places;
    std::span<const std::complex<T>> turns;
    std::span<const std::ptrdiff_t> first_entry;  ///< of each m
    template <class Body> void each_list(const Body& body) {
        body(rows), body(waves), body(plans), body(passes), body(strips), body(twiddles);
        body(epsilon), body(functions), body(places), body(turns), body(first_entry);
    }
};

class TransformOnDevice {
public:
    virtual ~TransformOnDevice() = default;
    /// As in rows/row_transform.hpp; coefficients in memory of the device.
    struct Item {
        enum class Kind { scalar, gradient, wind } kind;
        void *first, *second;
        std::ptrdiff_t stride;
        const FieldSlab *field, *east, *north;
        int levels;
    };
    virtual void inverse(std::span<const Item>) = 0;
    virtual void direct(std::span<const Item>) = 0;
};

}  // namespace fathom
