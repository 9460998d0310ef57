/// The coupling zone of a limited area (Davies 1976), before the linear terms are solved for:
///   R <- (1 - alpha) R + alpha R_outer,       R_outer = (1 + beta G) X_outer
/// with G the linear gravity waves of the solve, so that what comes out is the outer state where
/// alpha is 1 (beyond the area) and balanced where both meet. An upper zone has weights alpha_k of
/// its levels, and both together 1 - (1 - alpha)(1 - alpha_k). R_outer is given at two times and
/// lies on a straight line between; tracers, which G does not know, are X_outer themselves.
#pragma once
#include "atmosphere/spectral/parameters.hpp"
#include "field/global_process.hpp"

namespace fathom::atmosphere {

template <class T> class Coupling final : public GlobalProcess {
    /// A field, the outer one before and after, and the weight of the latter.
    struct Pair {
        Item field, before, after, weight;
        const std::vector<double>* alpha;
    };
    const OnPlane plane;
    std::vector<Pair> pairs;
    void add(const std::string& name, Place place, const std::string& units,
             const std::vector<double>& alpha) {
        const std::string outer = name + "_outer";
        pairs.push_back({updates(name, place, units), reads(outer + "_previous", place, units),
                         reads(outer + "_next", place, units),
                         reads(outer + "_weight", place::profile, "1"), &alpha});
    }

public:
    /// tracers: whether they are drawn too.
    explicit Coupling(const SpectralSetup& s, bool tracers = true)
        : GlobalProcess(tracers ? "Coupling" : "CouplingAgain"), plane(*s.plane()) {
        add("eastward_wind", place::center_layer, "m s-1", plane.relaxation);
        add("northward_wind", place::center_layer, "m s-1", plane.relaxation);
        add(s.temperature, place::center_layer, "K", plane.relaxation);
        add("log_pressure_ratio", place::center_column, "1", plane.relaxation);
        if (s.compressible()) {
            add("log_pressure_departure", place::center_layer, "1", plane.relaxation);
            add("vertical_divergence", place::center_layer, "s-1", plane.relaxation);
        }
        if (!tracers) return;
        for (auto& [name, units] : s.tracers)
            add(name, place::center_layer, units, plane.relaxation_of_tracers);
    }
    void apply(Given at) override {
        for (const Pair& p : pairs)
            draw(at.set.domain(), at[p.field], at[p.before], at[p.after],
                 *(const T*)at[p.weight].at[0], *p.alpha,
                 p.alpha == &plane.relaxation && at[p.field].levels > 1);
    }

private:
    void draw(const Domain& d, const FieldSlab& field, const FieldSlab& before,
              const FieldSlab& after, T weight, const std::vector<double>& alpha,
              bool by_level) const {
        const auto& upper = plane.relaxation_of_levels;
        for (std::size_t b = 0; b < d.blocks.size(); ++b) {
            const Block& block = *d.blocks[b];
            const auto row = [&](const FieldSlab& f, int r, int k) {
                return (T*)f.at[b] + (r + d.halo) * f.row[b] + k * f.level[b] + d.halo;
            };
#pragma omp parallel for
            for (int r = 0; r < block.ny; ++r) {
                const double* a = &alpha[std::size_t(block.j0 + r) * plane.waves.points + block.i0];
                for (int k = 0; k < field.levels; ++k) {
                    const double up = by_level && !upper.empty() ? upper[k] : 0;
                    T* x = row(field, r, k);
                    const T *first = row(before, r, k), *last = row(after, r, k);
                    for (int i = 0; i < block.nx; ++i) {
                        const T share = T(a[i] + up * (1 - a[i])),
                                outer = first[i] + weight * (last[i] - first[i]);
                        if (share == T(1))
                            x[i] = outer;
                        else if (share > 0)
                            x[i] += share * (outer - x[i]);
                    }
                }
            }
        }
    }
};

}  // namespace fathom::atmosphere
