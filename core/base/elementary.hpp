/// Elementary functions of packs: a reduction of the argument, a polynomial, no branch and no
/// table; a single number is computed by the same steps as a pack.
///
///   exp x = 2^n exp r,        n = round(x / ln 2),          |r| <= ln 2 / 2
///   log x = e ln 2 + log m,   x = 2^e m,                    sqrt(1/2) <= m < sqrt(2),
///       log m = 2 artanh s,  s = (m - 1) / (m + 1)
///   sin, cos x: of r rotated by n quarter turns, n = round(2 x / pi), |r| <= pi / 4
///   atan x = A + atan t: |x| <= tan(pi / 8): A = 0, t = x;  up to tan(3 pi / 8): A = pi / 4,
///       t = (x - 1) / (x + 1);  beyond: A = pi / 2, t = -1 / x
///   x^y = exp(y log x)
///
/// Errors in units of the last place: exp, log 1; sin, cos 1.6 while |x| < 1e5, and more beyond;
/// atan 2.5; x^y at most 1 + 2.7 |y log x|. exp overflows to inf and underflows through the
/// denormal numbers to 0. log of a denormal number is right, of 0 is -inf, of x < 0 NaN. x^y needs
/// x > 0, or x = 0 and y > 0. NaN gives NaN, and inf its limit. Polynomials of exp: Chebyshev
/// nodes; of the others: fdlibm (Sun 1993).
#pragma once
#include <limits>
#include <utility>
#include "base/pack.hpp"

namespace fathom {

namespace elementary_detail {
template <class T> struct Format;
template <> struct Format<double> {
    using Bits = std::uint64_t;
    static constexpr int fraction = 52, bias = 1023;
    static constexpr double round = 0x1.8p52, least_exp = -746, most_exp = 710,
                            ln2 = 0x1.62e42fefa39efp-1, ln2_rest = 0x1.abc9e3b39803fp-56;
    static constexpr double quarter[3] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                          -0x1.f1976b7ed8fbcp-110};  // pi / 2
};
template <> struct Format<float> {
    using Bits = std::uint32_t;
    static constexpr int fraction = 23, bias = 127;
    static constexpr float round = 0x1.8p23f, least_exp = -105, most_exp = 89, ln2 = 0x1.62e43p-1f,
                           ln2_rest = -0x1.05c61p-29f;
    static constexpr float quarter[3] = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
};
template <class T, int width> using Bits = typename Lanes<typename Format<T>::Bits, width>::type;
template <class T, int width> constexpr Bits<T, width> bits(Pack<T, width> x) {
    return std::bit_cast<Bits<T, width>>(x.lanes);
}
template <class T, int width> constexpr Pack<T, width> from_bits(Bits<T, width> b) {
    Pack<T, width> x;
    x.lanes = std::bit_cast<decltype(x.lanes)>(b);
    return x;
}

/// The nearest whole number n and, in the low bits, n as an integer: the result of adding 1.5 2^52.
template <class T, int width> struct Whole {
    Bits<T, width> integer;
    Pack<T, width> number;
    constexpr explicit Whole(Pack<T, width> x)
        : integer(bits(x + Format<T>::round)), number((x + Format<T>::round) - Format<T>::round) {}
};
template <class T, int width> constexpr Pack<T, width> power_of_two(Bits<T, width> n) {
    using F = Format<T>;
    return from_bits<T, width>((n << F::fraction) + (typename F::Bits(F::bias) << F::fraction));
}
}  // namespace elementary_detail

template <class T, int width> constexpr Pack<T, width> exp(Pack<T, width> x) {
    using namespace elementary_detail;
    using F = Format<T>;
    using Real = Pack<T, width>;
    x = smaller(Real(F::most_exp), larger(Real(F::least_exp), x));  // in this order NaN is kept
    const Whole<T, width> n(x * T(1.4426950408889634)), half(n.number * T(0.5)),
        rest(n.number - half.number);
    const Real r = fma(n.number, -F::ln2_rest, fma(n.number, -F::ln2, x));
    Real p;
    if constexpr (sizeof(T) == 8)
        p = polynomial(r, 0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333326136,
                       0.0013888888888883748, 0.00019841269874820627, 2.4801587325547743e-05,
                       2.7557255400206422e-06, 2.75572736431103e-07, 2.5105217004720745e-08,
                       2.0914686968086876e-09);
    else
        p = polynomial(r, 0.500000001346581, 0.16666666681623232, 0.041666464925285904,
                       0.0083333109254809, 0.0013933649996309251, 0.00019890990824673654);
    p = 1 + fma(r * r, p, r);
    return p * power_of_two<T, width>(half.integer) *
           power_of_two<T, width>(rest.integer);  // two steps: through inf and denormals
}

