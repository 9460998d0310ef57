/// The motion of one drifter in a step (drifters.hpp), on the processor as on a device
/// (device/drifters.cpp).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fathom::ocean {

struct Drifter {
    std::int64_t number;
    std::int32_t i, j;
    double a, b, level;
};

/// What drifters need of a block: fields, and how many levels of water centres and corners have.
struct DriftBlock {
    /// Strides in numbers; a profile has no rows and columns.
    struct Values {
        const std::byte* first;
        std::ptrdiff_t row, column, level;
    };
    int i0, j0, halo, rows, columns;  ///< its first own cell; rows and columns with the halo
    const int *wet, *wet_corners;
    Values u, v, u_after, v_after, up, dx, dy, area, height, thickness;
};

template <class Number> struct Drift {
    double step;
    bool flat;

    struct Rate {
        double a, b, level;
    };
    /// A cell of a block, halo included.
    struct Cell {
        const DriftBlock& block;
        int row, column;
        constexpr double operator()(const DriftBlock::Values& f, int di, int dj, int k) const {
            return ((const Number*)
                        f.first)[(row + dj) * f.row + k * f.level + (column + di) * f.column];
        }
        constexpr int wet(int di, int dj) const { return levels(block.wet, di, dj); }
        constexpr int levels(const int* of, int di, int dj) const {
            return of[(row + dj) * block.columns + column + di];
        }
    };

    constexpr Drifter moved(const DriftBlock& block, const Drifter& p) const {
        const Cell at{block, p.j - block.j0 + block.halo, p.i - block.i0 + block.halo};
        const Rate one = rate(at, p, {0, 0, 0}, 0), two = rate(at, p, part(one, step / 2), 0.5),
                   three = rate(at, p, part(two, step / 2), 0.5),
                   four = rate(at, p, part(three, step), 1);
        const Rate gone =
            part({mean(one.a, two.a, three.a, four.a), mean(one.b, two.b, three.b, four.b),
                  mean(one.level, two.level, three.level, four.level)},
                 step);
        Drifter q = p;
        // at a coast the displacement may be possible in only one of both directions
        for (int n = 0; n < 4; ++n) {
            const double x = p.a + (n < 2 ? gone.a : 0), y = p.b + (n % 2 == 0 ? gone.b : 0);
            const int di = whole(x), dj = whole(y), bottom = at.wet(di, dj);
            q.i = p.i + di, q.j = p.j + dj, q.a = x - di, q.b = y - dj;
            q.level = std::clamp(p.level + gone.level, 0., std::max(0., bottom * (1 - 1e-12)));
            if (bottom > 0 && (p.level + gone.level < bottom || (di == 0 && dj == 0))) break;
        }
        return q;
    }

private:
    /// The largest whole number below.
    static constexpr int whole(double x) {
        const int n = int(x);
        return n - (n > x);
    }
    static constexpr double mean(double a, double b, double c, double d) {
        return (a + 2 * (b + c) + d) / 6;
    }
    /// At most a cell, the halo's width; the model's limit is less.
    static constexpr Rate part(const Rate& r, double t) {
        return {std::clamp(r.a * t, -1., 1.), std::clamp(r.b * t, -1., 1.),
                std::clamp(r.level * t, -1., 1.)};
    }
    /// The rate at a displacement of at most a cell from the start, and at a time within the step.
    constexpr Rate rate(const Cell& at, const Drifter& start, const Rate& gone, double time) const {
        const DriftBlock& f = at.block;
        const double x = start.a + gone.a, y = start.b + gone.b, level = start.level + gone.level;
        const int di = whole(x), dj = whole(y), bottom = at.wet(di, dj);
        const double a = x - di, b = y - dj;
        const int k = std::clamp(whole(level), 0, std::max(bottom - 1, 0));
        double across = 0, along = 0;
        for (int n = 0; n < 4; ++n) {
            const int ci = di - (n % 2 == 0),
                      cj = dj - (n < 2);  // corners, from that in the south-west
            if (at.levels(f.wet_corners, ci, cj) <= k) continue;
            const double weight = (n % 2 ? a : 1 - a) * (n < 2 ? 1 - b : b);
            const auto now = [&](const DriftBlock::Values& before,
                                 const DriftBlock::Values& after) {
                return (1 - time) * at(before, ci, cj, k) + time * at(after, ci, cj, k);
            };
            across += weight * now(f.u, f.u_after) / at(f.dx, ci, cj, 0);
            along += weight * now(f.v, f.v_after) / at(f.dy, ci, cj, 0);
        }
        if (flat || k >= bottom) return {across, along, 0};
        const double s = std::clamp(level - k, 0., 1.), top = k == 0 ? 0 : at(f.up, di, dj, k),
                     below = k + 1 == bottom ? 0 : at(f.up, di, dj, k + 1);
        const double h = at(f.thickness, di, dj, k) + (k == 0 ? at(f.height, di, dj, 0) : 0);
        return {across, along, -((1 - s) * top + s * below) / (at(f.area, di, dj, 0) * h)};
    }
};

/// Drifters in fields on a device.
class DriftersOnDevice {
public:
    virtual ~DriftersOnDevice() = default;
    /// block_of: for each drifter; fields of the blocks are in memory of the device.
    virtual void move(std::span<Drifter>, std::span<const int> block_of,
                      std::span<const DriftBlock>, int bytes) = 0;
};

}  // namespace fathom::ocean
