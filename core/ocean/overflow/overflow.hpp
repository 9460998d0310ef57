/// Overflows of dense water through channels that the grid does not resolve (Danabasoglu, Large &
/// Briegleb 2010, J. Geophys. Res. 115, C11001; Briegleb, Danabasoglu & Large 2010, NCAR/TN-481):
/// rotating hydraulics at the sill, entrainment at the shelf break, product water at its neutral
/// depth.
///   source        M_s = g'_s h_u^2 / 2f (Whitehead et al. 1974),
///       through an area of width W_s and height h_s = 2/3 h_u at the speed U_s
///   at the break  U_g = g'_e alpha / f on the slope alpha,
///       spread to the width W_s + 2 c_d (U_s + U_g) x / f (h_s + h_g) over the distance x,
///       M_s = U_g h_g W_g
///   entrainment   phi = 1 - F^(-2/3), F^2 = U_g^2 / g'_e h_g (Price & Baringer 1994),
///       M_p = M_s / (1 - phi),   M_e = M_p - M_s
/// g'_s: source over interior water at the sill's depth; g'_e: source over entrained water at the
/// depth of the break. Product water goes to the deepest of its sites that is lighter.
#pragma once
#include <functional>
#include "field/global_process.hpp"
#include "parallel/sums/reduce.hpp"

namespace fathom::ocean {

/// [s-1, m, m, m, 1, 1]
struct OverflowShape {
    double coriolis, width, thickness, distance, slope, drag;
};
/// [m3 s-1]
struct OverflowTransports {
    double source, entrainment, product;
};
OverflowTransports overflow_transports(const OverflowShape&, double source_buoyancy,
                                       double entrainment_buoyancy);

class Overflows final : public GlobalProcess {
public:
    using Cells = std::vector<std::array<int, 3>>;  ///< k, j, i of the global grid
    struct Site {
        double pressure;  ///< [dbar]
        Cells cells;
    };
    struct Overflow {
        OverflowShape shape;
        double sill_pressure, break_pressure;
        Cells inflow, source, entrainment;    ///< whose means are used
        Cells from_source, from_entrainment;  ///< where water leaves
        std::vector<Site> products;           ///< from the shallowest to the deepest
    };
    /// Of temperature, salinity and pressure, less a function of pressure [kg m-3].
    using Density = std::function<double(double, double, double)>;
    /// thickness: of the layers; tracers: temperature, salinity and all others, with their units.
    Overflows(std::vector<Overflow>, std::vector<double> thickness,
              const std::vector<std::pair<std::string, std::string>>& tracers, Density);
    void prepare(Given) override;
    void apply(Given) override;
    bool apply_on(Device&, Given) override;
    bool lives_on(Device&) override { return true; }
    std::vector<OverflowTransports> transports;  ///< of the last step
    std::vector<int> sites;                      ///< to which product water went; -1: none

private:
    /// A cell of a set, on this rank; shares of all ranks sum to 1.
    struct Own {
        int block, row, column, k;
        double share;
    };
    using Set = std::vector<Own>;
    /// Sets of an overflow, from first[n] on; then its product sites.
    enum { inflow, source, entrainment, from_source, from_entrainment, product_sites };
    enum : std::size_t { temperature, salinity };  // the first tracers
    Set resolve(const Domain&, const Cells&) const;
    double mean(std::size_t tracer, int set) const {
        return means[tracer * sets.size() + std::size_t(set)];
    }
    /// Contents of the cells of all sets: of each tracer, set and cell, in this order.
    std::vector<double> contents;
    template <class Body> void each_cell(Body) const;
    /// Writes to a cell of a column: values are written in the order of the list.
    struct Written {
        Item field;
        int block, row, column;
        double value;
    };
    std::vector<Written> written;
    void decide(MPI_Comm);
    void average(MPI_Comm);
    void settle();
    void product(std::size_t tracer);

    const Item level = writes("outlet_level", place::center_column, "1"),
               volume = writes("outlet_volume", place::center_column, "m3 s-1");
    struct Tracer {
        Item content, outlet;
    };
    std::vector<Tracer> tracers;
    std::vector<Overflow> all;
    std::vector<double> thickness;
    Density density;
    std::vector<Set> sets;  // of all overflows
    std::vector<int> first;
    std::vector<ExactSum> sums;          // of each tracer, of each set
    std::vector<double> means, largest;  // largest: term of each tracer
};

}  // namespace fathom::ocean
