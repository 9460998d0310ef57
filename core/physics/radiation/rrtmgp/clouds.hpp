/// Clouds added to the gases of a column: of water and of ice, by tables of size and g,
///
///   tau = sum of W k(r),  tau w = sum of W k w(r),  tau w g = sum of W k w g(r)
///   short wave, scaled by f = g^2:   tau (1 - w f),   tau w (1 - f),   tau w (g - f)
///
/// and in which g points a layer has a cloud (McICA; Pincus, Barker & Morcrette 2003): a sub-column
/// for each g, with a rank x in [0, 1) in each layer; there is a cloud where x >= 1 - cover.
///
///   next layer   x stays with probability a, else a new one is drawn
///                maximum-random     a = 1
///                exponential-random a = exp(-dz / z0), dz between the middles (Hogan &
///                                   Illingworth 2000); below clear air always a new one
///   homogeneous  the cloud is spread over the layer: W times cover, no random numbers
///
/// Where water varies within clouds, W of a sub-column is multiplied by a factor of mean 1. Another
/// rank of this kind, with decorrelation length z0 / 2, is the quantile of the factor (Shonk et al.
/// 2010; Hogan & Bozzo 2018).
#pragma once
#include "base/constants.hpp"
#include "physics/radiation/rrtmgp/random.hpp"
#include "physics/radiation/rrtmgp/transmission.hpp"

