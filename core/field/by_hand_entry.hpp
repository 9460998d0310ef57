/// Entries of schemes whose adjoint somebody wrote by hand and which is compiled in a file of its
/// own (field/by_hand.hpp): `by_hand_entry<Scheme>("Name")`. Their tangent is that of dual numbers.
#pragma once
#include "field/linear_entry.hpp"

namespace fathom {

/// In fp32 and in fp64; defined in field/by_hand.hpp.
template <class Scheme> struct AdjointByHand {
    static std::shared_ptr<const LinearKernel> single();
    static std::shared_ptr<const LinearKernel> twice();
};

namespace entry_detail {

template <class Scheme> constexpr Type with_adjoint_by_hand() {
    Type all = linear_type<Scheme>;
    if constexpr (!launch::on_device) {
        all.single.by_hand = AdjointByHand<Scheme>::single;
        all.twice.by_hand = AdjointByHand<Scheme>::twice;
    }
    return all;
}
template <class Scheme> inline constexpr Type by_hand_type = with_adjoint_by_hand<Scheme>();

}  // namespace entry_detail

template <class Scheme> Entries by_hand_entry(std::string_view name) {
    return {name, entry_detail::by_hand_type<Scheme>};
}
/// By hand for layers; in cells with thicknesses of their own by a tape.
template <template <bool own> class Scheme> Entries by_hand_entry(std::string_view name) {
    return {name, entry_detail::by_hand_type<Scheme<false>>,
            entry_detail::linear_type<Scheme<true>>};
}

}  // namespace fathom
