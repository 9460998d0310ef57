/// Stretching of the sphere by c >= 1 (Schmidt 1977, Beitr. Phys. Atmosph. 50; Courtier & Geleyn
/// 1988, Q. J. R. Meteorol. Soc. 114): grid and spherical harmonics are uniform on a computational
/// sphere, a conformal image of the real one. With mu' the sine of latitude there,
///   mu = (b + a mu') / m,     cos phi = cos phi' / m,     m = a + b mu',
///   a = (c^2 + 1) / 2c,     b = (c^2 - 1) / 2c
/// on the real sphere, with the same longitudes. Lengths on the computational sphere are m times
/// the real ones: c at the pole of stretching, 1 / c opposite. So real gradients are m, real
/// divergence and vorticity of v are m^2 times those of the computational sphere, of v / m there;
/// an area is 1 / m^2.
#pragma once

namespace fathom {

struct Stretching {
    double a = 1, b = 0;
    constexpr Stretching() = default;
    explicit Stretching(double c) : a((c * c + 1) / (2 * c)), b((c * c - 1) / (2 * c)) {}
    constexpr explicit operator bool() const { return b != 0; }  ///< whether there is any
    constexpr double map_factor(double sine) const { return a + b * sine; }
    constexpr double sine(double sine) const { return (b + a * sine) / (a + b * sine); }
};

}  // namespace fathom
