/// Rows of points <-> entries of every zonal wavenumber m <-> coefficients (m, n), many fields in
/// one call: the common part of transforms on the sphere and on the plane. Derived classes define
/// the part within an m: Legendre sums (SphericalHarmonics), a second Fourier transform
/// (BiFourier).
///
///   fields    FieldSlab: f[row][level][point] with any strides, one slab for each field of any
///             number of levels. Blocks and ranks as in the Decomposition (halo 0), index space
///             longest row x rows, j = 0 in the SOUTH; a reduced row uses its first points(j)
///             columns.
///   waves     a batch [(m, n)][re, im][field-level], field-level fastest: a column of coefficients
///             is contiguous. All levels of an (m, n) are on one rank: `own` lists them, m by m in
///             order of n.
///
/// One call takes a list of items; to transform them together is faster: sums work on whole
/// registers of field-levels.
///   scalar     f
///   gradient   f and its eastward and northward derivative [1/m]; any of the three slabs may be
///              missing        (inverse only)
///   wind       vorticity and divergence <-> eastward and northward wind
/// Each way has its adjoint, the exact transpose of the real linear map between (re, im) of `own`
/// and points, with the same items:
///   inverse_adjoint: points -> coefficients,     direct_adjoint: coefficients -> points.
///
/// Bits do not depend on ranks, threads or other items of the list. A warm call allocates nothing.
/// All ranks call together.
#pragma once
#include <array>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include "machine/memory.hpp"
#include "machine/region.hpp"
#include "parallel/halo/pieces.hpp"
#include "transform/fourier/fourier.hpp"
#include "transform/on_device.hpp"
#include "transform/rows/coefficients.hpp"
#include "transform/rows/distribution.hpp"
#include "transform/rows/whole_rows.hpp"

