/// The adjoint of a scheme, from its kernel and a tape (base/taped.hpp). The declaration of a
/// field says how its adjoint changes:
///   reads x       x' += (dy/dx)* y'
///   writes y      y' is used, then set to 0
///   updates z     z' = (dz_after/dz_before)* z'
/// A scheme whose line in a catalogue is `with_adjoint<Scheme>(entry<Scheme>("Name"))` has one.
#pragma once
#include <algorithm>
#include "base/taped.hpp"
#include "field/entry.hpp"
#include "field/linear.hpp"

namespace fathom {

/// At one cell: values as they were before the process ran at `at`, adjoints `apart` bytes after
/// them, then an equal amount of memory for the function itself.
using Adjoint = void (*)(const void* scheme, const Raw* at, std::ptrdiff_t apart, const Cell&);
/// The function that runs the adjoint of a process's scheme; null where it has none.
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
template <class Scheme, class T, class Body> void each_level(const Raw* at, int levels, Body body) {
    constexpr auto& used = uses<Scheme>;
    for (std::size_t n = 0; n < used.size(); ++n) {
        if (used[n].place == place::profile) continue;
        const int count = used[n].own ? used[n].own * (levels + 1)
                          : used[n].place.vertical == Vertical::column
                              ? 1
                              : levels + (used[n].place.vertical == Vertical::interface);
        for (int k = 0; k < count; ++k) body(used[n], (T*)at[n].at + k * at[n].level);
    }
}

/// One cell: the kernel writes its tape, which is read backwards.
template <class Scheme, class T>
void run(const void* scheme, const Raw* at, std::ptrdiff_t apart, const Cell& cell);
#if FATHOM_PART != 1
template <class Scheme, class T>
void run(const void* scheme, const Raw* at, std::ptrdiff_t apart, const Cell& cell) {
    static_assert(std::ranges::all_of(uses<Scheme>, [](const Use& u) { return u.reach == 0; }),
                  "a scheme that looks at neighbours has no adjoint by columns");
    using Lanes = typename Tape<T>::Lanes;
    static thread_local Tape<T> own;
    Tape<T>& t = own;
    tape<T> = &own;
    t.count = 0, t.origins = 2 * apart;
    const auto adjoint_of = [&](T* p) { return (T*)((char*)p + apart); };
    each_level<Scheme, T>(at, cell.levels, [&](const Use& use, T* p) {
        *Taped<T>::origin_of(p) = use.own ? -1 : t.add_given();
    });
    apply<Taped<T>>(*static_cast<const Scheme*>(scheme), at, 0, 0, {cell.levels});
    t.adjoint.assign(t.count, Lanes(T(0)));
    each_level<Scheme, T>(at, cell.levels, [&](const Use& use, T* p) {
        if (use.access == Access::reads || use.own) return;
        if (const auto origin = *Taped<T>::origin_of(p); origin >= 0)
            t.adjoint[origin] += Lanes::load(adjoint_of(p));
        Lanes(T(0)).store(adjoint_of(p));
    });
    t.sweep();
    int n = 0;
    each_level<Scheme, T>(at, cell.levels, [&](const Use& use, T* p) {
        if (!use.own) (Lanes::load(adjoint_of(p)) + t.adjoint[n++]).store(adjoint_of(p));
    });
}
#endif

}  // namespace adjoint_detail

/// The entry of a scheme whose processes have an adjoint: by a tape, or by hand where somebody
/// wrote it.
template <class Scheme> Entries with_adjoint(Entries entries) {
    if constexpr (!launch::on_device)
        for (auto& e : entries)
            e.make = [make = e.make](const std::map<std::string, double>& values, int precision,
                                     int width) {
                Process p = make(values, precision, width);
                adjoints()[p.run] = precision == 4 ? adjoint_detail::run<Scheme, float>
                                                   : adjoint_detail::run<Scheme, double>;
                if constexpr (requires { sizeof(Linear<Scheme>); })
                    linear_kernels()[p.run] = precision == 4
                                                  ? linear_detail::kernel<Scheme, float>()
                                                  : linear_detail::kernel<Scheme, double>();
                return p;
            };
    return entries;
}
template <class Scheme> Entries linear_entry(std::string name) {
    return with_adjoint<Scheme>(entry<Scheme>(std::move(name)));
}

}  // namespace fathom
