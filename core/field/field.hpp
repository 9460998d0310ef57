/// What a kernel gets of a field (In, Out, InOut, Profile): one column and its neighbours; and
/// the same as a declaration (Reads, Writes, Updates, ReadsProfile), whose type says name, place,
/// units and reach (Use). k = 0 is the top of the column and grows downward; layers have n values,
/// interfaces n + 1.
#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include "base/pack.hpp"
#include "grid/place.hpp"
#include "machine/launch.hpp"

namespace fathom {

enum class Access { reads, writes, updates };
struct Use {
    std::string_view name;
    Place place;
    std::string_view units;
    Access access;
    /// How many columns away, in any direction, the process looks.
    int reach;
    /// Columns of memory for the kernel alone; no other process sees them.
    int own = 0;
};
/// For `fields` of a global process, which has no kernel with arguments to declare them.
consteval Use reads(std::string_view name, Place place, std::string_view units, int reach = 0) {
    return {name, place, units, Access::reads, reach};
}
consteval Use writes(std::string_view name, Place place, std::string_view units) {
    return {name, place, units, Access::writes, 0};
}
consteval Use updates(std::string_view name, Place place, std::string_view units) {
    return {name, place, units, Access::updates, 0};
}

struct Shift {
    int i, j;
};  // T(2 * east)[k], T(-north)[k]
inline constexpr Shift here{0, 0}, east{1, 0}, north{0, 1}, northeast{1, 1}, northwest{-1, 1};
constexpr Shift operator*(int n, Shift s) { return {n * s.i, n * s.j}; }
constexpr Shift operator-(Shift s) { return {-s.i, -s.j}; }
constexpr Shift operator+(Shift a, Shift b) { return {a.i + b.i, a.j + b.j}; }

/// A field at one column (or pack): at[k level + j row + i]. Strides are run-time values: 0 where
/// all rows share values. streams: values are written past the caches, which would have lost them
/// before they are read.
struct Raw {
    void* at;
    std::ptrdiff_t level, row;
    bool streams = false;
};

template <class Real, Access access> struct Location {  // one value in memory
    typename Real::Number* at;
    bool streams;
    constexpr operator Real() const requires(access != Access::writes)
    {
        return Real::load(at);
    }
    constexpr void operator=(Real x) const {
        if (access == Access::writes && streams)
            x.stream(at);
        else
            x.store(at);
    }
    constexpr void operator+=(Real x) const requires(access == Access::updates)
    {
        (Real::load(at) + x).store(at);
    }
    constexpr void operator-=(Real x) const requires(access == Access::updates)
    {
        (Real::load(at) - x).store(at);
    }
};
/// Distances in numbers. A GPU adds short ones to an address in one instruction, and keeps them in
/// one register; long ones need two.
using Distance = std::conditional_t<launch::on_device, int, std::ptrdiff_t>;

template <class Real, Access access, int reach> struct ColumnView {
    using Number = typename Real::Number;
    Number* at;
    Distance column, level, row;
    int count;
    bool streams;
    constexpr ColumnView(Raw raw, std::ptrdiff_t offset, int count)
        : at((Number*)raw.at),
          column(Distance(offset)),
          level(Distance(raw.level)),
          row(Distance(raw.row)),
          count(count),
          streams(raw.streams) {}
    constexpr int levels() const { return count; }  // wet levels of the deepest column of the pack
    /// Reading gives the number only, which cannot be assigned to.
    using Value = std::conditional_t<access == Access::reads, const Real, Location<Real, access>>;
    constexpr Value operator[](int k) const {
        Number* const there = at + (column + k * level);
        // a column is one cache line per level, at strides that no hardware prefetcher follows:
        // fetch the next cell's line now
        if constexpr (Real::width > 1 && access != Access::writes)
            __builtin_prefetch(there + 2 * Real::width, access != Access::reads, 2);
        if constexpr (access == Access::reads && launch::on_device)
            return Real(launch::unchanging(there));
        else if constexpr (access == Access::reads)
            return Real::load(there);
        else
            return {there, streams};
    }
    constexpr ColumnView operator()(Shift s) const requires(reach > 0)
    {  // the neighbour's column
        assert(s.i <= reach && -s.i <= reach && s.j <= reach && -s.j <= reach);
        ColumnView there = *this;
        there.column += s.j * row + s.i;
        return there;
    }
};
template <class Real, int reach = 0> using In = ColumnView<Real, Access::reads, reach>;
template <class Real>
using Out =
    ColumnView<Real, Access::writes, 0>;  // cannot be read: a forgotten Reads does not compile
template <class Real> using InOut = ColumnView<Real, Access::updates, 0>;
template <class Real>
struct Profile {  // layer thickness, weights of time levels: the same in all columns
    const typename Real::Number* at;
    constexpr Profile(Raw raw, std::ptrdiff_t, int) : at((const typename Real::Number*)raw.at) {}
    constexpr typename Real::Number operator[](int k) const {
        if constexpr (launch::on_device)
            return launch::unchanging(at + k);
        else
            return at[k];
    }  // a number: terms that depend on k alone are computed once per pack
};

/// A string literal as an argument of a template.
template <std::size_t n> struct Text {
    char letters[n];
    consteval Text(const char (&literal)[n]) { std::copy_n(literal, n, letters); }
    constexpr operator std::string_view() const { return {letters, n - 1}; }
};

/// Arguments of a kernel: the field's name, place and units are part of the type, so that no second
/// list has to match.
///     Reads<Real, "coriolis", place::center_column, "s-1", 1> coriolis      reach 1
template <class Real, Text name, Place place, Text units, int reach = 0>
struct Reads : In<Real, reach> {
    using In<Real, reach>::ColumnView;
    static constexpr Use use{name, place, units, Access::reads, reach};
};
template <class Real, Text name, Place place, Text units> struct Writes : Out<Real> {
    using Out<Real>::ColumnView;
    static constexpr Use use{name, place, units, Access::writes, 0};
};
template <class Real, Text name, Place place, Text units> struct Updates : InOut<Real> {
    using InOut<Real>::ColumnView;
    static constexpr Use use{name, place, units, Access::updates, 0};
};
/// One column of memory for the kernel alone.
template <class Real> struct OwnColumn {
    typename Real::Number* at;
    std::ptrdiff_t level;
    constexpr Location<Real, Access::updates> operator[](int k) const {
        return {at + k * level, false};
    }
};
/// Memory for the kernel alone: `number` columns, each with one value more than there are levels,
/// written before they are read. A kernel has no arrays on the stack: a GPU would keep them in its
/// slowest memory.
///     const auto [factor, solved] = own.columns();
template <class Real, Text name, int number> struct Keeps {
    OwnColumn<Real> first;
    int count;
    constexpr Keeps(Raw raw, std::ptrdiff_t column, int levels)
        : first{(typename Real::Number*)raw.at +
                    launch::own_column<cell_width<typename Real::Number>>(column),
                raw.level},
          count(levels) {}
    constexpr std::array<OwnColumn<Real>, number> columns() const {
        std::array<OwnColumn<Real>, number> all{};
        for (int n = 0; n < number; ++n)
            all[n] = {first.at + n * (count + 1) * first.level, first.level};
        return all;
    }
    static constexpr Use use{name, place::center_interface, "1", Access::writes, 0, number};
};
template <class Real, Text name, Text units> struct ReadsProfile : Profile<Real> {
    using Profile<Real>::Profile;
    static constexpr Use use{name, place::profile, units, Access::reads, 0};
};

}  // namespace fathom
