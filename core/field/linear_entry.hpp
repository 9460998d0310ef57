/// Entries of schemes whose processes have an adjoint: from their kernels and tapes, or by hand.
/// One word at the line of a catalogue, `linear_entry<Scheme>("Name")`, gives a scheme its adjoint.
/// The functions that run tapes are compiled apart from the kernels on packs (field/process.hpp).
#pragma once
#include "field/entry.hpp"
#include "field/linear.hpp"

namespace fathom {

/// In fp32 and in fp64; defined in field/adjoint.hpp.
template <class Scheme> struct AdjointByTape {
    static void single(const void* scheme, const Raw* at, const Raw* slots, std::ptrdiff_t apart,
                       const Cell&);
    static void twice(const void* scheme, const Raw* at, const Raw* slots, std::ptrdiff_t apart,
                      const Cell&);
};

template <class Scheme> Entry with_adjoint(Entry e) {
    if constexpr (!launch::on_device)
        e.make = [make = e.make](const std::map<std::string, double>& values, int precision,
                                 int width) {
            Process p = make(values, precision, width);
            p.adjoint =
                precision == 4 ? AdjointByTape<Scheme>::single : AdjointByTape<Scheme>::twice;
            if constexpr (requires { sizeof(Linear<Scheme>); })
                p.by_hand = precision == 4 ? linear_detail::kernel<Scheme, float>()
                                           : linear_detail::kernel<Scheme, double>();
            return p;
        };
    return e;
}
/// The entry of a scheme whose processes have an adjoint: by a tape, or by hand where somebody
/// wrote it.
template <class Scheme> Entries with_adjoint(Entries entries) {
    for (auto& e : entries) e = with_adjoint<Scheme>(Entry(e));
    return entries;
}
template <class Scheme> Entries linear_entry(std::string name) {
    return with_adjoint<Scheme>(one_entry<Scheme>(std::move(name)));
}
template <template <bool own> class Scheme> Entries linear_entry(std::string name) {
    const Entries both = entry<Scheme>(std::move(name));
    return {with_adjoint<Scheme<false>>(both[0]), with_adjoint<Scheme<true>>(both[1])};
}

}  // namespace fathom

#if FATHOM_PART != 1 && !defined(__CUDACC__)
#include "field/adjoint.hpp"
#endif
