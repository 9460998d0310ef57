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

namespace entry_detail {

template <class Scheme> constexpr Type with_adjoint() {
    Type all = type<Scheme>;
    if constexpr (!launch::on_device) {
        all.single.adjoint = AdjointByTape<Scheme>::single;
        all.twice.adjoint = AdjointByTape<Scheme>::twice;
        if constexpr (requires { sizeof(Linear<Scheme>); }) {
            all.single.by_hand = linear_detail::kernel<Scheme, float>;
            all.twice.by_hand = linear_detail::kernel<Scheme, double>;
        }
    }
    return all;
}
template <class Scheme> inline constexpr Type linear_type = with_adjoint<Scheme>();

}  // namespace entry_detail

/// The entry of a scheme whose processes have an adjoint: by a tape, or by hand where somebody
/// wrote it.
template <class Scheme> Entries linear_entry(std::string_view name) {
    return {name, entry_detail::linear_type<Scheme>};
}
template <template <bool own> class Scheme> Entries linear_entry(std::string_view name) {
    return {name, entry_detail::linear_type<Scheme<false>>,
            entry_detail::linear_type<Scheme<true>>};
}

}  // namespace fathom

#if FATHOM_PART != 1 && !defined(__CUDACC__)
#include "field/adjoint.hpp"
#endif
