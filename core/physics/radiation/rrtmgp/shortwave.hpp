/// Short-wave fluxes of one column, 8 g points at a time (k_distribution.hpp): two streams
/// (Zdunkowski et al. 1980; Meador & Weaver 1980, J. Atmos. Sci. 37, 630-643, equations 14-17;
/// Hogan & Bozzo 2018).
///
///   g1 = (8 - w (5 + 3 g)) / 4,  g2 = 3 w (1 - g) / 4,  g3 = (2 - 3 mu g) / 4,  g4 = 1 - g3
///   a1 = g1 g4 + g2 g3,  a2 = g1 g3 + g2 g4,   k^2 = (g1 - g2) (g1 + g2),  g1 - g2 = 2 (1 - w)
///   E = exp(-k tau),  t = exp(-tau / mu),  N = k (1 + E^2) + g1 (1 - E^2)
///   diffuse   R = g2 (1 - E^2) / N,   T = 2 k E / N
///   beam      R' = w / (N (1 - k^2 mu^2))
///                  [(1 + k mu) (a2 - k g3) (1 - E^2) + 2 (k g3 - a2 k mu) (1 - E t)]
///             T' = w / (N (1 - k^2 mu^2))
///                  [(1 + k mu) (a1 + k g4) (1 - t) - (1 - k mu) (a1 - k g4) (1 - E^2 t)
///                   - 2 (k g4 + a1 k mu) (1 - E)]
///             0 <= R' <= 1 - t,  0 <= T' <= 1 - t - R'
///
/// R' and T' are written with differences from 1, in which constants cancel exactly. In the usual
/// form they are small differences of large numbers, too small for 32 bits. 1 - w comes from
/// the absorption, never from w. Next to k mu = 1 the sun is moved off the resonance, by the root
/// of the rounding error, in all terms. k^2 is at least 2e-12 in 64 bits, 3e-6 in 32.
#pragma once
#include "physics/radiation/rrtmgp/adding.hpp"
#include "physics/radiation/rrtmgp/transmission.hpp"

