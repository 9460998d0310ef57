/// The adjoint of a scheme by hand, where the scheme looks at neighbours or deserves a file of its
/// own: a specialisation, in that file, and its instance for the catalogue (by_hand_entry.hpp):
///
///   template <> struct ByHand<PressureGradient> {
///       template <class Real> static void adjoint(const PressureGradient& s, const auto& at) {
///           const auto slope = at.template adjoint<"velocity_tendency_x">();
///           const auto to_p = at.template adjoint<"pressure">();
///           to_p(east)[k] += ...
///   template struct AdjointByHand<PressureGradient>;
///
/// at.value<"x">(): values before the process ran, with those of neighbours; at.adjoint<"x">():
/// adjoints, of the column, or of a field that is read at neighbours what this column adds to
/// theirs, which is 0 at first. As of Linear (field/linear.hpp):
///   reads x       x' += (dy/dx)* y'
///   writes y      y' is used up; it is set to 0 after the adjoint has run
///   updates z     z' = (dz_after/dz_before)* z'
/// The adjoint of what no process writes, as of geometry, may be left out. `columns` of a
/// specialisation: columns of memory, at.memory(n), with one value more than there are interfaces.
#pragma once
#include "field/by_cells.hpp"
#include "field/by_hand_entry.hpp"
#include "machine/memory.hpp"

namespace fathom {

template <class Scheme> struct ByHand;

/// A coefficient from geometry; 0 where it is no finite number, as on land: nothing depends on it.
template <class Real> constexpr Real if_finite(Real x) {
    return select(abs(x) < Real(1e30), x, Real(0));
}

namespace by_hand_detail {

/// The number of the slot with which those of a field begin.
template <class Scheme> consteval int first_slot(std::size_t field) {
    int slots = 0;
    for (std::size_t n = 0; n < field; ++n)
        if (const int reach = uses<Scheme>[n].reach; reach > 0) slots += offsets(reach);
    return slots;
}
template <class Scheme> inline constexpr int all_slots = first_slot<Scheme>(uses<Scheme>.size());

/// What a column adds to the adjoints of its neighbours.
template <class Real, int reach> struct ToNeighbours {
    const OwnColumn<Real>* slots;
    constexpr const OwnColumn<Real>& operator()(Shift s) const {
        return slots[(reach - s.j) * (2 * reach + 1) + reach - s.i];
    }
    constexpr auto operator[](int k) const { return (*this)(here)[k]; }
};

template <class Scheme, class Real> struct AtPack {
    using T = typename Real::Number;
    const Raw *values, *adjoints;
    std::ptrdiff_t column;
    int count;
    T* own;
    OwnColumn<Real> slots[all_slots<Scheme> + 1];

    int levels() const { return count; }
    template <Text name> auto value() const {
        constexpr std::size_t n = linear_detail::number<Scheme>(name);
        if constexpr (uses<Scheme>[n].place == place::profile)
            return Profile<Real>(values[n], 0, count);
        else
            return In<Real, uses<Scheme>[n].reach>(values[n], column, count);
    }
    template <Text name> auto adjoint() const {
        constexpr std::size_t n = linear_detail::number<Scheme>(name);
        constexpr int reach = uses<Scheme>[n].reach;
        if constexpr (reach > 0)
            return ToNeighbours<Real, reach>{slots + first_slot<Scheme>(n)};
        else
            return OwnColumn<Real>{(T*)adjoints[n].at + column, adjoints[n].level};
    }
    /// Of several fields, each of the column.
    template <Text... names> std::array<OwnColumn<Real>, sizeof...(names)> several() const {
        return {adjoint<names>()...};
    }
    /// An argument of the kernel that stands for several fields, by the name of the first.
    template <class Bundle, Text first> Bundle bundle() const {
        return argument<Bundle>(values + linear_detail::number<Scheme>(first), int(column), 0,
                                {count});
    }
    OwnColumn<Real> memory(int n) const {
        return {own + n * (count + 2) * Real::width, Real::width};
    }

    /// Slots of constant fields lead to a value that nobody reads.
    void take_slots(const Raw* given, T* unused) {
        int s = 0;
        for (const Use& use : uses<Scheme>) {
            const int values = use.place.vertical == Vertical::column
                                   ? 1
                                   : count + (use.place.vertical == Vertical::interface);
            for (int o = 0; use.reach > 0 && o < offsets(use.reach); ++o, ++s) {
                if (!given[s].at) {
                    slots[s] = {unused, 0};
                    continue;
                }
                slots[s] = {(T*)given[s].at + column, given[s].level};
                for (int k = 0; k < values; ++k) slots[s][k] = Real(0);
            }
        }
    }
};

template <class Scheme> consteval int columns() {
    if constexpr (requires { ByHand<Scheme>::columns; })
        return ByHand<Scheme>::columns;
    else
        return 0;
}

/// change: of each field, then the slots, as of adjoint_by_cells.
template <class Scheme, class T>
[[gnu::flatten]] void run(const void* scheme, const Raw* before, const Raw*, const Raw* change,
                          const Cell* first, const Cell* last) {
    using Real = Pack<T, pack_width<T>>;
    const Scheme kernel = *static_cast<const Scheme*>(scheme);
    static thread_local LargeVector<T> memory;
    for (const Cell* cell = first; cell != last; ++cell) {
        const std::size_t size = (columns<Scheme>() * (cell->levels + 2) + 1) * Real::width;
        if (memory.size() < size) memory.resize(size);
        const std::ptrdiff_t begin = cell->column - first->column;
        for (int n = 0; n < cell_width<T>; n += Real::width) {
            AtPack<Scheme, Real> at{
                before, change, begin + n, cell->levels, memory.data() + Real::width, {}};
            at.take_slots(change + uses<Scheme>.size(), memory.data());
            ByHand<Scheme>::template adjoint<Real>(kernel, at);
            linear_detail::clear_written<Scheme>(
                linear_detail::Changes<Scheme, Real>{change, begin + n, cell->levels});
        }
    }
}

template <class Scheme, class T> std::shared_ptr<const LinearKernel> kernel() {
    LinearKernel made{nullptr, run<Scheme, T>, {}, {}};
    for (const Use& use : uses<Scheme>) {
        made.before.push_back(!use.own && use.access != Access::writes);
        made.after.push_back(false);
    }
    return std::make_shared<const LinearKernel>(made);
}

}  // namespace by_hand_detail

template <class Scheme> std::shared_ptr<const LinearKernel> AdjointByHand<Scheme>::single() {
    return by_hand_detail::kernel<Scheme, float>();
}
template <class Scheme> std::shared_ptr<const LinearKernel> AdjointByHand<Scheme>::twice() {
    return by_hand_detail::kernel<Scheme, double>();
}

}  // namespace fathom