template <class T, int width> constexpr Pack<T, width> log(Pack<T, width> x) {
    using namespace elementary_detail;
    using F = Format<T>;
    using Real = Pack<T, width>;
    using B = typename F::Bits;
    constexpr T normal = std::numeric_limits<T>::min(),
                infinity = std::numeric_limits<T>::infinity();
    constexpr B one = B(F::bias) << F::fraction,
                root_half = std::bit_cast<B>(T(0.70710678118654752)), small = B(F::fraction + 1);
    constexpr T shift = T(B(1) << F::fraction);
    const auto denormal = x < Real(normal);
    const auto b = bits(select(denormal, x * (2 * shift), x)) + (one - root_half);
    // exponent + bias as a number: it is written into the fraction of 2^52 and 2^52 is taken away
    const Real e = from_bits<T, width>((b >> F::fraction) | std::bit_cast<B>(shift)) -
                   select(denormal, Real(shift + T(F::bias) + T(small)), Real(shift + T(F::bias)));
    const Real f = from_bits<T, width>((b & ((B(1) << F::fraction) - 1)) + root_half) - 1;
    const Real s = f / (f + 2), z = s * s, square = T(0.5) * f * f;
    Real p;
    if constexpr (sizeof(T) == 8)
        p = z * polynomial(z, 6.666666666666735130e-01, 3.999999999940941908e-01,
                           2.857142874366239149e-01, 2.222219843214978396e-01,
                           1.818357216161805012e-01, 1.531383769920937332e-01,
                           1.479819860511658591e-01);
    else
        p = z * polynomial(z, 0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841);
    const Real value = fma(e, F::ln2, f - (square - fma(s, square + p, e * F::ln2_rest)));
    const Real least =
        select(x < Real(0), Real(std::numeric_limits<T>::quiet_NaN()), Real(-infinity));
    return select(x < Real(infinity), select(x > Real(0), value, least), x);  // x: inf or NaN
}

template <class T, int width>
constexpr Pack<T, width> pow(Pack<T, width> x, std::type_identity_t<Pack<T, width>> y) {
    return exp(y * log(x));
}

/// {sin x, cos x}: both for little more than the cost of one.
template <class T, int width>
constexpr std::pair<Pack<T, width>, Pack<T, width>> sine_cosine(Pack<T, width> x) {
    using namespace elementary_detail;
    using F = Format<T>;
    using Real = Pack<T, width>;
    const Whole<T, width> n(x * T(0.63661977236758134));
    const Real r = fma(n.number, -F::quarter[2],
                       fma(n.number, -F::quarter[1], fma(n.number, -F::quarter[0], x))),
               z = r * r;
    Real s, c;
    if constexpr (sizeof(T) == 8) {
        s = polynomial(z, -1.66666666666666324348e-01, 8.33333333332248946124e-03,
                       -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                       -2.50507602534068634195e-08, 1.58969099521155010221e-10);
        c = polynomial(z, 4.16666666666666019037e-02, -1.38888888888741095749e-03,
                       2.48015872894767294178e-05, -2.75573143513906633035e-07,
                       2.08757232129817482790e-09, -1.13596475577881948265e-11);
    } else {
        s = polynomial(z, -1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4);
        c = polynomial(z, 4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5);
    }
    const Real half = T(0.5) * z, near_one = 1 - half;
    const Real sine = fma(r * z, s, r), cosine = near_one + fma(z * z, c, (1 - near_one) - half);
    const auto odd = (n.integer & 1) != 0, minus_sine = (n.integer & 2) != 0,
               minus_cosine = ((n.integer + 1) & 2) != 0;
    const Real to_sine = select(odd, cosine, sine), to_cosine = select(odd, sine, cosine);
    return {select(minus_sine, -to_sine, to_sine), select(minus_cosine, -to_cosine, to_cosine)};
}

template <class T, int width> constexpr Pack<T, width> atan(Pack<T, width> x) {
    using F = elementary_detail::Format<T>;
    using Real = Pack<T, width>;
    const Real a = abs(x);
    const auto near = a <= Real(T(0.41421356237309503)), far = a > Real(T(2.4142135623730949));
    const Real A = select(near, Real(0),
                          select(far, Real(F::quarter[0]), Real(T(0.5) * F::quarter[0]))),
               rest = select(near, Real(0),
                             select(far, Real(F::quarter[1]), Real(T(0.5) * F::quarter[1])));
    const Real t = select(near, a, select(far, Real(-1), a - 1)) /
                   select(near, Real(1), select(far, a, a + 1)),
               z = t * t;
    Real p;
    if constexpr (sizeof(T) == 8)
        p = polynomial(
            z, -3.33333333333329318027e-01, 1.99999999998764832476e-01, -1.42857142725034663711e-01,
            1.11111104054623557880e-01, -9.09088713343650656196e-02, 7.69187620504482999495e-02,
            -6.66107313738753120669e-02, 5.83357013379057348645e-02, -4.97687799461593236017e-02,
            3.65315727442169155270e-02, -1.62858201153657823623e-02);
    else
        p = polynomial(z, -3.3333328366e-01, 1.9999158382e-01, -1.4253635705e-01, 1.0648017377e-01,
                       -6.1687607318e-02);
    const Real value = A + (rest + fma(t * z, p, t));
    return select(x < Real(0), -value, value);
}

template <class T, int width> constexpr Pack<T, width> sin(Pack<T, width> x) {
    return sine_cosine(x).first;
}
template <class T, int width> constexpr Pack<T, width> cos(Pack<T, width> x) {
    return sine_cosine(x).second;
}

}  // namespace fathom
