/// Rows of even spacing (trajectory/even_plane.hpp) in memory of a device, and its own points.
#pragma once
#include <array>
#include "device/blocks.hpp"
#include "machine/launch.hpp"
#include "trajectory/even_plane.hpp"

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

/// A thread has a point.
template <class T, int fields> struct PackPoint {
    EvenPoints<T, fields, LinesThere> rows;
    OwnPoints points;
    std::array<FieldAt<const T>, fields> from;
    constexpr void operator()(std::size_t n) const {
        const Line l = points[n];
        T* to = rows.at(l.j, l.k, l.i0);
        for (int f = 0; f < fields; ++f) to[f] = from[f].first ? *points.at(from[f], l) : T(0);
    }
};
/// A thread has a level of a row, from `first` on.
template <class T, int fields> struct CloseRow {
    EvenPoints<T, fields, LinesThere> rows;
    int first;
    constexpr void operator()(std::size_t n) const {
        const int levels = rows.nodes.levels();
        rows.close(first + int(n) / levels, int(n) % levels);
    }
};
/// A thread has a point, ends included, of a row beyond the edges.
template <class T, int fields> struct FillPoint {
    EvenPoints<T, fields, LinesThere> rows;
    constexpr void operator()(std::size_t n) const {
        const int length = rows.nx + rows.west + rows.east, levels = rows.nodes.levels(),
                  i = int(n) % length - rows.west, k = int(n) / length % levels,
                  r = int(n) / length / levels,
                  j = r < rows.beyond ? -1 - r : rows.inside.rows + r - rows.beyond;
        if (!rows.is_pole(j)) rows.fill(j, k, i, i + 1);
    }
};

template <class T, int fields> class RowsOnDevice {
public:
    EvenPoints<T, fields, LinesThere> points;

    /// components: so many fields, the first ones, change their sign beyond a pole.
    RowsOnDevice(std::shared_ptr<Device> device, const EvenPlane<T>& plane,
                 LevelNodes<T, LinesThere> nodes, int components = 0)
        : points(plane, nodes, components),
          memory(std::move(device), points.numbers() * sizeof(T)) {
        points.memory = (T*)memory.at;
    }
    /// Own points, all that there are, and what lies beyond rows; null fields: 0.
    void pack(const OwnPoints& own, const std::array<FieldAt<const T>, fields>& from) {
        launch::each(own.count * levels(), PackPoint<T, fields>{points, own, from});
        close(0, points.inside.rows);
        launch::each(
            std::size_t(2 * points.beyond) * levels() * (points.nx + points.west + points.east),
            FillPoint<T, fields>{points});
    }
    void close(int first, int rows) {
        launch::each(std::size_t(rows) * levels(), CloseRow<T, fields>{points, first});
    }
    std::size_t levels() const { return std::size_t(points.nodes.levels()); }

private:
    DeviceMemory memory;
};

}  // namespace fathom