namespace fathom::physics::rrtmgp {

/// At interfaces [W m-2]; down includes the beam. reflected, if wanted: up - down that would be
/// added if the ground, black before, sent all the light that reaches it upward again.
template <class T> struct ShortwaveFluxes {
    T *up, *down, *beam, *reflected = nullptr;
};

template <class T, int width = lanes> class Shortwave {
public:
    /// From a lane on: only one at once where width is 1.
    constexpr Shortwave(const KDistribution& k, const Column<T>& c, const Work<T>& work,
                        int lane = 0)
        : k(k),
          c(c),
          L(c.layers),
          S(stride(k)),
          N((L + 1) * lanes),
          lane(lane),
          absorbed(work.absorption),
          scattered(work.scattering),
          forward(work.asymmetry),
          sums(work.fluxes + lane),
          cloudy(work.touched) {
        const int room = N * most;
        T* const memory = work.sweep + lane;
        layers = {memory,
                  memory + room,
                  memory + 2 * room,
                  memory + 3 * room,
                  memory + 4 * room,
                  memory + 5 * room};
    }
    /// reflects: whether `reflected` is wanted.
    constexpr void operator()(bool reflects) const {
        for (int n = 0; n < 4 * (L + 1); ++n) Real(0).store(sums + n * lanes);
        int g = lane;
        if constexpr (most > 1)
            for (; g + most * lanes <= k.row; g += most * lanes) shine<most>(g, reflects);
        for (; g < k.gpoints; g += lanes) shine<1>(g, reflects);
    }
    /// Last, once for a column.
    constexpr void give(const ShortwaveFluxes<T>& to) const {
        for (int n = 0; n <= L; ++n) {
            to.beam[n] = sum(sums + 2 * N + n * lanes);
            to.down[n] = sum(sums + n * lanes) + to.beam[n];
            to.up[n] = sum(sums + N + n * lanes);
            if (to.reflected) to.reflected[n] = sum(sums + 3 * N + n * lanes);
        }
    }

private:
    using Real = Wide<T, width>;
    /// Vectors side by side.
    static constexpr int most = width > 1 ? 2 : 1;
    static constexpr bool twice = sizeof(T) == 8;
    /// Least absorption; least k^2; least distance of k mu from 1.
    static constexpr T thinnest = twice ? T(1e-30) : T(1e-9), least = twice ? T(2.2e-12) : T(3e-6),
                       window = twice ? T(1.5e-8) : T(3.5e-4);
    const KDistribution& k;
    const Column<T>& c;
    const int L, S, N, lane;
    T *absorbed, *scattered, *forward, *sums;
    const std::uint8_t* cloudy;  ///< of each layer whether anything but gas scatters there
    Layers<T> layers;

    template <int vectors> constexpr void shine(int g, bool reflects) const {
        constexpr int step = vectors * lanes;
        Side<Real, vectors> beam;
        T* const direct = sums + 2 * N;
        for (int v = 0; v < vectors; ++v) {
            T flux[width];
            for (int n = 0; n < width; ++n)
                flux[n] = T(k.solar[g + v * lanes + n]) * c.irradiance_factor * c.zenith;
            beam[v] = Real::load(flux);
            (Real::load(direct) + beam[v]).store(direct);
        }
        for (int l = 0; l < L; ++l) {
            T* const to = direct + (l + 1) * lanes;
            Real all = Real::load(to);
            for (int v = 0; v < vectors; ++v) {
                const int from = l * S + g + v * lanes, n = l * step + v * lanes;
                beam[v] = cloudy[l] ? in_parts<true>(from, n, beam[v])
                                    : in_parts<false>(from, n, beam[v]);
                all = all + beam[v];
            }
            all.store(to);
        }
        Side<Real, vectors> source;
        for (int v = 0; v < vectors; ++v) source[v] = beam[v] * c.albedo_direct;
        auto ground =
            add_layers<vectors>(L, layers, Real(c.albedo_diffuse), source, sums + N, sums);
        if (!reflects) return;
        for (int v = 0; v < vectors; ++v) ground[v] = ground[v] + beam[v];
        add_reflection<vectors>(L, layers, ground, sums + 3 * N);
    }

    /// A register after the other: those of all values of two do not fit into a processor.
    template <bool particles> constexpr Real in_parts(int from, int n, Real beam) const {
        if constexpr (in_halves<Real>) {
            constexpr int half = width / 2;
            return {layer<particles>(from, n, beam.low),
                    layer<particles>(from + half, n + half, beam.high)};
        } else
            return layer<particles>(from, n, beam);
    }
    /// Properties of a layer, `from` optical depths there, to n; of a beam that reaches it, what
    /// leaves it. All of g1, g2, k, a1,
    /// a2 times tau: G1, G2, K, A1, A2; q = tau / mu.
    template <bool particles, class Real> constexpr Real layer(int from, int n, Real beam) const {
        const Real tau_a = Real::load(absorbed + from) + Real(thinnest),
                   tau_s = Real::load(scattered + from), tau = tau_a + tau_s;
        Real forward_s = 0;
        if constexpr (particles) forward_s = Real::load(forward + from);
        const Real G2 = T(0.75) * (tau_s - forward_s), G1 = multiply_add(tau_a, Real(2), G2);
        const Real K = root(larger(2 * tau_a * (G1 + G2), Real(least) * (tau * tau)));
        // the sun, moved from where k mu = 1
        Real q = tau * Real(1 / c.zenith);
        q = select(abs(q - K) < Real(window) * q, q * (1 + 2 * window), q);
        const auto [E, e] = transmission(K);
        const auto [t, s] = transmission(q);
        const Real e2 = e * (1 + E), A = multiply_add(K, multiply_add(E, E, Real(1)), G1 * e2),
                   B = (q - K) * (q + K), per_both = 1 / (A * B), per_A = per_both * B;
        (G2 * e2 * per_A).store(layers.reflects + n);
        (2 * K * E * per_A).store(layers.transmits + n);
        Real g3 = T(0.5);
        if constexpr (particles)
            g3 = multiply_add(Real(T(-0.75) * c.zenith), forward_s / larger(tau_s, Real(thinnest)),
                              g3);
        const Real g4 = 1 - g3, A1 = multiply_add(G1, g4, G2 * g3),
                   A2 = multiply_add(G1, g3, G2 * g4), K3 = K * g3, K4 = K * g4,
                   x = multiply_add(s, 1 - e, e), y = multiply_add(s, 1 - e2, e2),
                   scale = tau_s * Real(1 / c.zenith) * per_both, K2 = 2 * K;
        const Real R = multiply_add((q + K) * (A2 - K3), e2, K2 * (multiply_add(g3, q, -A2) * x));
        const Real through =
            multiply_add((q + K) * (A1 + K4), s,
                         -multiply_add((q - K) * (A1 - K4), y, K2 * (multiply_add(g4, q, A1) * e)));
        const Real reflected = larger(smaller(scale * R, s), Real(0)),
                   scattered_on = larger(smaller(scale * through, s - reflected), Real(0));
        (reflected * beam).store(layers.upward + n);
        (scattered_on * beam).store(layers.downward + n);
        return t * beam;
    }
};

}  // namespace fathom::physics::rrtmgp
