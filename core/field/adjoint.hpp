/// The adjoint of a scheme, from its kernel and a tape (base/taped.hpp). From the declaration
/// follows what it does with a field:
///   reads x       x' += (dy/dx)* y'
///   writes y      y' is used up: 0 afterwards
///   updates z     z' = (dz_after/dz_before)* z'
/// A scheme whose line in a catalogue is `with_adjoint<Scheme>(entry<Scheme>("Name"))` has one.
#pragma once
#include <algorithm>
#include "base/taped.hpp"
#include "field/entry.hpp"

namespace fathom {

/// At one cell: values as they were before the process ran at `at`, adjoints `apart` bytes further,
/// and as much memory beyond them for itself.
using Adjoint = void (*)(const void* scheme, const Raw* at, std::ptrdiff_t apart, const Cell&);
/// Of a process, by the function that runs its scheme; null where it has none.
inline std::map<Process::Run, Adjoint>& adjoints() {
    static std::map<Process::Run, Adjoint> all;
    return all;
}
inline Adjoint adjoint_of(const Process& p) {
    const auto it = adjoints().find(p.run);
    return it == adjoints().end() ? nullptr : it->second;
}

namespace adjoint_detail {

/// body(first number, level stride) of each level of each field that has adjoints.
template <class Scheme, class T, class Body>
void each_level(const Raw* at, int column, int levels, Body body) {
    constexpr auto& used = uses<Scheme>;
    for (std::size_t n = 0; n < used.size(); ++n) {
        if (used[n].place == place::profile) continue;
        const int count = used[n].own ? used[n].own * (levels + 1)
                          : used[n].place.vertical == Vertical::column
                              ? 1
                              : levels + (used[n].place.vertical == Vertical::interface);
        for (int k = 0; k < count; ++k) body(used[n], (T*)at[n].at + column + k * at[n].level);
    }
}

/// One column: the kernel leaves its tape, which is read backwards.
template <class Scheme, class T>
void column(const Scheme& kernel, const Raw* at, std::ptrdiff_t apart, int column, int levels) {
    auto& t = tape<T>;
    t.entries.clear();
    t.origins = 2 * apart;
    const auto adjoint_of = [&](T* p) -> T& { return *(T*)((char*)p + apart); };
    each_level<Scheme, T>(at, column, levels, [&](const Use& use, T* p) {
        *Taped<T>::origin_of(p) = use.own ? -1 : t.add(-1, T(0));
    });
    const std::size_t given = t.entries.size();
    apply<Taped<T>>(kernel, at, column, levels);
    t.adjoint.assign(t.entries.size(), T(0));
    each_level<Scheme, T>(at, column, levels, [&](const Use& use, T* p) {
        if (use.access == Access::reads || use.own) return;
        if (const auto origin = *Taped<T>::origin_of(p); origin >= 0)
            t.adjoint[origin] += adjoint_of(p);
        adjoint_of(p) = T(0);
    });
    t.sweep();
    std::size_t n = 0;
    each_level<Scheme, T>(at, column, levels, [&](const Use& use, T* p) {
        if (!use.own && n < given) adjoint_of(p) += t.adjoint[n++];
    });
}

template <class Scheme, class T>
void run(const void* scheme, const Raw* at, std::ptrdiff_t apart, const Cell& cell) {
    static_assert(std::ranges::all_of(uses<Scheme>, [](const Use& u) { return u.reach == 0; }),
                  "a scheme that looks at neighbours has no adjoint by columns");
    for (int i = 0; i < cell_width<T>; ++i)
        column<Scheme, T>(*static_cast<const Scheme*>(scheme), at, apart, i, cell.levels);
}

}  // namespace adjoint_detail

/// The entry of a scheme whose processes have an adjoint.
template <class Scheme> Entries with_adjoint(Entries entries) {
    for (auto& e : entries)
        e.make = [make = e.make](const std::map<std::string, double>& values, int precision,
                                 int width) {
            Process p = make(values, precision, width);
            adjoints()[p.run] = precision == 4 ? adjoint_detail::run<Scheme, float>
                                               : adjoint_detail::run<Scheme, double>;
            return p;
        };
    return entries;
}
template <class Scheme> Entries linear_entry(std::string name) {
    return with_adjoint<Scheme>(entry<Scheme>(std::move(name)));
}

}  // namespace fathom
