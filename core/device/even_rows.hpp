/// Rows of even spacing (semi_lagrangian/plane/even_plane.hpp) in memory of a device, and its own
/// points.
#pragma once
#include <array>
#include "device/blocks.hpp"
#include "machine/launch.hpp"
#include "semi_lagrangian/device/rows.hpp"
#include "semi_lagrangian/plane/even_plane.hpp"

namespace fathom {

/// Own points: columns side by side, level by level.
struct OwnPoints {
    const Line* columns;  ///< of level 0
    std::size_t count;
    int halo;
    constexpr Line operator[](std::size_t n) const {
        const Line& l = columns[n % count];
        return {l.b, l.r, int(n / count), l.column, l.i0, l.j, 1};
    }
    template <class Number> constexpr Number* at(const FieldAt<Number>& f, const Line& l) const {
        return &f(l.b, l.r + halo, l.column + halo, l.k);
    }
};

/// The points of rows, and what departures mark of them.
template <class T, int fields> struct RowsThere : EvenPoints<T, fields, LinesThere> {
    using EvenPoints<T, fields, LinesThere>::EvenPoints;
    SegmentsThere segments{};

    /// For `locate`: of each place, from where its stencil is marked; also(reach): what else is.
    template <class Also> constexpr auto marks(const Also& also) const {
        return [=, this](const int* column, const int* row) {
            if (segments.alone()) return;
            const Reach reach{*column, *column, *row, *row};
            this->stencils(reach, [this](int j, int first, int count) {
                segments.need(j, this->nx, first, count);
            });
            also(reach);
        };
    }
    constexpr auto marks() const {
        return marks([](const Reach&) {});
    }
};

/// A thread has a point.
template <class T, int fields> struct PackPoint {
    RowsThere<T, fields> rows;
    OwnPoints points;
    std::array<FieldAt<const T>, fields> from;
    constexpr void operator()(std::size_t n) const {
        const Line l = points[n];
        T* to = rows.at(l.j, l.k, l.i0);
        for (int f = 0; f < fields; ++f) to[f] = from[f].first ? *points.at(from[f], l) : T(0);
    }
};
/// A thread has a level of a row, from `first` on. held: where the points come from.
template <class T, int fields> struct CloseRow {
    RowsThere<T, fields> rows;
    SegmentsThere held;
    int first;
    constexpr void operator()(std::size_t n) const {
        const int levels = rows.nodes.levels(), j = first + int(n) / levels;
        if (held.holds(rows.shown(j))) rows.close(j, int(n) % levels);
    }
};
/// A thread has a point, ends included, of a row beyond the edges.
template <class T, int fields> struct FillPoint {
    RowsThere<T, fields> rows;
    constexpr void operator()(std::size_t n) const {
        const int length = rows.nx + rows.west + rows.east, levels = rows.nodes.levels(),
                  i = int(n) % length - rows.west, k = int(n) / length % levels,
                  r = int(n) / length / levels,
                  j = r < rows.beyond ? -1 - r : rows.inside.rows + r - rows.beyond;
        if (!rows.is_pole(j) && rows.segments.holds(rows.shown(j))) rows.fill(j, k, i, i + 1);
    }
};

template <class T, int fields> class RowsOnDevice final : public EvenRowsOnDevice {
public:
    RowsThere<T, fields> points;

    /// components: so many fields, the first ones, change their sign beyond a pole.
    RowsOnDevice(std::shared_ptr<Device> device, BlockTables& tables, const OwnPoints& own,
                 const EvenPlane<T>& plane, LevelNodes<T, LinesThere> nodes, int components)
        : points(plane, nodes, components),
          tables(tables),
          own(own),
          memory(std::move(device), points.numbers() * sizeof(T)) {
        points.memory = (T*)memory.at;
    }
    void pack(std::span<const FieldSlab> group) override {
        PackPoint<T, fields> kernel{points, own, {}};
        for (std::size_t f = 0; f < group.size(); ++f)
            kernel.from[f] = tables.operator()<const T>(group[f]);
        launch::each(own.count * levels(), kernel);
    }
    std::byte* buffer() const override { return memory.at; }
    void surround(const SegmentsThere& segments) override {
        points.segments = segments;
        close(0, points.inside.rows, segments);
        launch::each(
            std::size_t(2 * points.beyond) * levels() * (points.nx + points.west + points.east),
            FillPoint<T, fields>{points});
    }
    void close(int first, int rows, const SegmentsThere& held) {
        launch::each(std::size_t(rows) * levels(), CloseRow<T, fields>{points, held, first});
    }
    std::size_t levels() const { return std::size_t(points.nodes.levels()); }

private:
    BlockTables& tables;
    const OwnPoints own;
    DeviceMemory memory;
};

}  // namespace fathom
