/// Transforms of fields on a device: what the processor gives it, and what can be asked of it.
#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include "machine/device.hpp"
#include "parallel/halo/packing.hpp"
#include "transform/fourier/there.hpp"

namespace fathom {

/// Own rows, and entries of all rows from south to north on the side of waves
/// (rows/distribution.hpp).
struct RowThere {
    int points, waves, block, place, plan;  ///< waves: the largest m
    std::ptrdiff_t index;                   ///< among the entries of an m on the side of rows
    std::size_t begin;                      ///< of its numbers among those of all rows
    double weight, cosine;                  ///< weight: of a point in a mean
};
struct EntryThere {
    int rank;
    std::ptrdiff_t index;
};
/// With Fourier transforms of several lengths.
template <class T> struct RowTables {
    int ranks;
    double radius;
    /// Of a field: entries on the side of waves, and of rows; numbers of rows.
    std::size_t of_waves, of_rows, numbers;
    std::span<const RowThere> rows;
    std::span<const EntryThere> entries;
    std::span<const PlanThere> plans;
    std::span<const PassThere> passes;
    std::span<const T> twiddles;
    std::span<const int> places;
    std::span<const std::complex<T>> turns;
    /// Of each m among those of rows; of [own wave][rank] among those of waves.
    std::span<const std::ptrdiff_t> row_side, wave_side;
    template <class Body> void each_list(const Body& body) {
        body(rows), body(entries), body(plans), body(passes), body(twiddles), body(places);
        body(turns), body(row_side), body(wave_side);
    }
};

/// Within own wavenumbers of the sphere: sums of Legendre functions (sphere/legendre.hpp).
struct WaveThere {
    int m, degrees, first_row;
    std::size_t coefficients, epsilon, strips, begin;  ///< begin: of its degrees among all
};
struct StripThere {
    int first;
    std::size_t at;
};
template <class T> struct LegendreTables {
    int truncation, padding;  ///< padding: pairs of rows before the first
    std::size_t degrees = 0;
    int most_degrees = 0;  ///< of a wave
    std::span<const WaveThere> waves;
    std::span<const StripThere> strips;
    std::span<const T> epsilon, functions;
    template <class Body> void each_list(const Body& body) {
        body(waves), body(strips), body(epsilon), body(functions);
    }
};

/// Of a plane: Fourier transforms of columns.
struct ColumnThere {
    int m, most_north;
    std::size_t coefficients;
};
template <class T> struct ColumnTables {
    int plan;  ///< of a complex transform of all rows
    std::size_t numbers;
    double length_x, length_y;
    std::span<const ColumnThere> waves;
    template <class Body> void each_list(const Body& body) { body(waves); }
};

template <class T> struct TransformTables {
    RowTables<T> rows;
    std::variant<LegendreTables<T>, ColumnTables<T>> within;
};

class TransformOnDevice {
public:
    virtual ~TransformOnDevice() = default;
    /// As in rows/row_transform.hpp, without the type of a number.
    struct Item {
        enum class Kind { scalar, gradient, wind } kind;
        void *first, *second;
        std::ptrdiff_t stride;
        const FieldSlab *field, *east, *north;
        int levels;
    };
    /// In memory of the device, so many numbers of each; of one rank, both sides are one.
    struct Entries {
        std::byte *of_waves, *of_rows;
        int numbers;
    };
    /// Coefficients -> entries -> points, and back. Between the halves of a transform entries
    /// travel from rank to rank.
    virtual Entries from_waves(std::span<const Item>) = 0;
    virtual void to_points() = 0;
    virtual Entries from_points(std::span<const Item>) = 0;
    virtual void to_waves() = 0;
};

}  // namespace fathom
