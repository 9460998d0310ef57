/// Overflows of dense water through channels that the grid does not see (Danabasoglu, Large &
/// Briegleb 2010, J. Geophys. Res. 115, C11001; Briegleb, Danabasoglu & Large 2010, NCAR/TN-481):
/// rotating hydraulics at the sill, entrainment where the shelf breaks, product water at its
/// neutral depth.
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
#include "parallel/sum/reduce.hpp"
#include "sequence/sequence.hpp"

namespace fathom::ocean {

struct OverflowShape {
    double coriolis, width, thickness, distance, slope, drag;
};  ///< [s-1, m, m, m, 1, 1]
struct OverflowTransports {
    double source, entrainment, product;
};  ///< [m3 s-1]
OverflowTransports overflow_transports(const OverflowShape&, double source_buoyancy,
                                       double entrainment_buoyancy);

class Overflows {
public:
    using Cells = std::vector<std::array<int, 3>>;  ///< k, j, i of the global grid
    struct Site {
        double pressure;
        Cells cells;
    };  ///< [dbar]
    struct Overflow {
        OverflowShape shape;
        double sill_pressure, break_pressure;
        Cells inflow, source, entrainment;    ///< whose means decide
        Cells from_source, from_entrainment;  ///< where water leaves
        std::vector<Site> products;           ///< from the shallowest to the deepest
    };
    Overflows(Sequence&, std::vector<Overflow>, const std::vector<double>& thickness,
              const std::vector<std::string>& tracers);
    std::vector<OverflowTransports> transports;  ///< of the last step
    std::vector<int> sites;                      ///< to which product water went; -1: none

private:
    struct Own {
        int b, row, column, k;
        double share;
    };  ///< of a set of cells, on this rank; shares of all ranks sum to 1
    using Set = std::vector<Own>;
    enum {
        inflow,
        source,
        entrainment,
        from_source,
        from_entrainment,
        product_sites
    };  ///< sets of an overflow, from first[n] on; then its product sites
    enum : std::size_t { temperature, salinity };  ///< the first tracers
    Set resolve(const Cells&, const std::vector<double>& thickness) const;
    double mean(std::size_t tracer, int set) const {
        return means[tracer * sets.size() + std::size_t(set)];
    }
    void average();
    void settle();
    void product(std::size_t tracer, const Field& outlet);
    Sequence& sequence;
    std::vector<Overflow> all;
    std::vector<Set> sets;  // of all overflows
    std::vector<int> first;
    std::vector<const Field*> tracers;
    std::vector<ExactSum> sums;          // of each tracer, of each set
    std::vector<double> means, largest;  // largest: term of each tracer
};

}  // namespace fathom::ocean
