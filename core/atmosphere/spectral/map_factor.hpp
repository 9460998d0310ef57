/// Fields on a stretched sphere times a power of the map factor of their rows
/// (grid/stretching.hpp): between the state, on the real sphere, and the transformed fields, on the
/// computational one. Without stretching nothing is done.
#pragma once
#include <cmath>
#include <initializer_list>
#include "field/field_set.hpp"
#include "grid/gaussian.hpp"

namespace fathom::atmosphere {

template <class T> class MapFactor {
public:
    MapFactor(const Domain& d, const GaussianGrid& grid) : d(d), grid(grid) {}
    explicit operator bool() const { return bool(grid.stretching); }
    T of_row(int row, int power) const { return T(std::pow(grid.map_factor(row), power)); }
    /// All levels of all own points.
    void times(std::initializer_list<const FieldSlab*> fields, int power) const {
        if (!grid.stretching) return;
        for (const FieldSlab* f : fields)
            for (std::size_t b = 0; b < d.blocks.size(); ++b) {
                const Block& block = *d.blocks[b];
#pragma omp parallel for
                for (int r = 0; r < block.ny; ++r) {
                    const T factor = of_row(block.j0 + r, power);
                    const int count = std::min(block.nx, grid.points[block.j0 + r] - block.i0);
                    for (int k = 0; k < f->levels; ++k) {
                        T* x = (T*)f->at[b] + (r + d.halo) * f->row[b] + k * f->level[b] + d.halo;
                        for (int i = 0; i < count; ++i) x[i] *= factor;
                    }
                }
            }
    }

private:
    const Domain& d;
    GaussianGrid grid;
};

}  // namespace fathom::atmosphere
