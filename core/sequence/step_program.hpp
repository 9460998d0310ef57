/// StepProgram: an ordered list of processes, to be run on field sets. The declarations of the
/// processes determine the fields to allocate, which of them are state (restart), which are only
/// scratch, where halos are exchanged and how wide, which processes run together row by row, and
/// the timers. Compiled once, for both precisions, and assembled at run time.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include "field/field_set.hpp"
#include "field/global_process.hpp"
#include "machine/region.hpp"
#include "parallel/halo/exchange.hpp"
#include "sequence/beyond.hpp"
#include "sequence/schedule.hpp"
#include "sequence/tiles.hpp"

namespace fathom {

class StepProgram {
public:
    struct Options {
        std::vector<std::string> keep;  ///< fields for output: not scratch
        /// {before, now, after}: each gets the values of the next one at the end of a step.
        std::vector<std::vector<std::string>> rotate;
        /// Columns that pass through a group at once: a tile of at most a row ends with its row,
        /// more are whole rows that join; 0: as many as fit into the second-level cache; -1:
        /// measured in the first steps; -n, n > 1: n columns, whatever the rows, which join and are
        /// cut anywhere.
        int tile = 0;
        /// Where tile = -1: values known before, of a group by its first process.
        std::map<std::string, int> tiles = {};
        bool compute_in_halo = true, group = true;  ///< for tests and measurements
        /// Its field sets may live on a device, where scratch is an ordinary field.
        bool device = false;
        /// For steps with a tangent: each field of a set has separate memory.
        bool tangent = false;
        /// Its sets lie in the memory of other sets (repeat.hpp).
        bool borrowed = false;
    };
    StepProgram(std::shared_ptr<const Domain>, int bytes, std::vector<Process>, Options);
    StepProgram(const StepProgram&) = delete;

    /// What its field sets hold: FieldSet(sequence.layout()) is one, all zero.
    std::shared_ptr<const Layout> layout() const { return plan; }
    /// Fills a set, then prepares the global processes, once, for sets with these values of fields
    /// that never change: matrices are made of depths and areas.
    void prepare(FieldSet&, const std::function<void()>& fill);
    /// The start of global processes from an initial state: once, not after a restart.
    void start(FieldSet&);
    /// Halos, and the work of global processes, after fields have been set between two steps.
    void changed(FieldSet&);
    void step(FieldSet&);
    /// A step of a set, and of a small change of it: change becomes M' change about the set as it
    /// was. Throws Error: a process without tangent, time levels that stand differently in both.
    void step(FieldSet&, FieldSet& change);

    /// The processes once more within a step of an outer program (repeat.hpp): time levels stay.
    void repeat(FieldSet&);

    /// Before each step `values` fills the first `count` numbers of a profile, given the number of
    /// steps taken.
    using Values = std::function<void(std::span<double>, long steps)>;
    void before_step(std::string_view profile, int count, Values values);
    /// Before each step [0] of a profile becomes (count x step - origin) / length: the weight of
    /// the later of two forcing records.
    void ramp(std::string_view profile, double step, double origin, double length);

    /// One process with its fields, by their number in the layout.
    struct Part {
        const Process& process;
        std::span<const int> fields;
    };
    std::vector<Part> parts() const;  ///< in order
    /// Names of processes that a device cannot run: they run here, and their fields are copied.
    std::vector<std::string> left_by(Device&) const;
    /// The profiles that the next step of a set will use.
    void set_profiles(FieldSet&);
    /// The global processes, in order.
    std::vector<std::shared_ptr<GlobalProcess>> globals() const;

    /// operations: while `counting`, of all threads; 0 of global processes.
    struct Timing {
        std::string process, phase;
        double seconds;
        long calls;
        double operations;
    };
    /// Of threads added up and divided by their number; exchanges are entries, too.
    std::vector<Timing> timings() const;
    void reset_timings();
    /// overlapped: part of the cells of a group that are computed while messages travel.
    struct GroupText {
        std::vector<std::string> exchange, processes;
        int extent, tile;
        std::string reason;
        std::vector<Tiles::Trial> trials;
        double overlapped;
    };
    std::vector<GroupText> describe() const;
    /// Of scratch, and of one field set.
    std::size_t bytes_allocated() const { return scratch.bytes + plan->memory; }

