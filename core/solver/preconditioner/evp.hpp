/// Blocks of 8 x 8 points solved directly by marching (tile_group.hpp), as a preconditioner
/// (Hu et al. 2015). Tiles are fixed by the grid: those that lie in several blocks travel to one
/// rank and back.
#pragma once
#include "solver/preconditioner/preconditioner.hpp"
#include "solver/preconditioner/tile_group.hpp"

namespace fathom {

class MarchingBlocks final : public Preconditioner {
public:
    explicit MarchingBlocks(const PreconditionerParts&);
    void apply(int from, int to, double size) override;

private:
    static constexpr int side = TileGroup::side, points = TileGroup::points,
                         lanes = TileGroup::tiles;
    /// Where the numbers of a tile are: in A.rows; in the buffers if row is -1; nowhere if
    /// travelling is -1, too.
    struct Tile {
        int row, column, travelling;
    };
    struct Share;
    struct Rectangles;
    struct Fields;
    struct Places;

    EllipticSpace<double>& space;
    std::vector<Tile> tiles;     ///< eight in a group; travelling ones last
    std::size_t own_groups = 0;  ///< of which none travels
    std::vector<double> numbers;
    std::vector<double> arrived, solved;  ///< of travelling tiles
    FieldSlab slab_arrived, slab_solved;
    std::unique_ptr<Exchange> there, back;

    TileGroup group(std::size_t g) {
        return TileGroup(numbers.data() + 2 * points * lanes + g * TileGroup::size);
    }
    static std::vector<Share> shares(const Decomposition&);
    Rectangles list_tiles(const std::vector<Share>&, int rank, std::vector<int>& field_of_tile);
    Tile tile_in_block(int block, int i0, int j0) const;
    Fields gather(const PreconditionerParts&, const Rectangles&, int rank, std::size_t own) const;
    void leave_out_dry_tiles(const Fields&, std::vector<int>& field_of_tile);
    void make_groups(const Fields&, const std::vector<int>& field_of_tile, const EllipticFields&);
    void plan_travel(const Rectangles&, int rank);
    void solve(int from, int to, std::size_t begin, std::size_t end);
    void solve_group(std::size_t g, int from, int to);
    void find_places(std::size_t g, int from, int to, Places&);
};

}  // namespace fathom
