/// Semi-Lagrangian advection of fields on a device: what the processor gives it, and what can be
/// asked of it.
#pragma once
#include <span>
#include <vector>
#include "machine/device.hpp"
#include "parallel/halo/packing.hpp"
#include "parallel/halo/segments.hpp"
#include "semi_lagrangian/sphere/tiles.hpp"
#include "semi_lagrangian/stencils/in_thread.hpp"
#include "semi_lagrangian/stencils/line.hpp"
#include "semi_lagrangian/stencils/point_rows.hpp"

namespace fathom {

/// The tables of stencils/gather.hpp, for threads with one point each.
template <class T> struct PointsThere {
    using Lanes = InThread<T>;
    using Four = typename Lanes::Four;
    using Item = PointTile;
    using Row = PointRow<T>;
    static constexpr int tile = 1, fields = interleaved, beyond = beyond_pole;
    int levels, ny;
    bool full;
    std::ptrdiff_t next_row;
    T per_level_step, eta_top, rows_per_radian, row_at_equator;
    ListThere<PointBlock> blocks;
    ListThere<Row> rows;
    ListThere<Nodes<T, Four>> latitude;
    ListThere<T> row_above;
    ListThere<Interval<T, Four>> vertical;
    ListThere<int> level_of;
    T* buffer;
    constexpr T* at(const Row& r, int k, int i) const { return buffer + r.of(k, i); }
};

template <class T>
struct TravellingThere : Travelling<Gathering<PointsThere<T>>, Departing<T, ListThere>> {
    using Base = Travelling<Gathering<PointsThere<T>>, Departing<T, ListThere>>;
    using Base::Base;
    template <class Body> void each_list(const Body& body) {
        body(this->blocks), body(this->rows), body(this->latitude), body(this->row_above);
        body(this->vertical), body(this->level_of);
        body(this->departure.eta), body(this->departure.rows);
    }
};

template <class T> struct TransportPoints {
    TravellingThere<T> travelling;   ///< its lists are in memory of the processor
    std::vector<PointTile> columns;  ///< one point each, of level 0
    std::size_t numbers;             ///< of the interleaved rows, of the whole sphere
    int halo;
    SegmentsThere segments;  ///< its lists are in memory of the device
};

class TransportOnDevice {
public:
    virtual ~TransportOnDevice() = default;
    struct Wind {
        FieldSlab east, north, vertical;
    };
    /// Own points of up to four fields, or of four levels of one, next to each other.
    virtual void pack(std::span<const FieldSlab>) = 0;
    virtual void pack_levels(const FieldSlab&) = 0;
    /// There; others' points are put into it.
    virtual std::byte* buffer() const = 0;
    /// What lies beyond the ends of rows, the poles, the first and the last level.
    virtual void surround(bool vector) = 0;
    /// The mean wind of trajectories, from that at arrival and the extrapolated one that is packed.
    virtual void trace(const Wind& now) = 0;
    /// Of what is packed; wind: the first two are a vector.
    virtual void interpolate(std::span<const FieldSlab> to, bool wind, InterpolationPass) = 0;
};

}  // namespace fathom
