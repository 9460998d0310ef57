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
#include "physics/radiation/rrtmgp/random.hpp"
#include "physics/radiation/rrtmgp/transmission.hpp"

namespace fathom::physics::rrtmgp {

template <class T> class Clouds {
public:
    Clouds(const KDistribution& k, const Column<T>& c, Work<T>& work)
        : k(k), c(c), L(c.layers), S(stride(k)) {
        absorption = work.absorption(0);
        scattering = work.scattering(std::size_t(L) * S + lanes);
        asymmetry = work.asymmetry(std::size_t(L) * S + lanes);
        rank = work.sweep(std::size_t(2 * S));
        water = rank + S;
    }
    /// scaled: by the forward peak (short wave). scatters: whether absorption alone is not enough.
    /// touched: set for the layers that have one.
    void add(bool scaled, bool scatters, std::uint8_t* touched) {
        bool above = false;
        for (int l = 0; l < L; ++l) {
            const bool here = c.cover[l] > 0 && (c.liquid_path[l] > 0 || c.ice_path[l] > 0);
            if (!here) {
                above = false;
                continue;
            }
            if (c.overlap != Overlap::homogeneous) draw(rank, c.key, l, above, 1);
            if (varies()) draw(water, c.key ^ of_water, l, above, 2);
            if (scatters && !touched[l])
                std::fill(asymmetry + l * S, asymmetry + l * S + k.row, T(0));
            touched[l] = 1;
            above = true;
            for (int g = 0; g < k.row; g += lanes)
                scatters ? add<true>(l, g, scaled) : add<false>(l, g, scaled);
        }
    }

private:
    using Real = Lanes8<T>;
    const KDistribution& k;
    const Column<T>& c;
    const int L, S;
    static constexpr std::uint64_t of_water = 0x9e3779b97f4a7c15u;
    T *absorption, *scattering, *asymmetry, *rank, *water;
    using Single = Lanes8<float>;  // as the tables
    struct Optics {
        Single tau, scattered, forward;
    };

    /// From the middle of the layer above [m], hydrostatic.
    T distance(int l) const {
        constexpr double per_kelvin = 287.04 / 9.80665;
        return T(0.5 * per_kelvin) * (c.temperature[l - 1] + c.temperature[l]) *
               log(Pack<T, 1>(c.pressure[l] / c.pressure[l - 1])).lanes;
    }
    /// 24 bits as a number in [0, 1).
    static Real share(Words8 bits) {
        Real x;
        x.lanes = __builtin_convertvector(bits, typename Real::Storage);
        return x * Real(T(0x1p-24));
    }
    bool varies() const { return c.water_factors && c.overlap != Overlap::homogeneous; }
    /// Ranks of a layer: new, or those of the layer above. faster: times as fast as cover.
    void draw(T* rank, std::uint64_t key, int l, bool above, int faster) {
        T stays = 0;
        if (above && c.overlap == Overlap::maximum_random) stays = 2;
        if (above && c.overlap == Overlap::exponential_random)
            stays = exp(Pack<T, 1>(T(-faster) * distance(l) / c.decorrelation)).lanes;
        for (int g = 0; g < k.row; g += lanes) {
            const Words8 words = random_words(key, std::uint64_t(l) << 32 | std::uint64_t(g));
            const Real chance = share(words >> 40), fresh = share(words >> 16 & 0xffffff);
            select(chance < Real(stays), Real::load(rank + g), fresh).store(rank + g);
        }
    }

    static void place(const KDistribution::Particles& p, T size, int& row, T& share) {
        const T x = std::clamp<T>((size - T(p.first)) * T(1 / p.step), 0, T(p.sizes - 1));
        row = std::min(int(x), p.sizes - 2);
        share = x - T(row);
    }
    template <bool scatters>
    void optics(const KDistribution::Particles& p, T path, T size, int g, Optics& all) const {
        if (!(path > 0)) return;
        int row;
        T share;
        place(p, size, row, share);
        const auto of = [&](int n) {
            const float* const at = &p.table[n][std::size_t(row) * S + g];
            const Single low = Single::load(at);
            return multiply_add<float>(Single(float(share)), Single::load(at + S) - low, low);
        };
        const Single tau = Single(float(path)) * of(0), scattered = tau * of(1);
        all.tau += tau;
        all.scattered += scattered;
        if constexpr (scatters) all.forward += scattered * of(2);
    }

    template <bool scatters> void add(int l, int g, bool scaled) {
        Real there = 1;
        if (c.overlap == Overlap::homogeneous)
            there = Real(c.cover[l]);
        else
            there = select(Real::load(rank + g) < Real(1 - c.cover[l]), Real(0), Real(1));
        if (varies()) {
            T factors[lanes];
            for (int n = 0; n < lanes; ++n)
                factors[n] = T(c.water_factors[int(water[g + n] * T(parts_of_water))]);
            there = there * Real::load(factors);
        }
        Optics all{0, 0, 0};
        optics<scatters>(k.liquid, c.liquid_path[l], c.droplet_radius[l], g, all);
        optics<scatters>(k.ice, c.ice_path[l], c.ice_diameter[l], g, all);
        const std::size_t at = std::size_t(l) * S + g;
        const auto increase = [&](T* x, Single by) {
            multiply_add<T>(there, widen<T>(by), Real::load(x + at)).store(x + at);
        };
        increase(absorption, all.tau - all.scattered);
        if constexpr (!scatters) return;
        if (scaled) {
            const Single asymmetry = all.forward / larger(all.scattered, Single(1e-30f)),
                         f = asymmetry * asymmetry;
            all.forward = multiply_add<float>(-f, all.scattered, all.forward);
            all.scattered = multiply_add<float>(-f, all.scattered, all.scattered);
        }
        increase(scattering, all.scattered);
        increase(asymmetry, all.forward);
    }
};

}  // namespace fathom::physics::rrtmgp
