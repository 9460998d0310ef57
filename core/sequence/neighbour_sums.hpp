/// The adjoint of a process that looks at neighbours. Each column writes its part for the column
/// `o` away into slot o; the parts of a column are then added in the order in which those that give
/// them lie in the grid:
///   x'(c)  +=  sum over o of part_o(c - o),   first those of the grid, then those across its fold
/// so the bits depend on neither ranks, blocks, tiles nor threads.
///
/// Blocks are cut into bands of rows, which threads share. A band goes through its rows once, tile
/// by tile: the slots of a tile, and sums for the rows in reach of the present one, stay in the
/// caches. Parts for columns next to the edges of a band, on both sides, are kept apart in four
/// strips; those beyond an edge travel to the band that owns the column, as halos do, in the other
/// direction (parallel/halo/plan.hpp).
///
/// A point on the seam of a folded grid is one point with two pairs of indices: the first gets both
/// adjoints. Columns without water, and levels below the bottom, are constants: no adjoint is
/// added.
#pragma once
#include <array>
#include <functional>
#include "field/field_set.hpp"
#include "parallel/halo/exchange.hpp"

namespace fathom {

/// Which values of a set depend on the state: in own columns with water, above the bottom.
class Active {
public:
    explicit Active(const Domain&);
    /// Wet levels of the columns of a stored row; 0 in the halo.
    const int* row(int block, int row) const {
        return wet[block].data() + std::size_t(row) * domain.columns_of(block);
    }
    /// Values of a field in a column with so many wet levels.
    static int count(const Field& f, int wet) {
        if (wet == 0 || f.place.vertical == Vertical::column) return wet > 0;
        return wet + (f.place.vertical == Vertical::interface);
    }
    /// Sets all others to 0.
    void clear_others(FieldSet&, int field) const;

private:
    const Domain& domain;
    std::vector<std::vector<int>> wet;  ///< of each block
};

class NeighbourSums {
public:
    /// stencil: the offsets that parts go to, from the north-east to the south-west, row by row;
    /// empty: all in reach.
    NeighbourSums(const Layout&, const Process&, std::span<const int> fields,
                  std::shared_ptr<const Active>, std::span<const Shift> stencil = {});
    /// Writes the parts of some cells of a row to slots, as adjoint_by_cells does: of each field
    /// that is read at neighbours one for each offset, beginning with the first cell.
    using Parts = std::function<void(int block, int row, std::span<const Cell>, const Raw* slots)>;
    /// Adds the adjoint to the fields that the process reads at neighbours.
    void add(FieldSet& gradient, const Parts&);

private:
    /// A field that is read at neighbours, and varies. seam: has points with two pairs of indices,
    /// and one more slot for the second ones.
    struct Target {
        int field, reach, first_slot, slots;
        Horizontal horizontal;
        bool vector, seam;
        int levels;
        std::vector<Shift> to;  ///< of each slot
    };
    struct Band {
        int block, row;  ///< of its first own row, in the stored block
        const Block* cut;
    };
    struct Strip {
        int row = 0, column = 0, rows = 0, columns = 0;
    };
    using Strips = std::array<Strip, 4>;  ///< south, north, west, east
    /// Slots of the strips of all bands.
    struct Set {
        Pages memory;
        std::vector<FieldSlab> slots;  ///< of each; a strip is a block of it
    };
    class Work;

    const Layout& layout;
    const Domain& domain;
    std::shared_ptr<const Active> active;
    const int bytes;
    int reach = 0, tile = 0;  ///< tile: columns
    std::vector<Target> targets;
    std::vector<int> given;   ///< for each slot of the process, its number here, or -1
    std::vector<int> levels;  ///< of each slot
    Decomposition fine;       ///< into bands
    std::vector<Band> bands;
    std::vector<Strips> strips;  ///< of each band
    Set direct, mirrored;
    std::vector<FieldSlab> own, sent, received;  ///< of exchanges: within the grid, across its fold
    std::unique_ptr<Exchange> back, across;

    void find_targets(const Process&, std::span<const int> fields, std::span<const Shift> stencil);
    void cut_bands();
    Strips strips_of(const Block&) const;
    struct InStrip {
        int block, row, column;
    };
    /// Where a stored column of a band lies in its strips. Throws Error: it lies in none.
    InStrip in_strip(const Block&, int band, int row, int column) const;
    Set make_set() const;
    Plan strip_plan(const Target&, bool flipped) const;
    void open_exchanges();
    template <class T> void run(FieldSet&, const Parts&);
    template <class T> void run_band(FieldSet&, const Parts&, std::size_t band, Work&);
    template <class T>
    void run_tile(std::size_t band, int row, std::span<const Cell>, const Parts&, Work&);
    template <class T>
    void keep_apart(std::size_t band, int row, int column, int slot, int levels, Shift, Work&);
    template <class T> void clear_halo(const Band&, int column, int count, Work&);
    std::span<const Cell> own_cells(const Band&, int row) const;
    template <class T> void settle_row(FieldSet&, std::size_t band, int row, Work&);
    template <class T> void add_strips(FieldSet&, std::size_t band);
    template <class T> void take_seam(FieldSet&, std::size_t band);
    bool is_second(const Target&, const Band&, int row, int column) const;
};

}  // namespace fathom
