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
/// Of a process, by the function that runs its scheme; null where nothing is by hand.
inline std::map<Process::Run, LinearKernel>& linear_kernels() {
    static std::map<Process::Run, LinearKernel> all;
    return all;
}
inline const LinearKernel* linear_kernel_of(const Process& p) {
    const auto it = linear_kernels().find(p.run);
    return it == linear_kernels().end() ? nullptr : &it->second;
}

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

/// Both, with the values that they ask for.
template <class Scheme, class T> LinearKernel kernel();

#if FATHOM_PART != 2
template <class Scheme, class T, bool adjoint>
[[gnu::flatten]] void run(const void* scheme, const Raw* before, const Raw* after,
                          const Raw* change, const Cell* first, const Cell* last) {
    using Real = Pack<T, cell_width<T>>;
    const Scheme kernel = *static_cast<const Scheme*>(scheme);
    for (const Cell* cell = first; cell != last; ++cell) {
        const std::ptrdiff_t column = cell->column - first->column;
        const Values<Scheme, Real> x{before, after, column, cell->levels};
        const Changes<Scheme, Real> d{change, column, cell->levels};
        if constexpr (!adjoint) {
            Linear<Scheme>::template tangent<Real>(kernel, x, d);
            continue;
        }
        Linear<Scheme>::template adjoint<Real>(kernel, x, d);
        for (std::size_t n = 0; n < uses<Scheme>.size(); ++n) {
            const Use& use = uses<Scheme>[n];
            if (use.access != Access::writes || use.own) continue;
            const int values = use.place.vertical == Vertical::column
                                   ? 1
                                   : cell->levels + (use.place.vertical == Vertical::interface);
            for (int k = 0; k < values; ++k)
                Real(T(0)).store((T*)change[n].at + column + k * change[n].level);
        }
    }
}

/// The values asked for are found by a run in temporary memory.
template <class Scheme, class T> LinearKernel kernel() {
    using Real = Pack<T, cell_width<T>>;
    constexpr std::size_t number = uses<Scheme>.size();
    alignas(64) T nothing[64];
    std::ranges::fill(nothing, T(1));
    const std::vector<Raw> at(number, Raw{nothing, 0, 0});
    Asked asked{std::vector<bool>(number), std::vector<bool>(number)};
    const Values<Scheme, Real> x{at.data(), at.data(), 0, 1, &asked};
    const Changes<Scheme, Real> d{at.data(), 0, 1};
    Linear<Scheme>::template tangent<Real>(Scheme(), x, d);
    Linear<Scheme>::template adjoint<Real>(Scheme(), x, d);
    return {run<Scheme, T, false>, run<Scheme, T, true>, asked.before, asked.after};
}
#endif

}  // namespace linear_detail
}  // namespace fathom
