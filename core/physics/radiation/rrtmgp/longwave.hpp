/// Long-wave fluxes of one column, 8 g points at a time.
///
///   without scattering, along 1 to 4 angles of secant D, weight w:
///     t = exp(-D tau),  x = 2 ((1 - t) / (D tau) - t)
///     down_k+1 = t down_k + (1 - t) B_k+1 + x (B - B_k+1),   up_k alike with B_k
///     flux = pi sum of w I                                   (Clough et al. 1992: linear in tau)
///   two streams (Fu et al. 1997; Toon et al. 1989):
///     g1 = 1.66 (1 - w0 (1 + g) / 2),  g2 = 1.66 w0 (1 - g) / 2,  k^2 = (g1 - g2) (g1 + g2)
///     R = g2 (1 - E^2) / N,  T = 2 k E / N,  N = k (1 + E^2) + g1 (1 - E^2),  E = exp(-k tau)
///     Z = (B_k+1 - B_k) (1 + R - T) / (tau (g1 + g2))
///       = (B_k+1 - B_k) [1 - E^2 + (1 - E)^2 k / (g1 + g2)] / N
///     U = pi [(1 - R - T) B_k   + Z - T (B_k+1 - B_k)]
///     D = pi [(1 - R - T) B_k+1 - Z + T (B_k+1 - B_k)]
///   B of an interface: the band's Planck function there times sqrt of the shares above and below
///
/// (1 - t) is computed as such (transmission.hpp) and tau is never 0: no series for thin layers is
/// needed, and 32 bits lose nothing. 1 + R - T is not computed as such: divided by the tau of a
/// layer above 1 Pa, its rounding error would be as large as the flux.
#pragma once
#include <numbers>
#include <span>
#include "physics/radiation/rrtmgp/adding.hpp"
#include "physics/radiation/rrtmgp/transmission.hpp"