namespace fathom::physics::rrtmgp {

template <class T, int width = lanes> class Clouds {
public:
    /// From a lane on: only one at once where width is 1.
    constexpr Clouds(const KDistribution& k, const Column<T>& c, const Work<T>& work, int lane = 0)
        : k(k),
          c(c),
          L(c.layers),
          S(stride(k)),
          lane(lane),
          absorption(work.absorption),
          scattering(work.scattering),
          asymmetry(work.asymmetry),
          rank(work.sweep),
          water(rank + S),
          touched(work.touched) {}
    /// First, once for a column: the layers that have one.
    constexpr void locate() const {
        for (int l = 0; l < L; ++l)
            touched[l] = c.cover[l] > 0 && (c.liquid_path[l] > 0 || c.ice_path[l] > 0);
    }
    /// scaled: by the forward peak (short wave). scatters: whether absorption alone is not enough.
    constexpr void add(bool scaled, bool scatters) const {
        bool above = false;
        for (int l = 0; l < L; ++l) {
            const bool here = touched[l];
            if (here) scatters ? add<true>(l, above, scaled) : add<false>(l, above, scaled);
            above = here;
        }
    }

private:
    using Real = Wide<T, width>;
    const KDistribution& k;
    const Column<T>& c;
    const int L, S, lane;
    static constexpr std::uint64_t of_water = 0x9e3779b97f4a7c15u;
    T *absorption, *scattering, *asymmetry, *rank, *water;
    std::uint8_t* touched;
    using Single = Pack<float, width>;  // as the tables
    struct Optics {
        Single tau, scattered, forward;
    };

    /// From the middle of the layer above [m], hydrostatic.
    constexpr T distance(int l) const {
        constexpr double per_kelvin = constants::cloud_gas_constant / constants::standard_gravity;
        return T(0.5 * per_kelvin) * (c.temperature[l - 1] + c.temperature[l]) *
               log(Pack<T, 1>(c.pressure[l] / c.pressure[l - 1])).lanes;
    }
    /// 24 bits as a number in [0, 1).
    template <class Some, class Words> static constexpr Some share(Words bits) {
        Some x;
        x.lanes = converted<T, Some::width>(bits);
        return x * Some(T(0x1p-24));
    }
    /// The probability that a rank stays that of the layer above. faster: times as fast as cover.
    constexpr T staying(int l, bool above, int faster) const {
        if (!above) return 0;
        if (c.overlap == Overlap::maximum_random) return 2;
        return exp(Pack<T, 1>(T(-faster) * distance(l) / c.decorrelation)).lanes;
    }
    /// Ranks of 8 g points of a layer: new, or those of the layer above.
    static constexpr Real draw(T* rank, std::uint64_t key, int l, int g, Real stays) {
        const std::uint64_t counter = std::uint64_t(l) << 32 | std::uint64_t(g);
        if constexpr (in_halves<Real>)
            return {draw(rank + g, key, counter, stays.low),
                    draw(rank + g + width / 2, key, counter + width / 2, stays.high)};
        else
            return draw(rank + g, key, counter, stays);
    }
    template <class Some>
    static constexpr Some draw(T* rank, std::uint64_t key, std::uint64_t counter, Some stays) {
        const auto words = random_words<Some::width>(key, counter);
        const Some chance = share<Some>(words >> 40), fresh = share<Some>(words >> 16 & 0xffffff),
                   now = select(chance < stays, Some::load(rank), fresh);
        now.store(rank);
        return now;
    }

    /// Where particles of one size are in their tables; row 0 is the smaller size.
    struct Place {
        float path, share;
        const float* table[3];
    };
    constexpr Place place(const KDistribution::Particles& p, T path, T size) const {
        if (!(path > 0)) return {};
        const T x = within((size - T(p.first)) * T(1 / p.step), T(p.sizes - 1));
        const int row = std::min(int(x), p.sizes - 2);
        Place at{float(path), float(x - T(row)), {}};
        for (int n = 0; n < 3; ++n) at.table[n] = &p.table[n][std::size_t(row) * S];
        return at;
    }
    template <bool scatters> constexpr void optics(const Place& p, int g, Optics& all) const {
        if (p.path == 0) return;
        const auto of = [&](int n) {
            const float* const at = p.table[n] + g;
            const Single low = Single::load(at);
            return multiply_add(Single(p.share), Single::load(at + S) - low, low);
        };
        const Single tau = Single(p.path) * of(0), scattered = tau * of(1);
        all.tau += tau;
        all.scattered += scattered;
        if constexpr (scatters) all.forward += scattered * of(2);
    }

    /// The factor of the cloud's water in 8 g points of a layer, 0 where there is no cloud.
    struct Presence {
        T cover, stays, water_stays;
    };
    constexpr Real presence(const Presence& of, int l, int g) const {
        if (c.overlap == Overlap::homogeneous) return Real(of.cover);
        const Real here = draw(rank, c.key, l, g, Real(of.stays)),
                   there = select(here < Real(1 - of.cover), Real(0), Real(1));
        if (!c.water_factors) return there;
        draw(water, c.key ^ of_water, l, g, Real(of.water_stays));
        T factors[width];
        for (int n = 0; n < width; ++n)
            factors[n] = T(c.water_factors[int(water[g + n] * T(parts_of_water))]);
        return there * Real::load(factors);
    }

    template <bool scatters> constexpr void add(int l, bool above, bool scaled) const {
        const Place drops = place(k.liquid, c.liquid_path[l], c.droplet_radius[l]),
                    crystals = place(k.ice, c.ice_path[l], c.ice_diameter[l]);
        const bool drawn = c.overlap != Overlap::homogeneous;
        const Presence of{c.cover[l], drawn ? staying(l, above, 1) : T(0),
                          drawn && c.water_factors ? staying(l, above, 2) : T(0)};
        for (int g = lane; g < k.gpoints; g += lanes) {
            Optics all{0, 0, 0};
            optics<scatters>(drops, g, all);
            optics<scatters>(crystals, g, all);
            increase<scatters>(std::size_t(l) * S + g, presence(of, l, g), all, scaled);
        }
    }
    template <bool scatters>
    constexpr void increase(std::size_t at, Real there, Optics all, bool scaled) const {
        const auto increase = [&](T* x, Single by) {
            multiply_add(there, widen<T>(by), Real::load(x + at)).store(x + at);
        };
        increase(absorption, all.tau - all.scattered);
        if constexpr (!scatters) return;
        if (scaled) {
            const Single asymmetry = all.forward / larger(all.scattered, Single(1e-30f)),
                         f = asymmetry * asymmetry;
            all.forward = multiply_add(-f, all.scattered, all.forward);
            all.scattered = multiply_add(-f, all.scattered, all.scattered);
        }
        increase(scattering, all.scattered);
        (there * widen<T>(all.forward)).store(asymmetry + at);
    }
};

}  // namespace fathom::physics::rrtmgp