    const std::shared_ptr<const Domain> domain;
    const int bytes, cell;  ///< of a number; columns of a cell
    /// Kernels run on numbers that count (base/counted.hpp): the same bits, slowly.
    bool counting = false;

private:
    /// Of a thread, since the group ran last.
    struct Clock {
        std::uint64_t ticks = 0, operations = 0;
        long calls = 0;
    };
    /// A field for a kernel: that of column 0 of row 0 and of thread 0, and bytes to the next ones;
    /// place: to the next column of a tile, of scratch.
    struct Argument {
        Raw at;
        std::ptrdiff_t column, row, thread, place;
    };
    struct Step {
        Process process;
        std::vector<int> fields;
        int extent = 0;
        std::vector<Clock> clocks;
        Region region;
        double seconds = 0, operations = 0;
        long calls = 0;
        std::vector<Argument> arguments;  // of all blocks, of the set at which it runs
        bool global() const { return process.global != nullptr; }
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
        Beyond beyond = {};  // of the fields that it reads at neighbours
        bool joins = false;  // its rows (joined.cpp)
    };
    static constexpr int most_fields = 80;  // of a process of columns
    /// Cells [first, last) of a row of a block.
    struct Row {
        int block, row;
        std::size_t first, last;
    };
    /// Work that threads share; the first `inner` rows need nothing from other ranks, where
    /// messages are overlapped.
    struct Rows {
        std::vector<Row> list;
        std::size_t inner = 0;
        /// Where rows join: pieces of rows that pass through the group together.
        std::vector<std::vector<Row>> joined = {}, joined_outer = {};
    };
    struct Moving {
        std::string profile;
        std::vector<double> values;
        Values set;
    };

    Options options;
    std::shared_ptr<Layout> plan;
    std::vector<Moving> moving;
    std::vector<Step> steps;
    std::vector<Group> groups;
    std::vector<Rows> rows;  // of each group
    Pages scratch;
    std::size_t scratch_bytes = 0;  // of a thread
    int threads = 1;                // as many as it was prepared for
    class OnDevice;                 // on_device.cpp
    std::shared_ptr<OnDevice> on_device;

    // what the constructor does, in this order
    void declare();
    int declared(const Process::Field&);
    void agree(const Process&, const Process::Field&, Field&) const;
    void check_rotation(const std::vector<int>& cycle);
    void check_units_of_tracers() const;
    void derive();
    std::vector<bool> kept_fields() const;
    void form(const Schedule::Group&);
    void share(const Schedule&);
    void cut_cells();
    void cut_rows();
    std::pair<std::size_t, std::size_t> inner_cells(const Group&, int block, int row,
                                                    bool outer) const;
    void count_levels();
    void choose_tiles();
    int columns_that_join(int widest) const;
    void join_rows();
    std::vector<std::vector<Row>> join(std::span<const Row>, int tile) const;
    void place_scratch();
    void open_exchanges();
    void fill_halos(FieldSet&);
    void find_edges();

    std::set<int> fields_of(const Group&) const;
    bool tries(const Group&, long count) const;
    void apply(Step&, FieldSet&);
    void pass(FieldSet&);
    void run(Group&, const Rows&, FieldSet&);
    /// Seconds; number of calls of each process that this counts for.
    double run_rows(Group&, const Rows&, bool inner, FieldSet&, int calls);
    void step_on_device(FieldSet&);
    void run_row(Group&, const Row&, const FieldSet&, int thread, bool timed);
    void run_together(Group&, std::span<const Row>, const FieldSet&, int thread, bool timed);
    std::span<const Cell> cells_of(const Row&) const;
    bool takes_turn(const Step&, const Row&, const FieldSet&) const;
    /// place: columns of the tile before these cells.
    bool passes_over(const Step&, const Row&, std::span<const Cell> tile, int thread,
                     int place) const;
    void run_tile(Step&, const Row&, std::span<const Cell> tile, int thread, int place = 0);
    void find_arguments(Step&, const FieldSet&) const;
    void arguments(const Step&, const Row&, int column, int thread, int place, Raw* at) const;
    void exchange(Group&, FieldSet&);
    void run_tangent(Group&, const Rows&, FieldSet&, FieldSet& change);
    void settle_clocks(Group&, double began, int calls);
    std::string exchanged(const Group&) const;
};

}  // namespace fathom
