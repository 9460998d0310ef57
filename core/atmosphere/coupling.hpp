/// The coupling zone of a limited area (Davies 1976):
///   X <- (1 - alpha) X + alpha X_outer
/// An upper zone has weights alpha_k of its levels, and both together 1 - (1 - alpha)(1 - alpha_k).
/// X_outer is given at two times and is linear between them: fields NAME_outer_previous,
/// NAME_outer_next, and NAME_outer_weight of the latter. Where alpha is 1, X is X_outer.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>
#include "atmosphere/relaxation.hpp"
#include "field/linearisation.hpp"
#include "machine/device.hpp"

namespace fathom::atmosphere {

/// A relaxed field; alpha: at all points, row by row; upper: at its levels, may be empty.
struct Drawn {
    std::string name;
    Place place;
    std::string units;
    std::vector<double> alpha, upper;
};

template <class T> class Coupling final : public GlobalProcess, public LinearProcess {
    struct Pair {
        Item field, before, after, weight;
        std::vector<double> alpha, upper;
        std::unique_ptr<RelaxationOnDevice> there = {};
    };
    const int columns;
    std::vector<Pair> pairs;

public:
    /// columns: points of a row of alpha.
    Coupling(const std::string& name, int columns, const std::vector<Drawn>& all)
        : GlobalProcess(name), columns(columns) {
        for (const Drawn& drawn : all) {
            const std::string outer = drawn.name + "_outer";
            pairs.push_back({updates(drawn.name, drawn.place, drawn.units),
                             reads(outer + "_previous", drawn.place, drawn.units),
                             reads(outer + "_next", drawn.place, drawn.units),
                             reads(outer + "_weight", place::profile, "1"), drawn.alpha,
                             drawn.upper});
        }
    }
    void apply(Given at) override {
        for (const Pair& p : pairs) {
            const FieldSlab &before = at[p.before], &after = at[p.after];
            const T weight = *(const T*)at[p.weight].at[0];
            draw(at.set.domain(), p, at[p.field], [&](const auto& row, T* x, int i, T share) {
                const T first = row(before)[i], last = row(after)[i];
                x[i] = relaxed(x[i], outer_at(first, last, weight), share);
            });
        }
    }
    bool lives_on(Device&) override { return true; }
    bool apply_on(Device& device, Given at) override {
        for (Pair& p : pairs) {
            const Field field = at.on_device(p.field);
            if (!p.there)
                p.there =
                    device.make<RelaxationOnDevice>(points_of(at.set.domain(), p, field.levels));
            p.there->relax(field, at.on_device(p.before), at.on_device(p.after),
                           at.on_device(p.weight));
        }
        device.wait();
        return true;
    }
    /// The outer state does not change: a factor 1 - alpha, equal to its transpose.
    void tangent_of(Given change) const override {
        for (const Pair& p : pairs)
            draw(change.set.domain(), p, change[p.field],
                 [](const auto&, T* x, int i, T share) { x[i] = relaxed(x[i], T(0), share); });
    }
    void adjoint_of(Given change) const override { tangent_of(change); }

private:
    /// Those that are relaxed on some level.
    RelaxedPoints points_of(const Domain& d, const Pair& p, int levels) const {
        RelaxedPoints to{sizeof(T), {}, p.upper};
        to.upper.resize(levels, 0.);
        const bool all = std::ranges::any_of(to.upper, [](double up) { return up > 0; });
        for (int b = 0; b < int(d.blocks.size()); ++b) {
            const Block& block = *d.blocks[b];
            for (int r = 0; r < block.ny; ++r)
                for (int i = 0; i < block.nx; ++i)
                    if (const double a =
                            p.alpha[std::size_t(block.j0 + r) * columns + block.i0 + i];
                        all || a > 0)
                        to.points.push_back({b, r + d.halo, i + d.halo, a});
        }
        return to;
    }
    /// to(field -> its row, row of `field`, point, weight of the outer model) for all points that
    /// are relaxed.
    template <class To>
    static void draw_row(const auto& row, T* x, const double* a, double up, int from, int end,
                         To to) {
        for (int i = from; i < end; ++i) to(row, x, i, share_of_outer<T>(a[i], up));
    }
    template <class To>
    void draw(const Domain& d, const Pair& pair, const FieldSlab& field, To to) const {
        for (std::size_t b = 0; b < d.blocks.size(); ++b) {
            const Block& block = *d.blocks[b];
#pragma omp parallel for
            for (int r = 0; r < block.ny; ++r) {
                const double* a = &pair.alpha[std::size_t(block.j0 + r) * columns + block.i0];
                for (int k = 0; k < field.levels; ++k) {
                    const auto row = [&](const FieldSlab& f) {
                        return (T*)f.at[b] + (r + d.halo) * f.row[b] + k * f.level[b] + d.halo;
                    };
                    const double up = pair.upper.empty() ? 0 : pair.upper[k];
                    T* const x = row(field);
                    const auto free = [&](int i) { return !(up > 0 || a[i] > 0); };
                    for (int from = 0, end; from < block.nx; from = end + 1) {
                        for (end = from; end < block.nx && !free(end);) ++end;
                        draw_row(row, x, a, up, from, end, to);
                    }
                }
            }
        }
    }
};

/// bytes: 4 or 8, of a number.
inline std::shared_ptr<GlobalProcess> coupling(const std::string& name, int columns,
                                               const std::vector<Drawn>& all, int bytes) {
    if (bytes == 4) return std::make_shared<Coupling<float>>(name, columns, all);
    return std::make_shared<Coupling<double>>(name, columns, all);
}

}  // namespace fathom::atmosphere
