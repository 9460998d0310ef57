/// Columns of the model in memory of a device: what bundles (bundled.hpp) and samples (sampled.hpp)
/// ask of it.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>
#include "parallel/halo/packing.hpp"

namespace fathom {

/// Blocks by their position in the list of the rank, rows and columns from the corner of the stored
/// block, halo included.
struct ColumnPoint {
    int block, row, column;
};

/// Some columns, copied between fields and other memory of the device.
class ColumnsOnDevice {
public:
    virtual ~ColumnsOnDevice() = default;
    /// From now on it is about these.
    virtual void choose(std::span<const ColumnPoint>) = 0;
    /// Level k of column n is number n column + k level from `at` on.
    struct Values {
        std::byte* at;
        std::size_t column, level;
    };
    virtual void take(const FieldSlab& from, int levels, const Values& to) = 0;
    virtual void give(const Values& from, int levels, const FieldSlab& to) = 0;
};

/// Columns that are interpolated from samples.
struct SamplePoints {
    struct Between {
        ColumnPoint point;
        int samples[4];  ///< of those received
        double weights[4];
    };
    std::vector<Between> between;
    std::size_t numbers;  ///< of each sample
    int bytes;            ///< of a number
};

class SamplesOnDevice {
public:
    virtual ~SamplesOnDevice() = default;
    /// A field of the model, from what was received: [sample][number].
    virtual void interpolate(const std::byte* received, std::size_t first, int levels,
                             const FieldSlab& to) = 0;
};

}  // namespace fathom
