/// The adjoint of third-order upwind advection: each face, once more, with y' of the cell.
#include "field/by_hand.hpp"
#include "ocean/tracer/advection.hpp"

namespace fathom {

/// The value at a face is L + R (T_R - T_L) + U (T_U - T_L) of weights R and U. Its adjoint f
/// adds f (1 - R - U) to L, f R to T_R and f U to T_U; the transport gets the value itself.
template <> struct ByHand<ocean::UpwindAdvection> {
    using Scheme = ocean::UpwindAdvection;
    template <class Real> using Weights = Scheme::Weights<Real>;
    static constexpr Shift sides[4] = {east, -east, north, -north};

    template <class Real> static void adjoint(const Scheme&, const auto& at) {
        sideways<Real>(at);
        upward<Real>(at);
    }

private:
    template <class Real> struct Faces {
        Weights<Real> out[4], in[4];
        Real beside[4], beyond[4], shallowest;
        explicit Faces(const auto& at) {
            const auto wet = at.template value<"wet_levels">(),
                       dx = at.template value<"dx_center">(), dy = at.template value<"dy_center">();
            shallowest = wet[0];
            for (int n = 0; n < 4; ++n) {
                const Shift s = sides[n];
                const auto& h = n < 2 ? dx : dy;
                out[n] = finite({h(-s)[0], h[0], h(s)[0]});
                in[n] = finite({h(2 * s)[0], h(s)[0], h[0]});
                beside[n] = wet(s)[0];
                beyond[n] = wet(2 * s)[0];
                shallowest = smaller(shallowest, smaller(beside[n], beyond[n]));
            }
        }
        static Weights<Real> finite(Weights<Real> w) {
            w.R = if_finite(w.R), w.U = if_finite(w.U), w.wall = if_finite(w.wall);
            return w;
        }
    };

    template <class Real> static void sideways(const auto& at) {
        using T = typename Real::Number;
        const Faces<Real> faces(at);
        const auto weights = at.template value<"time_weights">();
        const T a = (weights[0] - 1) / 2, b = weights[1] / 2;
        const auto now = at.template value<"tracer">();
        const auto before = at.template value<"tracer_before">();
        const auto to_now = at.template adjoint<"tracer">();
        const auto to_before = at.template adjoint<"tracer_before">();
        const auto tendency = at.template adjoint<"tracer_tendency">();
        const In<Real> flows[4] = {
            at.template value<"transport_east">(), at.template value<"transport_west">(),
            at.template value<"transport_north">(), at.template value<"transport_south">()};
        const auto to_flows = at.template several<"transport_east", "transport_west",
                                                  "transport_north", "transport_south">();
        for (int k = 0; k < at.levels(); ++k) {
            const Real g = -Real(tendency[k]), C = now[k], C_extra = fma(Real(a), C, b * before[k]);
            const bool walls = any(Real(T(k)) >= faces.shallowest);
            Real N[4], to_C = 0, extra = 0, to_N[4]{}, to_N_extra[4];
            for (int n = 0; n < 4; ++n) N[n] = now(sides[n])[k];
            for (int n = 0; n < 4; ++n) {
                const Real F = n % 2 ? -flows[n][k] : Real(flows[n][k]),
                           beyond = now(2 * sides[n])[k];
                Weights<Real> w = faces.out[n], v = faces.in[n];
                if (walls)
                    w = w.where(Real(T(k)) < faces.beside[n ^ 1]),
                    v = v.where(Real(T(k)) < faces.beyond[n]);
                const Real leaving = w(C, N[n] - C, N[n ^ 1] - C),
                           entering = v(N[n], C - N[n], beyond - N[n]),
                           N_extra = fma(Real(a), N[n], b * before(sides[n])[k]);
                const auto out = F > Real(0), in = F < Real(0);
                const Real to_F = g * (C_extra + N_extra + select(out, leaving, Real(0)) +
                                       select(in, entering, Real(0))),
                           l = g * larger(F, Real(0)), e = g * smaller(F, Real(0)), f = g * F;
                to_flows[n][k] += n % 2 ? -to_F : to_F;
                to_C += l * (1.0 - w.R - w.U) + e * v.R;
                to_N[n] += l * w.R + e * (1.0 - v.R - v.U) + a * f;
                to_N[n ^ 1] += l * w.U;
                to_now(2 * sides[n])[k] += e * v.U;
                extra += f;
                to_N_extra[n] = b * f;
            }
            to_now[k] += fma(Real(a), extra, to_C);
            to_before[k] += b * extra;
            for (int n = 0; n < 4; ++n) {
                to_now(sides[n])[k] += to_N[n];
                to_before(sides[n])[k] += to_N_extra[n];
            }
        }
    }

    /// Weights of the interface below level k: of a donor above it, and of one below.
    template <class Real, class T>
    static std::pair<Weights<Real>, Weights<Real>> of_interface(const Profile<Real>& h, int k,
                                                                int levels, Real bottom) {
        using Number = Weights<T>;
        const T hC = h[k], hB = h[k + 1], per_two = 1 / (hC + hB);
        Weights<Real> down, rise;
        if (k == 0)
            down.R = Number::at_wall(hC, hB, per_two), down.U = Real(0);
        else {
            const T hA = h[k - 1], per_three = 1 / (hA + hC + hB);
            down.R = Number::across(hC, hB, per_two, per_three);
            down.U = Number::back(hC, hB, 1 / (hA + hC), per_three);
        }
        const bool last = k + 2 == levels;
        const T hD = last ? T(0) : h[k + 2], per_three = last ? T(0) : 1 / (hC + hB + hD);
        rise.R = Number::across(hB, hC, per_two, per_three);
        rise.U = Number::back(hB, hC, last ? T(0) : 1 / (hB + hD), per_three);
        if (const Real third = T(k + 2); any(third >= bottom))
            rise.wall = Number::at_wall(hB, hC, per_two), rise = rise.where(third < bottom);
        return {down, rise};
    }

    template <class Real> static void upward(const auto& at) {
        using T = typename Real::Number;
        const int levels = at.levels();
        const auto weights = at.template value<"time_weights">();
        const T a = (weights[0] - 1) / 2, b = weights[1] / 2;
        const auto thickness = at.template value<"thickness">();
        const auto now = at.template value<"tracer">();
        const auto before = at.template value<"tracer_before">();
        const auto up = at.template value<"transport_up">();
        const Real bottom = at.template value<"wet_levels">()[0];
        const auto to_now = at.template adjoint<"tracer">()(here),
                   to_before = at.template adjoint<"tracer_before">()(here),
                   to_up = at.template adjoint<"transport_up">(),
                   tendency = at.template adjoint<"tracer_tendency">();
        for (int k = 0; k + 1 < levels; ++k) {
            const auto [down, rise] = of_interface<Real, T>(thickness, k, levels, bottom);
            const Real C = now[k], B = now[k + 1], D = now[std::min(k + 2, levels - 1)],
                       A = now[std::max(k - 1, 0)], W = up[k + 1],
                       f = Real(tendency[k]) - Real(tendency[k + 1]);
            const Real extra = fma(Real(a), C + B, b * (Real(before[k]) + Real(before[k + 1]))),
                       sinking = down(C, B - C, A - C), rising = rise(B, C - B, D - B);
            to_up[k + 1] += f * (extra + select(W > Real(0), rising, Real(0)) +
                                 select(W < Real(0), sinking, Real(0)));
            const Real r = f * larger(W, Real(0)), s = f * smaller(W, Real(0)), e = f * W;
            to_now[k] += fma(Real(a), e, r * rise.R + s * (1.0 - down.R - down.U));
            to_now[k + 1] += fma(Real(a), e, r * (1.0 - rise.R - rise.U) + s * down.R);
            if (k > 0) to_now[k - 1] += s * down.U;
            if (k + 2 < levels) to_now[k + 2] += r * rise.U;
            to_before[k] += b * e;
            to_before[k + 1] += b * e;
        }
    }
};
template struct AdjointByHand<ocean::UpwindAdvection>;

}  // namespace fathom
