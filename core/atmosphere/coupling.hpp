/// The coupling zone of a limited area (Davies 1976):
///   X <- (1 - alpha) X + alpha X_outer
/// An upper zone has weights alpha_k of its levels, and both together 1 - (1 - alpha)(1 - alpha_k).
/// X_outer is given at two times and lies on a straight line between: fields NAME_outer_previous,
/// NAME_outer_next, and NAME_outer_weight of the latter. Where alpha is 1, X is X_outer.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "field/global_process.hpp"

namespace fathom::atmosphere {

/// A field that is drawn; alpha: of all points, row by row; upper: of its levels, may be empty.
struct Drawn {
    std::string name;
    Place place;
    std::string units;
    std::vector<double> alpha, upper;
};

template <class T> class Coupling final : public GlobalProcess {
    struct Pair {
        Item field, before, after, weight;
        std::vector<double> alpha, upper;
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
        for (const Pair& p : pairs)
            draw(at.set.domain(), p, at[p.field], at[p.before], at[p.after],
                 *(const T*)at[p.weight].at[0]);
    }

private:
    static T drawn(T x, T outer, T share) {
        const T between = x + share * (outer - x);
        return share == T(1) ? outer : share > 0 ? between : x;
    }
    void draw(const Domain& d, const Pair& pair, const FieldSlab& field, const FieldSlab& before,
              const FieldSlab& after, T weight) const {
        for (std::size_t b = 0; b < d.blocks.size(); ++b) {
            const Block& block = *d.blocks[b];
            const auto row = [&](const FieldSlab& f, int r, int k) {
                return (T*)f.at[b] + (r + d.halo) * f.row[b] + k * f.level[b] + d.halo;
            };
#pragma omp parallel for
            for (int r = 0; r < block.ny; ++r) {
                const double* a = &pair.alpha[std::size_t(block.j0 + r) * columns + block.i0];
                int west = 0, east = block.nx;  // the air between them is free
                while (west < east && a[west] > 0) ++west;
                while (east > west && a[east - 1] > 0) --east;
                for (int k = 0; k < field.levels; ++k) {
                    const double up = pair.upper.empty() ? 0 : pair.upper[k];
                    T* x = row(field, r, k);
                    const T *first = row(before, r, k), *last = row(after, r, k);
                    const auto draw = [&](int from, int to) {
                        for (int i = from; i < to; ++i)
                            x[i] = drawn(x[i], first[i] + weight * (last[i] - first[i]),
                                         T(a[i] + up * (1 - a[i])));
                    };
                    draw(0, up > 0 ? block.nx : west);
                    if (!(up > 0)) draw(east, block.nx);
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
