/// Frazil ice that is too thick spreads outward: the part of a slab above a thickness H
/// moves to neighbours with less, until it reaches water where it melts,
///
///   dE/dt = div D grad max(E - rho_i L H, 0)      E = frazil_heat
///
/// through the faces between wet cells. Heat, and the salt that the ice left behind
/// (FreezingLimit), are conserved. In a step a face transmits at most an eighth of the difference.
#pragma once
#include "base/constants.hpp"
#include "field/process.hpp"

namespace fathom::physics {

struct FrazilExport {
    double step = 3600, thickest = 5, diffusivity = 1e5;
    static constexpr std::string_view summary =
        "Frazil ice thicker than a limit spreads to places where it melts";
    static constexpr std::tuple parameters{
        Parameter{"step", &FrazilExport::step, "s", 0, 1e6, "time step"},
        Parameter{"thickest", &FrazilExport::thickest, "m", 0.1, 1e6,
                  "thickness above which ice spreads"},
        Parameter{"diffusivity", &FrazilExport::diffusivity, "m2 s-1", 0, 1e9,
                  "diffusivity of the ice above that thickness"}};

    template <class Real>
    constexpr void operator()(
        Reads<Real, "frazil_heat", place::center_column, "J m-2", 1> frazil,
        Reads<Real, "wet_levels", place::center_column, "1", 1> wet,
        Reads<Real, "area_center", place::center_column, "m2", 1> area,
        Reads<Real, "length_north_face", place::north_face_column, "m", 1> length_north,
        Reads<Real, "dy_north_face", place::north_face_column, "m", 1> distance_north,
        Reads<Real, "length_east_face", place::east_face_column, "m", 1> length_east,
        Reads<Real, "dx_east_face", place::east_face_column, "m", 1> distance_east,
        Writes<Real, "frazil_gain", place::center_column, "J m-2"> gain) const {
        const double most = constants::ice_density * constants::fusion_heat * thickest;
        const Real zero(0), A = area[0];
        const auto above = [&](Shift s) { return larger(frazil(s)[0] - most, zero); };
        const Real own = above(here);
        const auto from = [&](Shift s, Real length, Real distance) {
            const Real through = smaller((step * diffusivity) * length / distance,
                                         0.125 * smaller(A, Real(area(s)[0])));
            return select(wet(s)[0] > 0, through * (above(s) - own), zero);
        };
        const Real along_x = from(east, length_east[0], distance_east[0]) +
                             from(-east, length_east(-east)[0], distance_east(-east)[0]),
                   along_y = from(north, length_north[0], distance_north[0]) +
                             from(-north, length_north(-north)[0], distance_north(-north)[0]);
        gain[0] = select(wet[0] > 0, (along_x + along_y) / A, zero);
    }
};

}  // namespace fathom::physics
