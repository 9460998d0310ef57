/// Optical depth of the gases by tables of ecCKD (Hogan & Matricardi 2022, J. Adv. Model. Earth
/// Syst. 14, e2022MS003033): far fewer g points, and each gas by itself.
///
///   tau = sum over gases, 2 T, 2 p of w (n - r n_air) k + n_water sum over 2 x, 2 T, 2 p of w k,
///       at least 0
///   n_air = dp / (g M_d);   r the mole fraction that the table of air has already, or 0;
///   x = n_water / n_air, even in its logarithm; p likewise; T even from the first one at p
///   Rayleigh = n_air k
///
/// The Planck function is tabulated by g, so that all of it belongs to each.
#pragma once
#include <algorithm>
#include <limits>
#include "base/elementary.hpp"
#include "physics/radiation/rrtmgp/column.hpp"

namespace fathom::physics::rrtmgp {

template <class T, int width = lanes> class EcCKD {
public:
    /// From a lane on: only one at once where width is 1.
    constexpr EcCKD(const KDistribution& k, const Column<T>& c, const Work<T>& work, int lane = 0)
        : k(k),
          c(c),
          L(c.layers),
          P((L + lanes - 1) / lanes * lanes),
          S(stride(k)),
          lane(lane),
          count(int(k.absorber.size())),
          tau(work.absorption),
          rayleigh(k.longwave() ? nullptr : work.scattering),
          part(k.longwave() ? work.fraction : nullptr),
          warm(work.scalar),
          high(warm + P),
          moist(high + P),
          amount(moist + P),
          node(work.plane),
          below(node + P) {}

    constexpr void locate() const {}
    /// Where each layer lies in the tables, and its amounts of gas; lanes are layers here.
    constexpr void weigh() const {
        constexpr int step = lanes / width;
        for (int l = lane; l < L; l += step) {
            const T water = c.amount[k.water * L + l], air = air_of(l);
            for (int a = 0; a < count; ++a) {
                const auto& one = k.absorber[std::size_t(a)];
                amount[l * count + a] =
                    (one.gas ? c.amount[one.gas * L + l] : air) - T(one.reference) * air;
            }
            high[l] = c.pressure[l];
            moist[l] = std::max(water / air, std::numeric_limits<T>::min());
        }
        for (int l = lane; l < L; l += lanes)
            for (T* x : {high + l, moist + l}) log(Real::load(x)).store(x);
        for (int l = lane; l < L; l += step) {
            const int p = between((high[l] - T(k.first_log_pressure)) * T(1 / k.log_pressure_step),
                                  k.pressures, high[l]);
            const T first = T(k.coldest[std::size_t(p)]) * (1 - high[l]) +
                            T(k.coldest[std::size_t(p + 1)]) * high[l];
            const int t = between((c.temperature[l] - first) * T(1 / k.temperature_step),
                                  k.temperatures, warm[l]);
            node[l] = t * k.pressures + p;
            below[l] = between((moist[l] - T(k.first_log_mixture)) * T(1 / k.log_mixture_step),
                               k.mixtures, moist[l]);
        }
    }
    /// Then at each g point.
    constexpr void absorb() const {
        for (int l = 0; l < L; ++l) {
            const Place at = place(l);
            for (int g = lane; g < k.row; g += lanes) {
                absorb(at, g).store(tau + l * S + g);
                if (part) Pack<float, width>(1.0f).store(part + l * S + g);
                if (rayleigh)
                    (load(&k.rayleigh[0][std::size_t(g)]) * at.air).store(rayleigh + l * S + g);
            }
        }
    }

private:
    using Real = Wide<T, width>;
    const KDistribution& k;
    const Column<T>& c;
    const int L, P, S, lane, count;  // P: layers filled up to whole vectors
    T *tau, *rayleigh;
    float* part;
    T *warm, *high, *moist, *amount;  // of layers: beyond nodes; moles [layer][gas]
    int *node, *below;                // the colder and higher one; the drier one

    static constexpr Real load(const float* at) { return widen<T>(Pack<float, width>::load(at)); }
    /// Moles in a layer, water included by its mass.
    constexpr T air_of(int l) const {
        return c.amount[l] + T(0.018016 / 0.028964) * c.amount[k.water * L + l];
    }
    /// The node below x in a table of so many, and how far beyond it.
    static constexpr int between(T x, int nodes, T& share) {
        const T inside = within(x, T(nodes - 1));
        const int node = std::min(int(inside), nodes - 2);
        share = inside - T(node);
        return node;
    }
    /// Of a layer: the four nodes of temperature and pressure, those of water, moles of gases.
    struct Place {
        std::size_t node[4], below;
        T weight[4], moist, air, water;
        const T* amount;
    };
    constexpr Place place(int l) const {
        Place at;
        for (int n = 0; n < 4; ++n) {
            at.node[n] = std::size_t(node[l] + n / 2 * k.pressures + n % 2);
            at.weight[n] = (n / 2 ? warm[l] : 1 - warm[l]) * (n % 2 ? high[l] : 1 - high[l]);
        }
        at.below = std::size_t(below[l]), at.moist = moist[l];
        at.air = air_of(l), at.water = c.amount[k.water * L + l], at.amount = amount + l * count;
        return at;
    }
    constexpr Real absorb(const Place& at, int g) const {
        const std::size_t row = std::size_t(k.row),
                          next = std::size_t(k.temperatures * k.pressures) * row;
        Real sum = 0, wet = 0;
        for (int n = 0; n < 4; ++n) {
            const float* const gases =
                &k.major[at.node[n] * std::size_t(count) * row + std::size_t(g)];
            Real here = 0;
            for (int a = 0; a < count; ++a)
                here = multiply_add(Real(at.amount[a]), load(gases + std::size_t(a) * row), here);
            sum = multiply_add(Real(at.weight[n]), here, sum);
            const float* const water =
                &k.water_table[at.below * next + at.node[n] * row + std::size_t(g)];
            const Real low = load(water);
            wet = multiply_add(Real(at.weight[n]),
                               multiply_add(Real(at.moist), load(water + next) - low, low), wet);
        }
        return larger(multiply_add(Real(at.water), wet, sum), Real(0));
    }
};

}  // namespace fathom::physics::rrtmgp
