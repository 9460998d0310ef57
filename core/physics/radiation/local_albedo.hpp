/// Net short wave of a column that was interpolated from others, corrected for its own albedo:
///
///   up = D - s_n,   D_b = D - R up,   up' = a D_b / (1 - a R),   s_k -= r_k (up' - up)
///
/// s is the net flux per insolation, n the interface at the ground, D the flux down at the ground,
/// a the albedo of this ground. r_k is the net part of the flux up from the ground that passes
/// interface k, R = 1 - r_n the part that the air reflects, D_b the flux down over black ground.
/// The air absorbs less or more of the reflected light, and fluxes stay consistent. After the
/// approximate updates of Hogan & Bozzo (2015, J. Adv. Model. Earth Syst. 7, 836-853); that of the
/// long wave is in heating.hpp.
#pragma once
#include "field/process.hpp"

namespace fathom::physics {

struct LocalAlbedo {
    static constexpr std::string_view summary =
        "Interpolated short wave, adapted to the albedo of this column";

    template <class Real>
    constexpr void operator()(
        Reads<Real, "albedo", place::center_column, "1"> albedo,
        Reads<Real, "surface_downward_share", place::center_column, "1"> downward,
        Reads<Real, "reflection_share", place::center_interface, "1"> reflection,
        Updates<Real, "shortwave_share", place::center_interface, "1"> share) const {
        const int ground = share.levels();
        const Real D = downward[0], net = share[ground], up = D - net, own = albedo[0],
                   R = 1 - reflection[ground], black = D - R * up,
                   more = own * black / larger(1 - own * R, 1e-3) - up;
        for (int k = 0; k <= ground; ++k) share[k] -= reflection[k] * more;
    }
};

}  // namespace fathom::physics
