/// Means over the globe of the coefficients of each layer, and of the faces in each row: sums of
/// terms, exact, on the processor (columns.cpp) as on a device (device/helmholtz.cpp). Over flat
/// ground face_k east_j is the matrix itself. About 32 columns of a row represent all its columns:
/// this is enough for a preconditioner.
#pragma once
#include "parallel/ownership/topology.hpp"
#include "solver/helmholtz/equation.hpp"
#include "solver/helmholtz/separable_steps.hpp"

namespace fathom {

struct HelmholtzMeans {
    /// Kinds of sums: one for each layer, the last ones for each row.
    enum Kind { up, centre, down, area, face, east, north, area_of_row, kinds };
    static constexpr bool of_rows(int kind) { return kind >= east; }

    int levels, rows, every, taken;  ///< columns of a row are taken, every so many
    explicit HelmholtzMeans(const Topology& t, int levels)
        : levels(levels),
          rows(t.ny),
          every(t.nx / 32 > 1 ? t.nx / 32 : 1),
          taken((t.nx + every - 1) / every) {}
    constexpr int first(int kind) const {  ///< sum of a kind
        const int of_layers = kind < east ? kind : east;
        return of_layers * levels + (kind - of_layers) * rows;
    }
    constexpr int sum(int kind, int row, int level) const {
        return first(kind) + (of_rows(kind) ? row : level);
    }
    constexpr int number() const { return first(kinds); }
    constexpr int first_column(int i0) const { return (every - i0 % every) % every; }
    constexpr int columns(const HelmholtzBlock& b) const {
        const int more = b.nx - first_column(b.i0) + every - 1;
        return more > 0 ? more / every : 0;
    }

    /// A term at n, a point of level k.
    template <class T>
    static constexpr double term(const HelmholtzMatrix<T>& m, int kind, const HelmholtzBlock& b,
                                 std::ptrdiff_t n, int k) {
        const double per_area(m.per_area[n - k * b.level]);
        switch (kind) {
            case up: return double(m.up[n]) / per_area;
            case centre: return double(m.centre[n]) / per_area;
            case down: return double(m.down[n]) / per_area;
            case face:
            case east: return double(m.east[n]);
            case north: return double(m.north[n]);
            default: return 1 / per_area;
        }
    }

    template <class Sum> SeparableColumns columns_of(Sum sum) const {  ///< sum(n): its value
        SeparableColumns c;
        const auto of = [&](int kind, int n) { return sum(first(kind) + n); };
        double faces = 0;
        for (int k = 0; k < levels; ++k) {
            const double whole = of(area, k);
            c.up.push_back(of(up, k) / whole), c.centre.push_back(of(centre, k) / whole);
            c.down.push_back(of(down, k) / whole), c.face.push_back(of(face, k) / taken);
            faces += of(face, k);
        }
        for (int j = 0; j < rows; ++j) {
            c.east.push_back(of(east, j) / faces), c.north.push_back(of(north, j) / faces);
            c.per_area.push_back(taken * double(levels) / of(area_of_row, j));
        }
        return c;
    }
};

}  // namespace fathom
