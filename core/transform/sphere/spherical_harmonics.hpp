/// Spherical harmonics: fields on a Gaussian grid <-> coefficients of a triangular truncation N,
/// many fields in one call.
///
///   inverse   f(lambda, mu) = sum_{|m| <= N} sum_{n=|m|}^{N} f_n^m P_n^m(mu) exp(i m lambda),
///             f_n^{-m} = conj f_n^m
///   direct    f_n^m = sum_rows weight P_n^m(mu) 1/points sum_points f exp(-i m lambda)
/// P as in legendre.hpp: f_0^0 is the mean over the sphere. Coefficients with m >= 0 are kept;
/// those of m = 0 are real.
///
///   fields    FieldSlab: f[row][level][point] with any strides, one slab for each field of any
///             number of levels. Blocks and ranks as in the Decomposition (halo 0), index space
///             longest row x rows, j = 0 in the SOUTH; a reduced row uses its first points(j)
///             columns.
///   waves     a batch [(m, n)][re, im][field-level], field-level fastest: a column of coefficients
///             is contiguous. All levels of an (m, n) are on one rank: `own` lists them, m by m in
///             order of n, for one rank from (0, 0) to (N, N).
///
/// One call takes a list of items; what is transformed together is faster: Legendre sums work on
/// whole registers of field-levels.
///   scalar     f
///   gradient   f and its eastward and northward derivative [1/m]; any of the three slabs may be
///              missing        (inverse only)
///   wind       vorticity and divergence <-> eastward and northward wind (not times cos phi)
/// Each way has its adjoint, the exact transpose of the real linear map between (re, im) of `own`
/// and points, with the same items:
///   inverse_adjoint: points -> coefficients,     direct_adjoint: coefficients -> points.
///
/// Bits do not depend on ranks, threads or what else is in the list. A warm call allocates nothing.
/// All ranks call together.
#pragma once
#include <array>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include "base/constants.hpp"
#include "machine/region.hpp"
#include "parallel/travel/exchange.hpp"
#include "transform/fourier/fourier.hpp"
#include "transform/sphere/distribution.hpp"
#include "transform/sphere/legendre.hpp"
#include "transform/sphere/operators.hpp"

namespace fathom {

struct TransformOptions {
    double radius = constants::earth_radius;  ///< of the sphere [m]: gradients, winds
    /// Field-levels that travel and are computed together; 0: chosen.
    int fields = 0;
    int threads = 0;  ///< 0: as OpenMP is set
    /// Bytes: Legendre functions that would need more are computed on the fly.
    std::size_t table = 4 << 20;
    /// How transpositions travel: of the catalogue in transport.hpp.
    std::string exchange = "packed";
};

template <class Number> class SphericalHarmonics {
public:
    using Coefficients = fathom::Coefficients<Number>;
    struct Item {
        enum class Kind { scalar, gradient, wind } kind;
        Coefficients first, second;             ///< f, or vorticity and divergence
        const FieldSlab *field, *east, *north;  ///< they stay where they are until the call returns
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

    SphericalHarmonics(MPI_Comm, const GaussianGrid&, int truncation, const Decomposition&,
                       TransformOptions = {});
    SphericalHarmonics(const SphericalHarmonics&) = delete;
    ~SphericalHarmonics();

    const std::vector<Wave>& own() const { return waves; }  ///< of this rank
    int truncation() const { return distribution.truncation; }
    const Distribution& distribution_of_work() const { return distribution; }

    using Items = std::span<const Item>;
    void inverse(Items items) { run(items, Way::inverse); }
    void direct(Items items) { run(items, Way::direct); }
    void inverse_adjoint(Items items) { run(items, Way::inverse_adjoint); }
    void direct_adjoint(Items items) { run(items, Way::direct_adjoint); }
    void inverse(std::initializer_list<Item> items) { inverse(Items(items.begin(), items.size())); }
    void direct(std::initializer_list<Item> items) { direct(Items(items.begin(), items.size())); }

    /// By this rank since it was made.
    struct {
        Spent legendre, fourier, transposition;
    } spent;
    /// Of the Legendre sums of one field, one way, this rank.
    double flops_of_field() const;
    std::size_t table_bytes() const { return legendre.bytes(); }

private:
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
    /// What is transformed together, in cells of `width` lanes; targets: of all lanes, then as many
    /// of d/dlambda; fields: lanes in use.
    struct Batch {
        int cells, first_piece, last_piece, first_target, highest;
        bool derivative;
        int fields;
    };
    using Rows = typename Legendre<Number>::Rows;
    struct Scratch {
        LargeVector<Lanes> a, spectral, nowhere, zeros;
        std::vector<Rows> rows;
        typename Legendre<Number>::Scratch legendre;
        LargeVector<Number> spare;
        WaveAhead wave_ahead;
        RowAhead row_ahead;
    };
    /// Buffers of a batch under way.
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

    MPI_Comm comm;
    TransformOptions options;
    GaussianGrid grid;
    Distribution distribution;
    Legendre<Number> legendre;
    std::vector<Wave> waves;
    std::vector<std::size_t> wave_start;            // of each own m in `waves`
    std::vector<std::vector<Number>> epsilon;       // of each own m
    std::map<int, Fourier<Number>> fourier;         // by length
    double fourier_operations = 0, own_points = 0;  // of a field, its own rows
    std::vector<int> row_block, row_place;  // of each own row in what Fourier transforms see
    std::size_t cell_bytes;                 // entries of a cell
    int most_cells, threads;
    std::vector<Scratch> scratch;
    std::vector<std::unique_ptr<Side>> sides;
    std::vector<Piece> pieces;
    std::vector<Target> targets;
    std::vector<Batch> batches;
    bool beyond_cache = false;

    void list_waves();
    void place_rows(const Decomposition&);
    std::size_t plan_fourier();
    void make_scratch(std::size_t packs);
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
    void to_waves(const Batch&, Side&, Way);
    void from_waves(const Batch&, Side&, Way);
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
    bool entries_beyond_cache(const Batch&) const;
    Lanes row_scale(const Target*, int row, bool weights) const;
    void coefficients_ahead(std::size_t wave, const Batch&, Scratch&) const;
    const Rows* rows_of(int wave, Lanes* entries, int columns, Lanes* beyond, Scratch&) const;
    auto entry_of(const Side&, std::size_t row, int columns, int cell) const;
    template <class Act> void operate(int wave, const Batch&, Lanes* S, int degrees, Act) const;
};

}  // namespace fathom
