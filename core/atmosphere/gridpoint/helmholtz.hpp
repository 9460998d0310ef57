/// The Helmholtz equation for the increment of the Exner function (linear.hpp), for all columns at
/// once. Its coefficients are those of the reference state of the linear equations.
#pragma once
#include "atmosphere/gridpoint/helmholtz_matrix.hpp"
#include "base/constants.hpp"
#include "base/usual.hpp"
#include "field/global_process.hpp"
#include "solver/helmholtz/there.hpp"

namespace fathom::atmosphere {

class HelmholtzSolve final : public GlobalProcess {
public:
    struct Parameters {
        double step = 10, implicitness = usual::gridpoint_implicitness,
               gravity = constants::gravity, heat_capacity = constants::dry_air_heat_capacity,
               gas_constant = constants::dry_air_gas_constant;
        int solves_of_a_step = 1;
        bool about_state = false;  ///< the matrix is made again in each step; else once
        bool narrow = false;       ///< in fp32, whatever the fields are
        HelmholtzOptions solver;
    };
    explicit HelmholtzSolve(Parameters p)
        : GlobalProcess("HelmholtzSolve"), parameters(std::move(p)) {}
    void prepare(Given) override;  ///< the matrix, from the reference
    void apply(Given) override;
    bool apply_on(Device&, Given) override;
    bool lives_on(Device&) override { return true; }

    long iterations = 0, solves = 0;
    double residual = 0;  ///< of the last solve, relative to the largest right side

private:
    const Item right_side = reads("helmholtz_right_side", place::center_layer, "kg m-2"),
               increment = writes("exner_increment", place::center_layer, "1"),
               z = reads("interface_height", place::center_interface, "m", 1),
               theta = reads("linear_potential_temperature", place::center_interface, "K", 1),
               density = reads("linear_density", place::center_layer, "kg m-3", 1),
               exner = reads("linear_exner", place::center_layer, "1"),
               damping = reads("vertical_damping", place::profile, "s-1"),
               area = reads("area_center", place::center_column, "m2"),
               dx = reads("dx_east_face", place::east_face_column, "m", 1),
               dy = reads("dy_north_face", place::north_face_column, "m", 1),
               east = reads("length_east_face", place::east_face_column, "m", 1),
               north = reads("length_north_face", place::north_face_column, "m", 1),
               open_east = reads("open_east_face", place::east_face_column, "1", 1),
               open_north = reads("open_north_face", place::north_face_column, "1", 1);
    Parameters parameters;
    double measure = 0;  // the right side of the first solve of a step
    std::unique_ptr<HelmholtzSolver<double>> wide;
    std::unique_ptr<HelmholtzSolver<float>> narrow;

    bool first() const { return solves % parameters.solves_of_a_step == 0; }  // solve of a step
    void take(const HelmholtzFound&);
    std::shared_ptr<HelmholtzThere> there;
    std::shared_ptr<gridpoint::HelmholtzMatrixOnDevice> matrix_there;

    gridpoint::HelmholtzParameters constants() const;
    /// of(item): what is wanted of a field.
    template <class Of> auto of_air(const Of& of) const {
        return gridpoint::OfAir<Item>{z,  theta, density, exner,     area,      dx,
                                      dy, east,  north,   open_east, open_north}
            .map(of);
    }
    static bool has_columns(const Domain&, int block, int row);
    int bytes(Given at) const { return parameters.narrow ? 4 : int(at.set.bytes()); }
    void settle(Device&, Given);
    void renew_there(Given);
    template <class T> void renew(Given, HelmholtzSolver<T>&) const;  // the matrix
    /// F: numbers of the fields, T: of the solver.
    template <class F, class T> void matrix(Given, HelmholtzSolver<T>&) const;
    template <class F, class T>
    void columns(Given, HelmholtzSolver<T>&, int b, int row, int i) const;
};

}  // namespace fathom::atmosphere
