/// Samples of columns in memory of a device, and the columns interpolated from them: what Sampled
/// asks of it. Samples are numbered as they are given, whole cells of them; a field of samples lies
/// level after level.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>
#include "parallel/travel/packing.hpp"

namespace fathom {

struct SamplePoints {
    /// Blocks by their position in the list of the rank, rows and columns from the corner of the
    /// stored block, halo included.
    struct Point {
        int block, row, column;
    };
    struct Between {
        Point point;
        int samples[4];  ///< of those received
        double weights[4];
    };
    std::vector<Point> samples;
    std::vector<int> asked;  ///< samples that are given away, in their order
    std::vector<Between> between;
    std::size_t numbers;  ///< given for each sample
    int bytes;            ///< of a number
};

class SamplesOnDevice {
public:
    virtual ~SamplesOnDevice() = default;
    /// Of a field of the model.
    virtual void take(const FieldSlab&, int levels, std::byte* to) = 0;
    /// Of a field of samples, its numbers from `first` on of each that is asked for:
    /// to[sample][number].
    virtual void ask(const std::byte* from, int levels, std::size_t first, std::byte* to) = 0;
    /// The columns of a field of the model, from what was received: [sample][number].
    virtual void interpolate(const std::byte* received, std::size_t first, int levels,
                             const FieldSlab& to) = 0;
};

}  // namespace fathom