namespace fathom {

/// The rows of a grid, from south to north.
struct TransformRows {
    std::vector<int> points;
    std::vector<double> weight;  ///< in a mean over the grid; they add up to 1
    std::vector<double> cosine;  ///< a row's length relative to that of a circle of this radius
    double radius;               ///< [m]
};

/// How the work of a transform is done.
struct TransformWork {
    /// Field-levels that travel and are computed together; 0: chosen automatically.
    int fields = 0;
    int threads = 0;  ///< 0: as set by OpenMP
    /// How transpositions travel: a name of the catalogue in transport.hpp.
    std::string exchange = "packed";
};

template <class Number> class RowTransform {
public:
    using Coefficients = fathom::Coefficients<Number>;
    struct Item {
        enum class Kind { scalar, gradient, wind } kind;
        Coefficients first, second;             ///< f, or vorticity and divergence
        const FieldSlab *field, *east, *north;  ///< must stay in place until the call returns
        int levels;
    };
    static Item scalar(Coefficients f, const FieldSlab& field) {
        return {Item::Kind::scalar, f, {}, &field, nullptr, nullptr, field.levels};
    }
    static Item gradient(Coefficients f, const FieldSlab* field, const FieldSlab* east,
                         const FieldSlab* north);
    static Item wind(Coefficients vorticity, Coefficients divergence, const FieldSlab& east,
                     const FieldSlab& north);

    struct Wave {
        int m, n;
    };

    RowTransform(MPI_Comm, TransformRows, Distribution, const Decomposition&, TransformWork);
    RowTransform(const RowTransform&) = delete;
    virtual ~RowTransform();

    const std::vector<Wave>& own() const { return waves; }      ///< of this rank
    int truncation() const { return distribution.truncation; }  ///< the largest m
    const Distribution& distribution_of_work() const { return distribution; }

    using Items = std::span<const Item>;
    void inverse(Items items) { run(items, Way::inverse); }
    void direct(Items items) { run(items, Way::direct); }
    void inverse_adjoint(Items items) { run(items, Way::inverse_adjoint); }
    void direct_adjoint(Items items) { run(items, Way::direct_adjoint); }
    void inverse(std::initializer_list<Item> items) { inverse(Items(items.begin(), items.size())); }
    void direct(std::initializer_list<Item> items) { direct(Items(items.begin(), items.size())); }
    void inverse_adjoint(std::initializer_list<Item> items) {
        inverse_adjoint(Items(items.begin(), items.size()));
    }
    void direct_adjoint(std::initializer_list<Item> items) {
        direct_adjoint(Items(items.begin(), items.size()));
    }

    /// For this rank since it was made: within the wavenumbers, along rows, between ranks.
    struct {
        Spent within, fourier, transposition;
    } spent;
    /// Of the sums within the wavenumbers of one field, one way, this rank.
    virtual double flops_of_field() const = 0;

    /// The same with fields and coefficients in the memory of a device.
    void inverse(Device&, Items);
    void direct(Device&, Items);

protected:
    virtual std::unique_ptr<TransformOnDevice> on(Device&) const = 0;
    struct RowLists;  // for that
    enum class Way { inverse, direct, inverse_adjoint, direct_adjoint };
    using Lanes = Register<Number>;
    static constexpr int width = Lanes::width;
    /// Where a lane's points are; cosine: divided by cos(phi).
    struct Target {
        const FieldSlab* slab = nullptr;
        int level = 0;
        bool cosine = false;
    };
    /// Some levels of an item; lanes of its parts.
    struct Piece {
        const Item* item;
        int level, count, lane[3];
    };
    /// Fields transformed together, in cells of `width` lanes; targets: of all lanes, then the same
    /// number of d/dlambda; fields: lanes in use; slopes: winds or northward derivatives are
    /// included.
    struct Batch {
        int cells, first_piece, last_piece, first_target;
        bool slopes, derivative;
        int fields;
    };
    struct Scratch {
        LargeVector<Lanes> a;
        LargeVector<Number> spare;
        RowAhead row_ahead;
    };
    /// Buffers of a batch in progress.
    struct Side {
        LargeVector<Lanes> wave, row;  // entries; those of this rank itself lie in `wave` alone
        std::vector<FieldSlab> wave_slab, row_slab;
        std::vector<std::unique_ptr<Exchange>> forth, back;  // by the number of cells
        // where blocks share rows
        std::vector<Number> strips;  // whole rows [row][lane][point]
        std::vector<FieldSlab> pieces_of_rows, whole_rows;
        FieldSlab nowhere;  // for lanes without a field
        std::vector<Number> spare;
        std::unique_ptr<Exchange> gather, scatter;
    };

    /// Coefficients -> entries of `wave`, operators included.
    virtual void from_waves(const Batch&, Side&, Way) = 0;
    /// Entries -> coefficients.
    virtual void to_waves(const Batch&, Side&, Way) = 0;
    /// The next own m, with the degrees first ... last.
    void list_waves(int m, int first, int last);
    bool entries_beyond_cache(const Batch&) const;

    TransformRows rows;
    Distribution distribution;
    std::vector<Wave> waves;
    std::vector<std::size_t> wave_start;  // of each own m in `waves`
    int most_cells, threads;
    std::vector<Piece> pieces;

    std::map<int, Fourier<Number>> fourier;  // by length
    std::vector<int> row_block, row_place;   // of each own row in the input of Fourier transforms

private:
    MPI_Comm comm;
    TransformWork work;
    int longest;
    double points_of_grid = 0;
    double fourier_operations = 0, own_points = 0;  // of a field, its own rows
    std::size_t cell_bytes;                         // entries of a cell
    std::vector<Scratch> scratch;
    std::vector<std::unique_ptr<Side>> sides;
    std::vector<Target> targets;
    std::vector<Batch> batches;
    bool beyond_cache = false;
    std::unique_ptr<TransformOnDevice> there;
    std::map<int, std::unique_ptr<PiecesThere>> on_device;  // by the numbers of an entry
    Plan collection;  // where blocks share rows: whole rows of their pieces
    std::map<std::vector<int>, std::unique_ptr<WholeRows>> whole_rows;  // by levels of fields

    TransformOnDevice& open(Device&);
    struct Shared;
    Shared shared(Device&, Items);
    void travel(Device&, const TransformOnDevice::Entries&, bool to_rows);
    void place_rows(const Decomposition&);
    std::size_t plan_fourier();
    void plan_travel(Side&);
    void plan_collection(Side&, const Decomposition&);

    static bool has_slope(const Item&, Way);
    static int parts_of(const Item&, Way);
    void check(const Item&, Way) const;
    int batch_size(Items, Way) const;
    void arrange(Items, Way);
    void begin_batch();
    void aim(const Item&, Way, int level, int take, int used);
    void cut(const Item&, int parts, int level, int take, int used);

    void run(Items, Way);
    void count(const Batch&);
    void count(double fields, double lanes);
    void to_points(const Batch&, Side&, Way);
    void row_to_points(const Batch&, Side&, Way, bool derivative, std::size_t row);
    void cell_to_points(const Batch&, Side&, Way, bool derivative, std::size_t row, int cell,
                        const Fourier<Number>&, Scratch&);
    void from_points(const Batch&, Side&, Way);
    void row_from_points(const Batch&, Side&, Way, std::size_t row);
    void next_row_ahead(const Batch&, Side&, std::size_t row, Scratch&);
    void depart(const Batch&, Side&, bool to_rows);
    void arrive(const Batch&, Side&, bool to_rows);
    static Exchange& exchange_of(const Batch&, Side&, bool to_rows);
    void collect(const Batch&, Side&, bool derivative, bool scatter);
    std::array<Number*, width> rows_of(const Target*, const Side&, int cell, std::size_t row,
                                       Scratch&) const;
    Lanes row_scale(const Target*, int row, bool weights) const;
    auto entry_of(const Side&, std::size_t row, int columns, int cell) const;
};

}  // namespace fathom
