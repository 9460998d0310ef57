/// Long-wave fluxes of one column, 8 g points at a time (k_distribution.hpp).
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
#include "base/table.hpp"
#include "physics/radiation/rrtmgp/adding.hpp"
#include "physics/radiation/rrtmgp/transmission.hpp"

namespace fathom::physics::rrtmgp {

/// Gauss-Jacobi quadrature of the flux over the hemisphere (Hogan 2024, Q. J. R. Meteorol. Soc.):
/// for one angle, then two, three, four.
using Secants = Table<std::array{
    1 / 0.6096748751, 1 / 0.2509907356, 1 / 0.7908473988, 1 / 0.1024922169, 1 / 0.4417960320,
    1 / 0.8633751621, 1 / 0.0454586727, 1 / 0.2322334416, 1 / 0.5740198775, 1 / 0.9030775973}>;
using Weights =
    Table<std::array{1., 0.2300253764, 0.7699746236, 0.0437820218, 0.3875796738, 0.5686383044,
                     0.0092068785, 0.1285704278, 0.4323381850, 0.4298845087}>;

/// What comes out, of interfaces [W m-2]: reaches is the part of the ground's emission that reaches
/// them.
template <class T> struct LongwaveFluxes {
    T *up, *down, *reaches;
};

template <class T, int width = lanes> class Longwave {
public:
    /// From a lane on: only one at once where width is 1.
    constexpr Longwave(const KDistribution& k, const Column<T>& c, const Work<T>& work,
                       int lane = 0)
        : k(k),
          c(c),
          L(c.layers),
          S(stride(k)),
          N((L + 1) * lanes),
          lane(lane),
          tau(work.absorption),
          scattered(work.scattering),
          forward(work.asymmetry),
          sums(work.fluxes + lane),
          share(work.fraction),
          weight(work.above),
          at(work.node) {
        const std::size_t room = std::size_t(N) * most;
        for (int n = 0; n < 8; ++n) of[n] = work.sweep + n * room + lane;
    }
    /// First, once for a column.
    constexpr void locate() const {
        for (int n = 0; n <= L; ++n) place(c.interface_temperature[n], n);
        for (int l = 0; l < L; ++l) place(c.temperature[l], L + 1 + l);
        place(c.surface_temperature, 2 * L + 1);
    }
    /// angles: 0 for two streams. reaches: whether it is wanted.
    constexpr void operator()(int angles, bool reaches) const {
        for (int n = 0; n < 3 * (L + 1); ++n) Real(0).store(sums + n * lanes);
        int g = lane;
        if constexpr (most > 1)  // with several angles sums would have another order
            for (; angles < 2 && g + most * lanes <= k.row; g += most * lanes)
                flow<most>(g, angles, reaches);
        for (; g < k.gpoints; g += lanes) flow<1>(g, angles, reaches);
    }
    /// Last, once for a column.
    constexpr void give(const LongwaveFluxes<T>& to) const {
        for (int n = 0; n <= L; ++n) {
            to.down[n] = sum(sums + n * lanes), to.up[n] = sum(sums + N + n * lanes);
            if (to.reaches) to.reaches[n] = sum(sums + 2 * N + n * lanes);
        }
    }

private:
    using Real = Wide<T, width>;
    using Single = Pack<float, width>;  // Planck's function and its shares, as the tables
    static constexpr double pi = std::numbers::pi;
    static constexpr int most = width > 1 ? 2 : 1;                    // vectors side by side
    static constexpr T thinnest = T(sizeof(T) == 8 ? 1e-30 : 1e-17);  // its square is a number
    const KDistribution& k;
    const Column<T>& c;
    const int L, S, N, lane;
    T *tau, *scattered, *forward, *sums, *of[8];
    float *share, *weight;
    int* at;

    /// Where a temperature lies in the table: of interfaces, of layers, of the ground.
    constexpr void place(T temperature, int n) const {
        const T x = within(temperature - T(k.first_planck), T(k.planck_rows - 1));
        at[n] = std::min(int(x), k.planck_rows - 2);
        weight[n] = float(x - T(at[n]));
    }
    constexpr Single planck(int n, int g) const {
        const float* const B = &k.planck[std::size_t(at[n]) * S + g];
        const Single low = Single::load(B);
        return multiply_add(Single(weight[n]), Single::load(B + S) - low, low);
    }
    template <int vectors> constexpr void flow(int g, int angles, bool reaches) const {
        Side<Real, vectors> surface;
        for (int v = 0; v < vectors; ++v)
            surface[v] = emit(g + v * lanes, vectors * lanes, v * lanes) * c.emissivity;
        if (angles == 0)
            two_streams<vectors>(g, surface, reaches);
        else
            for (int n = 0, first = angles * (angles - 1) / 2; n < angles; ++n)
                along<vectors>(Secants::at(first + n), Weights::at(first + n), g, surface, reaches);
    }
    /// Sources: of[0] at interfaces, of[1] of layers, `step` from one to the next, from `to` on.
    /// Returns that of a black ground.
    constexpr Real emit(int g, int step, int to) const {
        T *const interfaces = of[0] + to, *const layers = of[1] + to;
        Single above = Single::load(share + g);
        for (int l = 0; l < L; ++l) {
            const Single f = Single::load(share + l * S + g), edge = l ? root(above * f) : f;
            widen<T>(edge * planck(l, g)).store(interfaces + l * step);
            widen<T>(f * planck(L + 1 + l, g)).store(layers + l * step);
            above = f;
        }
        widen<T>(above * planck(L, g)).store(interfaces + L * step);
        return widen<T>(above * planck(2 * L + 1, g));
    }

    template <int vectors>
    constexpr void along(double secant, double weight, int g, const Side<Real, vectors>& surface,
                         bool reaches) const {
        constexpr int step = vectors * lanes;
        T *const through = of[2], *const upward = of[3];
        const Real w = T(pi * weight);
        Side<Real, vectors> I{}, J = surface, upper;
        for (int v = 0; v < vectors; ++v) upper[v] = Real::load(of[0] + v * lanes);
        for (int l = 0; l < L; ++l) {
            T* const down = sums + (l + 1) * lanes;
            Real all = Real::load(down);
            for (int v = 0; v < vectors; ++v) {
                const int from = l * S + g + v * lanes, n = l * step + v * lanes;
                if constexpr (in_halves<Real>) {  // as in the short wave
                    constexpr int half = width / 2;
                    I[v].low = layer_along(secant, from, n, step, upper[v].low, I[v].low);
                    I[v].high =
                        layer_along(secant, from + half, n + half, step, upper[v].high, I[v].high);
                } else
                    I[v] = layer_along(secant, from, n, step, upper[v], I[v]);
                all = multiply_add(w, I[v], all);
            }
            all.store(down);
        }
        for (int v = 0; v < vectors; ++v)
            I[v] = multiply_add(Real(1 - c.emissivity), I[v], surface[v]);
        for (int l = L; l >= 0; --l) {
            if (l < L)
                for (int v = 0; v < vectors; ++v) {
                    const int n = l * step + v * lanes;
                    const Real t = Real::load(through + n);
                    I[v] = multiply_add(t, I[v], Real::load(upward + n));
                    J[v] = t * J[v];
                }
            add<vectors>(w, I, sums + N + l * lanes);
            if (reaches) add<vectors>(w, J, sums + 2 * N + l * lanes);
        }
    }
    /// Of radiation along one angle that reaches a layer, what leaves it; upper: B there, then of
    /// the next layer.
    template <class Real>
    constexpr Real layer_along(double secant, int from, int n, int step, Real& upper,
                               Real arrives) const {
        T *const through = of[2], *const upward = of[3];
        const Real path = multiply_add(Real::load(tau + from), Real(T(secant)), Real(T(1e-30)));
        const auto [t, stays] = transmission(path);
        const Real x = 2 * (stays / path - t), B = Real::load(of[1] + n),
                   lower = Real::load(of[0] + n + step);
        multiply_add(stays, upper, x * (B - upper)).store(upward + n);
        const Real leaves = multiply_add(t, arrives, multiply_add(stays, lower, x * (B - lower)));
        t.store(through + n);
        upper = lower;
        return leaves;
    }
    template <int vectors>
    static constexpr void add(Real weight, const Side<Real, vectors>& flux, T* to) {
        Real all = Real::load(to);
        for (int v = 0; v < vectors; ++v) all = multiply_add(weight, flux[v], all);
        all.store(to);
    }

    template <int vectors>
    constexpr void two_streams(int g, Side<Real, vectors> surface, bool reaches) const {
        const Layers<T> layers{of[2], of[3], of[4], of[5], of[6], of[7]};
        for (int v = 0; v < vectors; ++v) {
            for (int l = 0; l < L; ++l) layer(l, g + v * lanes, vectors * lanes, v * lanes, layers);
            surface[v] = T(pi) * surface[v];
        }
        add_layers<vectors>(L, layers, Real(1 - c.emissivity), surface, sums + N, sums);
        if (!reaches) return;
        for (int l = L; l >= 0; --l) {
            if (l < L)
                for (int v = 0; v < vectors; ++v)
                    surface[v] = surface[v] * Real::load(layers.passes + (l * vectors + v) * lanes);
            add<vectors>(Real(1), surface, sums + 2 * N + l * lanes);
        }
    }
    /// Properties of a layer of two streams, `apart` from one layer to the next,
    /// from `to` on.
    constexpr void layer(int l, int g, int apart, int to, const Layers<T>& layers) const {
        const int n = l * apart + to;
        const Real absorbed = Real::load(tau + l * S + g) + thinnest,
                   s = Real::load(scattered + l * S + g), f = Real::load(forward + l * S + g);
        // tau g1, tau g2, tau (g1 - g2), tau (g1 + g2) and tau k
        const Real t2 = T(0.83) * (s - f), less = T(1.66) * absorbed,
                   more = multiply_add(Real(2), t2, less), t1 = less + t2, tk = root(less * more);
        const auto [E, stays] = transmission(tk);
        const Real stays2 = stays * (1 + E),
                   N = 1 / multiply_add(tk, multiply_add(E, E, Real(1)), t1 * stays2),
                   R = t2 * stays2 * N, through = 2 * tk * E * N;
        const Real upper = Real::load(of[0] + n), lower = Real::load(of[0] + n + apart),
                   step = lower - upper;
        const Real gone = N * multiply_add(less, stays2, tk * (stays * stays)),  // 1 - T - R
            Z = step * (N * multiply_add(stays * stays, tk / more, stays2)),
                   bends = Z - through * step;
        (T(pi) * multiply_add(gone, upper, bends)).store(layers.upward + n);
        (T(pi) * multiply_add(gone, lower, -bends)).store(layers.downward + n);
        R.store(layers.reflects + n), through.store(layers.transmits + n);
    }
};

}  // namespace fathom::physics::rrtmgp
