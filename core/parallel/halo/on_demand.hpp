/// Halo on demand: rows of a global array; a rank holds its own points and copies, from their
/// owners, of those that it requested.
///
///   need ... need
///   cover -> anything new? then request it from the owners, and make a new plan
///   exchange, exchange ...
/// A request covers whole segments of a row, with one segment and one row more around it: the plan
/// lasts until the needs of some rank grow beyond that. Semi-Lagrangian departure points request
/// their stencils: no fixed halo is wide enough for the strongest wind.
#pragma once
#include <cstdint>
#include <optional>
#include "machine/device.hpp"
#include "parallel/halo/exchange.hpp"
#include "parallel/halo/segments.hpp"

namespace fathom {

class OnDemandHalo {
public:
    /// points: of each global row, periodic; values: numbers of a point, contiguous; bytes: of a
    /// number.
    OnDemandHalo(MPI_Comm, const Decomposition&, std::vector<int> points, int values, int bytes,
                 int levels);

    bool alone() const { return ranks == 1; }  ///< everything is here
    /// Points first ... first + count - 1 of a row, modulo its length. Any thread.
    void need(int row, int first, int count);
    /// Whether the plan has all points needed since the last call, on all ranks; if not, makes one
    /// that has them and returns true: results computed from missing points must be computed again
    /// after the next exchange.
    bool cover();
    /// rows.at: of each global row, point 0 of level 0.
    void exchange(const FieldSlab& rows);
    bool holds(int row) const { return held_rows[row]; }  ///< own points or others' are there

    /// The same of rows in memory of a device; threads mark segments.
    SegmentsThere on(Device&);
    bool cover_on(Device&);
    void exchange_on(Device&, const FieldSlab& rows);

    std::size_t points_received() const { return received; }
    /// The largest distance in rows between points of other ranks and the nearest own row.
    int rows_away() const { return away; }
    long plans = 0;  ///< made so far

private:
    static constexpr int segment = points_of_segment;
    struct Part {
        int i0, i1, owner;
    };
    MPI_Comm comm;
    int rank, ranks, values, bytes, levels;
    std::vector<int> points, first_segment;       ///< of each row
    std::vector<std::vector<Part>> owners;        ///< of each row, from west to east
    std::vector<std::uint8_t> wanted, own, held;  ///< of each segment
    std::vector<std::uint8_t> held_rows;
    std::optional<Exchange> halo;
    std::unique_ptr<Mover> mover;           // on a device
    DeviceMemory rows_there, first, marks;  // of it
    bool told = false;                      // rows_there are held_rows
    std::size_t received = 0;
    int away = 0;
    int segments(int row) const { return first_segment[row + 1] - first_segment[row]; }
    struct Request {
        int row, first, count;
    };
    struct Lists;
    void widen();
    std::vector<std::vector<Request>> requests();
    void ask();
    void travel(const FieldSlab& rows, Mover*);
    void tell(Device&);
};

}  // namespace fathom
