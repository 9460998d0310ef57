/// Sequence: an ordered list of processes. From their declarations follow the fields to allocate,
/// which of them are state (restart), which are only scratch, where halos are exchanged and how
/// wide, which processes run together row by row, and the timers. Compiled once, for both
/// precisions, and assembled at run time.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <span>
#include "field/process.hpp"
#include "machine/region.hpp"
#include "parallel/ownership/decomposition.hpp"
#include "parallel/travel/exchange.hpp"
#include "sequence/schedule.hpp"
#include "sequence/tiles.hpp"

namespace fathom {

/// The part of the world that this rank computes.
struct Domain {
    MPI_Comm comm;
    int rank;
    Decomposition decomposition;
    int levels, halo;
    std::vector<int> wet_levels;       ///< of each column of the global grid, (ny, nx)
    std::vector<const Block*> blocks;  ///< of this rank
    std::string
        exchange = "packed",
        sum =
            /// how halos and sums travel: of the catalogues in transport.hpp and global_sum.hpp
        "allreduce";
    std::vector<double> area_center, area_corner,
        /// what a value counts for in means: area (ny, nx) x weight of its level; 1 where empty
        level_weights;
    Domain(MPI_Comm, Topology, int levels, std::vector<int> wet_levels, DecompositionOptions);
    int wet(Horizontal, int i,
            int j) const;  ///< wet levels at a global point, halo and outside included
};

struct Field {
    std::string name, units;
    Place place;
    bool streams = false;  ///< larger than the caches: written past them
    bool written = false, state = false,
         scratch = false;  ///< state: read before it is written. scratch: lives within a group
    int levels = 0;
    int guest_of =
        -1;  ///< lives in the memory of this field, which is empty at that time of a step
    std::vector<std::ptrdiff_t> level, row;  ///< strides of each block, in numbers
    std::vector<std::byte*> at;  ///< of each block: column 0 of row 0 (both in the halo), level 0
};

class Sequence {
public:
    struct Options {
        std::vector<std::string> keep;  ///< what output wants to see: not scratch
        std::vector<std::vector<std::string>>
            rotate;  ///< {before, now, after}: each takes the next one's place at the end of a step
        int tile =
            /// columns that pass through a group at once; 0: what the second-level cache holds; -1:
            /// measured in the first steps
            0;
        std::map<std::string, int> tiles =
            {};  ///< where tile = -1: known before, of a group by its first process
        bool compute_in_halo = true, group = true;  ///< for tests and measurements
    };
    Sequence(std::shared_ptr<const Domain>, int bytes, std::vector<Process>, Options);
    ~Sequence();
    Sequence(const Sequence&) = delete;

    void step();
    /// Before each step `values` fills the first `count` numbers of a profile, given the number of
    /// steps taken.
    void before_step(std::string_view profile, int count,
                     std::function<void(std::span<double>, long steps)> values);
    /// Before each step [0] of a profile becomes (count x step - origin) / length: the weight of
    /// the later of two forcing records.
    void ramp(std::string_view profile, double step, double origin, double length);
    void attach(std::string_view process, std::function<void()>);  ///< the work of a global process
    const Field& field(std::string_view name) const;
    bool has(std::string_view name) const;
    FieldSlab slab(const Field&) const;
    /// A value of the global grid into every point of the rank that shows it: own points, halo,
    /// folded halo. Outside the grid: the nearest value (metrics), or 0.
    void set(std::string_view name, const double* values, int first_level, int levels,
             bool nearest_outside);
    void fill(std::string_view name, double value);  ///< everywhere, halos too
    void copy(std::string_view from,
              std::string_view to);  ///< halos too; of fields at the same place
    void set_profile(std::string_view name, std::span<const double> values);
    std::vector<std::string> state()
        const;  ///< names of the restart's fields, in the order of declaration
    std::span<const Field> fields() const { return all; }

    struct Timing {
        std::string process, phase;
        double seconds;
        long calls;
        double operations;
    };  ///< operations: while `counting`, of all threads; 0 of global processes
    std::vector<Timing> timings()
        const;  ///< of threads added up and divided by their number; exchanges are entries too
    void reset_timings();
    struct GroupText {
        std::vector<std::string> exchange, processes;
        int extent, tile;
        std::string reason;
        std::vector<Tiles::Trial> trials;
        double overlapped;
    };  ///< part of its cells
    std::vector<GroupText> describe() const;
    std::size_t bytes_allocated() const { return allocated; }

    std::shared_ptr<const Domain> domain;
    const int bytes, cell;  ///< of a number; columns of a cell
    long count = 0;         ///< steps taken
    bool counting =
        false;  ///< kernels run on numbers that count (base/counted.hpp): the same bits, slowly

private:
    struct Clock {
        std::uint64_t ticks = 0, operations = 0;
        long calls = 0;
        char pad[40];
    };  // of a thread, since the group ran last
    struct Step {
        Process process;
        std::vector<int> fields;
        int extent = 0;
        std::vector<Clock> clocks;
        Region region;
        double seconds = 0, operations = 0;
        long calls = 0;
    };
    struct Sent {
        int field, width;
    };
    struct Group {
        int first, last;
        std::vector<Sent> sent;
        int extent = 0, reach = 0;
        Tiles tiles;
        std::unique_ptr<Exchange> exchange;
        std::vector<FieldSlab> slabs;
        Region region;                   // of the exchange, as are seconds and calls
        std::vector<Clock> others = {};  // of rows in which processes are not timed one by one
        double seconds = 0;
        long calls = 0;
    };
    static constexpr int most_fields = 32;  // of one process
    struct Row {
        int block, row;
        std::size_t first, last;
    };  // and cells
    struct Moving {
        std::string profile;
        std::vector<double> values;
        std::function<void(std::span<double>, long)> set;
    };
    std::vector<Moving> moving;
    std::vector<Field> all;
    std::vector<Step> steps;
    std::vector<Group> groups;
    std::vector<std::vector<std::vector<Cell>>> cells;  ///< [block][row]: only those with water
    struct Rows {
        std::vector<Row> list;
        std::size_t inner = 0;
    };  // the first `inner` need nothing from other ranks, where messages are overlapped
    std::vector<Rows> rows;  ///< of each group: what the threads share out
    std::vector<std::vector<int>> rotations;
    std::byte* memory = nullptr;
    std::size_t memory_bytes = 0;  ///< of all fields but scratch
    std::byte* scratch = nullptr;
    std::size_t scratch_bytes = 0, scratch_total = 0,
                allocated = 0;  ///< scratch_bytes: of a thread
    Options options;
    int index(std::string_view name) const;
    std::set<int> fields_of(const Group&) const;
    void declare();
    void derive();
    void share(const Schedule&);
    void choose_tiles();
    bool tries(const Group&) const;
    void allocate();
    void choose_pages();
    void cut_rows();
    void settle_guests();
    double run_rows(Group&, std::span<const Row>,
                    int calls);  // seconds; calls of each process that this counts as
    void run_row(Group&, const Row&, int thread, bool timed);
    void settle_clocks(Group&, double began, int calls);
    std::string exchanged(const Group&) const;
    int rows_of(int block) const { return domain->blocks[block]->ny + 2 * domain->halo; }
    int columns_of(int block) const { return domain->blocks[block]->nx + 2 * domain->halo; }
};

}  // namespace fathom
