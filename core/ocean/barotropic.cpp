#include "ocean/barotropic.hpp"

namespace fathom::ocean {

Barotropic::Barotropic(Sequence& s, Parameters p) : sequence(s), parameters(p) {
    auto slab = [&](std::string_view name) { return s.slab(s.field(name)); };
    const EllipticFields fields{slab("wet_levels"),
                                slab("area_center"),
                                slab("depth_corner"),
                                slab("dx_corner"),
                                slab("dy_corner"),
                                1 / (p.gravity * p.implicitness * p.step * p.step),
                                s.bytes};
    solver = std::make_unique<EllipticSolver>(s.domain->comm, s.domain->decomposition,
                                              s.domain->halo, fields, p.solver);
    right_side = slab("barotropic_convergence");
    increment = slab("sea_surface_height_increment");
    s.attach("BarotropicSolve", [this] { solve(); });
}

void Barotropic::solve() {
    const double scale = 1 / (parameters.gravity * parameters.implicitness * parameters.step);
    const auto& blocks = sequence.domain->blocks;
    for (std::size_t b = 0; b < blocks.size(); ++b)
        for (int r = 0; r < blocks[b]->ny + 2 * sequence.domain->halo; ++r) {
            auto scale_row = [&](auto* row) {
                for (int c = 0; c < blocks[b]->nx + 2 * sequence.domain->halo; ++c) row[c] *= scale;
            };
            if (sequence.bytes == 4)
                scale_row((float*)right_side.at[b] + r * right_side.row[b]);
            else
                scale_row((double*)right_side.at[b] + r * right_side.row[b]);
        }
    iterations += solver->solve(right_side, increment, sequence.bytes);
    ++solves;
}

}  // namespace fathom::ocean
