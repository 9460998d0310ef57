/// Watch: numbers that describe fields on a device (diagnostics.hpp), computed there, so that only
/// a few words are copied. For the wet columns of this rank at one place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include "parallel/halo/packing.hpp"
#include "parallel/sums/limbs.hpp"

namespace fathom {

struct WetColumns {
    struct Column {
        int block, row, column;  ///< where it is stored
        int levels, i, j;        ///< i, j: of the global grid
        double area;             ///< 1 where columns have none
    };
    int bytes, nx, ny;  ///< of a number; of the global grid
    std::vector<Column> columns;
    std::vector<double> layers;  ///< weights of the levels; empty: 1
};

class Watch {
public:
    virtual ~Watch() = default;
    /// The largest of some values, and the first place where it is, (k ny + j) nx + i; -1: no
    /// values.
    struct Peak {
        double value;
        std::int64_t place;
    };
    struct Extremes {
        Peak low, high;    ///< low: of -value
        std::int64_t bad;  ///< the first place of a value that is not finite
    };
    /// Of a field; with `largest` and `limbs` of the columns' weight x value and weight. cells: the
    /// thickness of each; null: the weights of levels.
    virtual Extremes extremes(const FieldSlab&, const FieldSlab* cells) = 0;
    struct Motion {
        Peak square, courant;
    };
    struct Spacing {
        const FieldSlab *dx, *dy;  ///< null: there is none
    };
    virtual Motion motion(const FieldSlab& u, const FieldSlab& v, Spacing, double step,
                          const FieldSlab* cells) = 0;
    enum Terms { values, weights };
    /// Of the last extremes or motion: infinite or NaN if some values are not finite.
    virtual double largest(Terms) = 0;
    virtual Limbs limbs(Terms, double coarse, double fine) = 0;

    /// The field that changes the thickness of cells; null: none.
    struct Thickness {
        const FieldSlab *cells = nullptr, *surface = nullptr, *depth = nullptr, *bottom = nullptr;
    };
    /// Of all weights x values of a field; of the weights, if null.
    virtual double largest(const FieldSlab*, const Thickness&) = 0;
    virtual Limbs limbs(const FieldSlab*, const Thickness&, double coarse, double fine) = 0;

    /// In each column: its thickness x values of a field, from the top down.
    virtual std::vector<double> column_sums(const FieldSlab&, const Thickness&) = 0;

    /// All values with their places, hashed and added up.
    virtual std::uint64_t checksum(const FieldSlab&, std::uint64_t salt) = 0;
};

/// Hash of the bits of a value at a place. -0 counts as 0: compilers differ in its sign, and may
/// remove `+ 0`.
constexpr std::uint64_t hashed(double value, std::uint64_t k, std::uint64_t j, std::uint64_t i,
                               std::uint64_t salt) {
    std::uint64_t x = std::bit_cast<std::uint64_t>(value);
    if (x << 1 == 0) x = 0;
    x ^= (k << 48) + (j << 24) + i + salt;  // splitmix64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

}  // namespace fathom
