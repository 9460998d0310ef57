/// Tangent and adjoint of a scheme by hand: a specialisation next to its kernel, which takes the
/// fields it needs by their names,
///
///   template <> struct Linear<TracerPhysics> {
///       template <class Real> static void tangent(const TracerPhysics& s, auto x, auto d) {
///           const auto tendency = d.template of<"tracer_tendency">();
///
/// x: values of the state; d: their changes; in `adjoint` d holds adjoints instead. From the
/// declaration of the scheme follows what an adjoint does with a field:
///   reads x       x' += (dy/dx)* y'
///   writes y      y' is used up; it is set to 0 after the adjoint has run
///   updates z     z' = (dz_after/dz_before)* z'
/// A change of what no process writes (the orography, the Coriolis parameter) may be left out.
/// A trajectory keeps the values that both read: no second list is needed.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>
#include "field/process.hpp"

namespace fathom {

template <class Scheme> struct Linear;  ///< has `tangent` and `adjoint` where it is specialised

/// Columns [first, last) of a row; `before` and `after`: each field of the process as it is before
/// the process runs and afterwards.
struct LinearKernel {
    using Run = void (*)(const void* scheme, const Raw* before, const Raw* after, const Raw* change,
                         const Cell* first, const Cell* last);
    Run tangent, adjoint;
    std::vector<bool> before, after;  ///< which values of fields both need
};

namespace linear_detail {

template <class Scheme> consteval std::size_t number(std::string_view name) {
    for (std::size_t n = 0; n < uses<Scheme>.size(); ++n)
        if (uses<Scheme>[n].name == name) return n;
    throw "the scheme has no such field";
}
/// The requested values, field by field.
struct Asked {
    std::vector<bool> before, after;
};

/// The values of the fields of a scheme at one column or pack: the values after it for fields that
/// it writes, the values before it for all others.
template <class Scheme, class Real> struct Values {
    const Raw *earlier, *later;
    std::ptrdiff_t column;
    int count;
    Asked* asked = nullptr;

    constexpr int levels() const { return count; }
    template <Text name> constexpr auto of() const {
        constexpr std::size_t n = number<Scheme>(name);
        constexpr Use use = uses<Scheme>[n];
        if constexpr (use.place == place::profile)
            return note(&Asked::before, n), Profile<Real>(earlier[n], 0, count);
        else if constexpr (use.access == Access::writes)
            return after<name>();
        else
            return note(&Asked::before, n), In<Real>(earlier[n], column, count);
    }
    template <Text name> constexpr In<Real> after() const {
        constexpr std::size_t n = number<Scheme>(name);
        note(&Asked::after, n);
        return {later[n], column, count};
    }

private:
    constexpr void note(std::vector<bool> Asked::* which, std::size_t n) const {
        if (asked) (asked->*which)[n] = true;
    }
};
template <class Scheme, class Real> struct Changes {
    const Raw* at;
    std::ptrdiff_t column;
    int count;
    template <Text name> constexpr InOut<Real> of() const {
        return {at[number<Scheme>(name)], column, count};
    }
};

/// A pack at a time.
template <class Scheme, class T> struct Runs {
    static void tangent(const void* scheme, const Raw* before, const Raw* after, const Raw* change,
                        const Cell* first, const Cell* last);
    static void adjoint(const void* scheme, const Raw* before, const Raw* after, const Raw* change,
                        const Cell* first, const Cell* last);
};
/// Which values both ask for.
template <class Scheme> Asked asked();

#if FATHOM_PART != 2
/// body(state, changes) for each pack of the cells.
template <class Scheme, class Real, class Body>
[[gnu::always_inline]] inline void each_pack(const Raw* before, const Raw* after, const Raw* change,
                                             const Cell* first, const Cell* last,
                                             const Body& body) {
    for (const Cell* cell = first; cell != last; ++cell)
        for (std::ptrdiff_t column = cell->column - first->column,
                            end = column + cell_width<typename Real::Number>;
             column < end; column += Real::width)
            body(Values<Scheme, Real>{before, after, column, cell->levels},
                 Changes<Scheme, Real>{change, column, cell->levels});
}
/// The adjoints of what a scheme writes are used up.
template <class Scheme, class Real> void clear_written(const Changes<Scheme, Real>& d) {
    for (std::size_t n = 0; n < uses<Scheme>.size(); ++n) {
        const Use& use = uses<Scheme>[n];
        if (use.access != Access::writes || use.own) continue;
        const int values = use.place.vertical == Vertical::column
                               ? 1
                               : d.count + (use.place.vertical == Vertical::interface);
        for (int k = 0; k < values; ++k)
            Real(0).store((typename Real::Number*)d.at[n].at + d.column + k * d.at[n].level);
    }
}
template <class Scheme, class T>
[[gnu::flatten]] void Runs<Scheme, T>::tangent(const void* scheme, const Raw* before,
                                               const Raw* after, const Raw* change,
                                               const Cell* first, const Cell* last) {
    using Real = Pack<T, pack_width<T>>;
    const Scheme kernel = *static_cast<const Scheme*>(scheme);
    each_pack<Scheme, Real>(before, after, change, first, last, [&](const auto& x, const auto& d) {
        Linear<Scheme>::template tangent<Real>(kernel, x, d);
    });
}
template <class Scheme, class T>
[[gnu::flatten]] void Runs<Scheme, T>::adjoint(const void* scheme, const Raw* before,
                                               const Raw* after, const Raw* change,
                                               const Cell* first, const Cell* last) {
    using Real = Pack<T, pack_width<T>>;
    const Scheme kernel = *static_cast<const Scheme*>(scheme);
    each_pack<Scheme, Real>(before, after, change, first, last, [&](const auto& x, const auto& d) {
        Linear<Scheme>::template adjoint<Real>(kernel, x, d);
        clear_written<Scheme, Real>(d);
    });
}
#endif
#if FATHOM_PART != 1
/// Found by a run on single numbers in temporary memory.
template <class Scheme> Asked asked() {
    using Real = Pack<double, 1>;
    constexpr std::size_t number = uses<Scheme>.size();
    double nothing[64];
    std::ranges::fill(nothing, 1.0);
    const std::vector<Raw> at(number, Raw{nothing, 0, 0});
    Asked all{std::vector<bool>(number), std::vector<bool>(number)};
    const Values<Scheme, Real> x{at.data(), at.data(), 0, 1, &all};
    const Changes<Scheme, Real> d{at.data(), 0, 1};
    Linear<Scheme>::template tangent<Real>(Scheme(), x, d);
    Linear<Scheme>::template adjoint<Real>(Scheme(), x, d);
    return all;
}
#endif

template <class Scheme, class T> std::shared_ptr<const LinearKernel> kernel() {
    const Asked all = asked<Scheme>();
    return std::make_shared<const LinearKernel>(
        LinearKernel{Runs<Scheme, T>::tangent, Runs<Scheme, T>::adjoint, all.before, all.after});
}

}  // namespace linear_detail
}  // namespace fathom