namespace fathom::physics::rrtmgp {

struct Angle {
    double secant, weight;
};
/// Gauss-Jacobi quadrature of the flux over the hemisphere (Hogan 2024, Q. J. R. Meteorol. Soc.).
inline constexpr Angle one_angle[] = {{1 / 0.6096748751, 1}},
                       two_angles[] = {{1 / 0.2509907356, 0.2300253764},
                                       {1 / 0.7908473988, 0.7699746236}},
                       three_angles[] = {{1 / 0.1024922169, 0.0437820218},
                                         {1 / 0.4417960320, 0.3875796738},
                                         {1 / 0.8633751621, 0.5686383044}},
                       four_angles[] = {{1 / 0.0454586727, 0.0092068785},
                                        {1 / 0.2322334416, 0.1285704278},
                                        {1 / 0.5740198775, 0.4323381850},
                                        {1 / 0.9030775973, 0.4298845087}};
inline std::span<const Angle> quadrature(int angles) {
    if (angles == 1) return one_angle;
    if (angles == 2) return two_angles;
    if (angles == 3) return three_angles;
    return four_angles;
}

/// What comes out, of interfaces [W m-2]: reaches is the part of the ground's emission that reaches
/// them.
template <class T> struct LongwaveFluxes {
    T *up, *down, *reaches;
};

template <class T> class Longwave {
public:
    Longwave(const KDistribution& k, const Column<T>& c, Work<T>& work)
        : k(k), c(c), L(c.layers), S(stride(k)), N((L + 1) * lanes) {
        tau = work.absorption(0), share = work.fraction(0);
        scattered = work.scattering(std::size_t(L) * S + lanes);
        forward = work.asymmetry(std::size_t(L) * S + lanes);
        T* const memory = work.sweep(8 * std::size_t(N));
        for (int n = 0; n < 8; ++n) of[n] = memory + n * N;
        sums = work.fluxes(3 * std::size_t(N));
        at = work.index(2 * std::size_t(L) + 2);
        weight = work.weights(2 * std::size_t(L) + 2);
    }
    /// angles: 0 for two streams.
    void operator()(int angles, const LongwaveFluxes<T>& to) {
        std::fill(sums, sums + 3 * N, T(0));
        for (int n = 0; n <= L; ++n) place(c.interface_temperature[n], n);
        for (int l = 0; l < L; ++l) place(c.temperature[l], L + 1 + l);
        int ground;
        float above;
        place(c.surface_temperature, ground, above);
        for (int g = 0; g < k.row; g += lanes) {
            emit(g);
            const Real surface =
                Real(c.emissivity) *
                widen<T>(Single::load(share + (L - 1) * S + g) * planck(ground, above, g));
            if (angles == 0)
                two_streams(g, surface);
            else
                for (auto& angle : quadrature(angles)) along(angle, g, surface);
        }
        for (int n = 0; n <= L; ++n) {
            to.down[n] = sum(sums + n * lanes), to.up[n] = sum(sums + N + n * lanes);
            if (to.reaches) to.reaches[n] = sum(sums + 2 * N + n * lanes);
        }
    }

private:
    using Real = Lanes8<T>;
    using Single = Lanes8<float>;  // Planck's function and its shares, as the tables
    static constexpr double pi = std::numbers::pi;
    static constexpr T thinnest = sizeof(T) == 8 ? T(1e-30) : T(1e-17);  // its square is a number
    const KDistribution& k;
    const Column<T>& c;
    const int L, S, N;
    T *tau, *scattered, *forward, *sums, *of[8];
    float *share, *weight;
    int* at;

    static T sum(const T* x) {
        T s = 0;
        for (int n = 0; n < lanes; ++n) s += x[n];
        return s;
    }
    void place(T temperature, int& row, float& above) const {
        const T x = std::clamp<T>(temperature - T(k.first_planck), 0, T(k.planck_rows - 1));
        row = std::min(int(x), k.planck_rows - 2);
        above = float(x - T(row));
    }
    void place(T temperature, int n) { place(temperature, at[n], weight[n]); }
    Single planck(int row, float above, int g) const {
        const float* const B = &k.planck[std::size_t(row) * S + g];
        const Single low = Single::load(B);
        return multiply_add<float>(Single(above), Single::load(B + S) - low, low);
    }
    /// Sources: of[0] at interfaces, of[1] of layers.
    void emit(int g) {
        T *const interfaces = of[0], *const layers = of[1];
        Single above = Single::load(share + g);
        for (int l = 0; l < L; ++l) {
            const Single f = Single::load(share + l * S + g), edge = l ? root<float>(above * f) : f;
            widen<T>(edge * planck(at[l], weight[l], g)).store(interfaces + l * lanes);
            widen<T>(f * planck(at[L + 1 + l], weight[L + 1 + l], g)).store(layers + l * lanes);
            above = f;
        }
        widen<T>(above * planck(at[L], weight[L], g)).store(interfaces + L * lanes);
    }

    void along(const Angle& angle, int g, Real surface) {
        T* const through = of[2];
        T* const upward = of[3];
        const T w = T(pi * angle.weight);
        Real I = 0, upper = Real::load(of[0]);
        for (int l = 0; l < L; ++l) {
            const Real path =
                multiply_add<T>(Real::load(tau + l * S + g), Real(T(angle.secant)), Real(T(1e-30)));
            const auto [t, stays] = transmission<T>(path);
            const Real x = 2 * (stays / path - t), B = Real::load(of[1] + l * lanes),
                       lower = Real::load(of[0] + (l + 1) * lanes);
            multiply_add<T>(stays, upper, x * (B - upper)).store(upward + l * lanes);
            I = multiply_add<T>(t, I, multiply_add<T>(stays, lower, x * (B - lower)));
            t.store(through + l * lanes);
            T* const down = sums + (l + 1) * lanes;
            multiply_add<T>(Real(w), I, Real::load(down)).store(down);
            upper = lower;
        }
        I = multiply_add<T>(Real(1 - c.emissivity), I, surface);
        Real J = surface;
        for (int l = L; l >= 0; --l) {
            if (l < L) {
                const Real t = Real::load(through + l * lanes);
                I = multiply_add<T>(t, I, Real::load(upward + l * lanes));
                J = t * J;
            }
            T *const up = sums + N + l * lanes, *const reaches = sums + 2 * N + l * lanes;
            multiply_add<T>(Real(w), I, Real::load(up)).store(up);
            multiply_add<T>(Real(w), J, Real::load(reaches)).store(reaches);
        }
    }

    void two_streams(int g, Real surface) {
        const Layers<T> layers{of[2], of[3], of[4], of[5], of[6], of[7]};
        Real upper = Real::load(of[0]);
        for (int l = 0; l < L; ++l) {
            const int n = l * lanes;
            const Real absorbed = Real::load(tau + l * S + g) + thinnest,
                       s = Real::load(scattered + l * S + g), f = Real::load(forward + l * S + g);
            // tau g1, tau g2, tau (g1 - g2), tau (g1 + g2) and tau k
            const Real t2 = T(0.83) * (s - f), less = T(1.66) * absorbed,
                       more = multiply_add<T>(T(2), t2, less), t1 = less + t2,
                       tk = root<T>(less * more);
            const auto [E, stays] = transmission<T>(tk);
            const Real stays2 = stays * (1 + E),
                       N = 1 / multiply_add<T>(tk, multiply_add<T>(E, E, Real(1)), t1 * stays2),
                       R = t2 * stays2 * N, through = 2 * tk * E * N;
            const Real lower = Real::load(of[0] + n + lanes), step = lower - upper;
            const Real gone = N * multiply_add<T>(less, stays2, tk * (stays * stays)),  // 1 - T - R
                Z = step * (N * multiply_add<T>(stays * stays, tk / more, stays2)),
                       bends = Z - through * step;
            (T(pi) * multiply_add<T>(gone, upper, bends)).store(layers.upward + n);
            (T(pi) * multiply_add<T>(gone, lower, -bends)).store(layers.downward + n);
            R.store(layers.reflects + n), through.store(layers.transmits + n);
            upper = lower;
        }
        surface = T(pi) * surface;
        add_layers<T, 1>(L, layers, Real(1 - c.emissivity), {surface}, sums + N, sums);
        Real J = surface;
        for (int l = L; l >= 0; --l) {
            if (l < L) J = J * Real::load(layers.passes + l * lanes);
            T* const reaches = sums + 2 * N + l * lanes;
            (Real::load(reaches) + J).store(reaches);
        }
    }
};

}  // namespace fathom::physics::rrtmgp
