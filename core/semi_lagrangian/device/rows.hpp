/// Rows of even spacing (plane/even_rows.hpp) in memory of a device: what can be asked of them.
#pragma once
#include <cstddef>
#include <span>
#include "parallel/halo/packing.hpp"
#include "parallel/halo/segments.hpp"

namespace fathom {

class EvenRowsOnDevice {
public:
    virtual ~EvenRowsOnDevice() = default;
    /// Own points; of fewer fields the others are 0.
    virtual void pack(std::span<const FieldSlab>) = 0;
    /// Laid out as the rows of the processor; others' points are put into it.
    virtual std::byte* buffer() const = 0;
    /// The ends of rows and the rows beyond the edges, of rows that are held. Departures then mark
    /// these segments.
    virtual void surround(const SegmentsThere&) = 0;
};

}  // namespace fathom
