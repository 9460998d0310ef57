/// Steps of a sequence on a device: the same processes in the same order, each over all its columns
/// by one launch. The processes between two that need the CPU (messages, a global process) are
/// recorded once; later steps replay the recording. A process for which the device has no kernel
/// is computed on the CPU, and its fields are copied.
#include <algorithm>
#include <map>
#include "base/error.hpp"
#include "machine/ticks.hpp"
#include "sequence/step_program.hpp"

namespace fathom {

class StepProgram::OnDevice {
public:
    OnDevice(StepProgram& of, std::shared_ptr<Device> given) : of(of), device(std::move(given)) {
        for (auto& s : of.steps)
            kernels.push_back(s.global() ? nullptr
                                         : (Process::Run)device->kernel(s.process.entry, of.bytes));
        MPI_Comm_size(of.domain->comm, &ranks);
        for (auto& g : of.groups)
            if (g.exchange) movers[&g] = device->make<Mover>(g.exchange->points());
        place_own();
        find_pieces();
        for (auto& piece : pieces) branch_out(piece);
        for (auto& s : of.steps) {  // nothing is allocated while something is recorded
            int cells = 0;
            for (int b = 0; b < int(of.domain->blocks.size()); ++b)
                cells = std::max(cells, columns(b, s.extent).count);
            schemes.push_back(device->settled(s.process.entry, s.process.scheme, of.bytes,
                                              std::size_t(cells * of.cell), of.domain->levels));
        }
    }
    void step(FieldSet& set) {
        for (auto& piece : pieces) piece.alone ? alone(piece, set) : run(piece, set);
    }
    const Device* on() const { return device.get(); }

private:
    StepProgram& of;
    std::shared_ptr<Device> device;
    std::vector<Process::Run> kernels;                      // of each process
    std::vector<std::shared_ptr<const void>> schemes;       // as the kernels want them
    static constexpr int timed_every = 64;                  // steps
    std::map<const Group*, std::unique_ptr<Mover>> movers;  // of its exchange
    int ranks = 1;

    /// Cells of a block on the device, with the rows up to an extent in the halo.
    struct Columns {
        DeviceMemory memory;
        int count = 0, first = 0;  // cells; the first column
        const Cell* begin() const { return (const Cell*)memory.at; }
    };
    std::map<std::pair<int, int>, Columns> known;       // of (block, extent)
    DeviceMemory own;                                   // of kernels themselves
    std::map<std::pair<int, int>, std::size_t> own_at;  // of (process, field), in it

    /// A process, or the exchange before a group; seconds: its time, measured separately, in its
    /// second run and in every 64th step.
    struct Work {
        int process = -1;
        Group* exchange = nullptr;
        double seconds = 0;
        bool timed = false;
        /// In a recording (`branch_out`): the branch in which it runs, and the works of other
        /// branches for which it waits.
        int branch = 0;
        std::vector<int> after = {};
    };
    /// Works that need only the device; or a single work that needs the CPU: an exchange with
    /// other ranks, a global process, or a process without a kernel for the device.
    struct Piece {
        bool alone = false, ran = false;
        std::vector<Work> works = {};
        std::vector<int> read = {}, written = {};  // fields
        /// The key: the addresses of fields, and which processes run.
        std::map<std::size_t, std::unique_ptr<Device::Recording>> recordings = {};
    };
    std::vector<Piece> pieces;

    const Columns& columns(int block, int extent) {
        auto [found, made] = known.try_emplace({block, extent});
        Columns& c = found->second;
        if (!made) return c;
        const int h = of.domain->halo, ny = of.domain->blocks[block]->ny;
        std::vector<Cell> list;
        for (int r = h - extent; r < h + ny + extent; ++r)
            for (Cell cell : of.plan->cells[block][r]) cell.row = r, list.push_back(cell);
        c.count = int(list.size());
        c.first = list.empty() ? 0 : list.front().column;
        c.memory = fathom::on_device(device, list.data(), list.size());
        return c;
    }

    /// Each column of the widest block has separate memory for every kernel, because kernels run
    /// at the same time.
    void place_own() {
        std::size_t bytes = 0;
        for (int p = 0; p < int(of.steps.size()); ++p)
            for (int n : of.steps[p].fields)
                if (const Field& f = of.plan->fields[n]; f.own) {
                    own_at[{p, n}] = bytes;
                    bytes += rows() * own_row(f) * of.bytes;
                }
        own = DeviceMemory(device, bytes + 64);
    }
    std::size_t rows() const {
        int most = 0;
        for (int b = 0; b < int(of.domain->blocks.size()); ++b)
            most = std::max(most, of.domain->rows_of(b));
        return most;
    }
    int width() const {
        int widest = 1;
        for (int b = 0; b < int(of.domain->blocks.size()); ++b)
            widest = std::max(widest, of.domain->columns_of(b));
        return padded_columns(widest, of.cell);
    }
    std::ptrdiff_t own_row(const Field& f) const { return std::ptrdiff_t(f.levels) * width(); }

    void find_pieces() {
        for (auto& g : of.groups) {
            if (g.exchange) add_exchange(g);
            for (int p = g.first; p < g.last; ++p) {
                Piece& piece = piece_for({p}, !kernels[p]);
                const auto& uses = of.steps[p].process.fields;
                for (std::size_t i = 0; i < uses.size(); ++i) {
                    const int n = of.steps[p].fields[i];
                    if (uses[i].own) continue;
                    if (uses[i].access != Access::writes) piece.read.push_back(n);
                    if (uses[i].access != Access::reads) piece.written.push_back(n);
                }
            }
        }
    }

    /// Memory that a work uses, by the field that holds it, and whether it writes there.
    std::map<int, bool> memory_of(const Work& w) const {
        std::map<int, bool> used;
        const auto use = [&](int n, bool writes) {
            const int guest_of = of.plan->fields[n].guest_of;
            used[guest_of < 0 ? n : guest_of] |= writes;
        };
        if (w.exchange)
            for (auto& sent : w.exchange->sent) use(sent.field, true);
        else
            for (std::size_t i = 0; i < of.steps[w.process].fields.size(); ++i)
                if (auto& declared = of.steps[w.process].process.fields[i]; !declared.own)
                    use(of.steps[w.process].fields[i], declared.access != Access::reads);
        return used;
    }

    /// A work continues the branch of the last work that it depends on, if no other does yet;
    /// otherwise it begins a new branch.
    void branch_out(Piece& piece) const {
        std::vector<std::map<int, bool>> used;
        std::vector<int> last;  // work of each branch
        for (int n = 0; n < int(piece.works.size()); ++n) {
            Work& w = piece.works[n];
            used.push_back(memory_of(w));
            w.after.clear(), w.branch = -1;
            for (int m = 0; m < n; ++m)
                if (conflict(used[m], used[n])) w.after.push_back(m);
            for (auto m = w.after.rbegin(); m != w.after.rend() && w.branch < 0; ++m)
                if (last[piece.works[*m].branch] == *m) w.branch = piece.works[*m].branch;
            if (w.branch < 0) w.branch = int(last.size());
            last.resize(std::max<std::size_t>(last.size(), w.branch + 1));
            last[w.branch] = n;
            if (w.after.empty() && n > 0) w.after.push_back(0);  // a branch begins in another
            std::erase_if(w.after, [&](int m) { return piece.works[m].branch == w.branch; });
        }
    }

    static bool conflict(const std::map<int, bool>& a, const std::map<int, bool>& b) {
        return std::ranges::any_of(a, [&](auto& use) {
            const auto found = b.find(use.first);
            return found != b.end() && (use.second || found->second);
        });
    }

    Piece& piece_for(Work work, bool alone) {
        if (alone || pieces.empty() || pieces.back().alone) pieces.push_back({alone});
        pieces.back().works.push_back(work);
        return pieces.back();
    }

    void add_exchange(Group& g) {
        Piece& piece = piece_for({-1, &g}, ranks > 1);
        for (auto& s : g.sent) piece.read.push_back(s.field), piece.written.push_back(s.field);
    }

    bool runs(int p, const FieldSet& set) const {
        return set.count % of.steps[p].process.every == 0;
    }

    void run(Piece& piece, FieldSet& set) {
        static const Region of_kernels("kernels");
        // also those that are written: a kernel may write only a part of them
        for (int n : piece.read) set.send(n);
        for (int n : piece.written) set.send(n);
        {
            Within within(of_kernels);
            const double t = seconds_now();
            const bool apart = regions.on && (set.count % timed_every == timed_every / 2 ||
                                              (piece.ran && untimed(piece, set)));
            piece.ran = true;
            if (apart || !device->records())
                launch(piece, set, apart);
            else
                replay(piece, set);
            device->wait();
            settle(piece, set, t, seconds_now() - t, apart);
        }
        for (int n : piece.written) set.changed_there(n);
    }

    bool untimed(const Piece& piece, const FieldSet& set) const {
        return std::ranges::any_of(piece.works, [&](const Work& w) {
            return !w.timed && (w.exchange || runs(w.process, set));
        });
    }

    void launch(const Piece& piece, FieldSet& set, bool apart = false) {
        for (int n = 0; n < int(piece.works.size()); ++n) {
            if (apart) device->mark(n);
            if (const Work& w = piece.works[n]; w.exchange)
                exchange(*w.exchange, set);
            else if (runs(w.process, set))
                launch(w.process, set);
        }
        if (apart) device->mark(int(piece.works.size()));
    }

    /// Launches in branches: works run at the same time if none writes a field that another uses.
    void launch_branches(const Piece& piece, FieldSet& set) {
        const int count = int(piece.works.size());
        std::vector<int> last{-1};  // work of each branch
        for (int n = 0; n < count; ++n) {
            const Work& w = piece.works[n];
            device->branch(w.branch);
            for (int before : w.after) device->after(before);
            if (w.exchange)
                exchange(*w.exchange, set);
            else if (runs(w.process, set))
                launch(w.process, set);
            device->reached(n);
            last.resize(std::max<std::size_t>(last.size(), w.branch + 1), -1);
            last[w.branch] = n;
        }
        device->branch(0);
        for (std::size_t b = 1; b < last.size(); ++b) device->after(last[b]);
    }

    void replay(Piece& piece, FieldSet& set) {
        auto& recording = piece.recordings[signature(piece, set)];
        if (!recording) {
            for (auto& w : piece.works)
                if (w.exchange)
                    aim(*w.exchange, set), movers[w.exchange]->expect(w.exchange->slabs);
            device->record();
            launch_branches(piece, set);
            recording = device->recorded();
        }
        recording->replay();
    }

    /// Divides the time of a piece among its works, in proportion to their separate times.
    void settle(Piece& piece, const FieldSet& set, double began, double seconds, bool apart) {
        double all = 0;
        for (int n = 0; n < int(piece.works.size()); ++n) {
            Work& w = piece.works[n];
            if (!w.exchange && !runs(w.process, set)) continue;
            if (apart) w.seconds = device->between(n, n + 1), w.timed = true;
            all += w.seconds;
        }
        for (auto& w : piece.works) {
            if (!w.exchange && !runs(w.process, set)) continue;
            const double share =
                all > 0 ? seconds * w.seconds / all : seconds / double(piece.works.size());
            if (w.exchange)
                w.exchange->seconds += share, ++w.exchange->calls;
            else
                of.steps[w.process].seconds += share, ++of.steps[w.process].calls;
            if (!regions.mine()) continue;
            const int node =
                regions.add(w.exchange ? w.exchange->region : of.steps[w.process].region, share, 1);
            if (regions.tracing) regions.note({node, began, began + share});
            began += share;
        }
    }

    void launch(int p, FieldSet& set) {
        const Step& s = of.steps[p];
        for (int b = 0; b < int(of.domain->blocks.size()); ++b) {
            const Columns& cells = columns(b, s.extent);
            Raw at[most_fields];
            for (std::size_t i = 0; i < s.fields.size(); ++i) {
                const Field& declared = of.plan->fields[s.fields[i]];
                if (declared.own) {
                    at[i] = {own.at + own_at[{p, s.fields[i]}] + cells.first * of.bytes, width(),
                             own_row(declared)};
                    continue;
                }
                const Field f = set.on_device(s.fields[i]);
                const auto level = f.place.vertical == Vertical::column ? 0 : f.level[b];
                const int column = f.place == place::profile ? 0 : cells.first;
                at[i] = {f.at[b] + column * of.bytes, level, f.row[b]};
            }
            kernels[p](schemes[p].get(), at, cells.begin(), cells.begin() + cells.count);
        }
    }

    std::size_t signature(const Piece& piece, const FieldSet& set) const {
        std::size_t hash = 0;
        const auto take = [&](std::size_t x) { hash = (hash ^ x) * 0x9e3779b97f4a7c15 + 1; };
        for (auto& w : piece.works) {
            if (w.exchange)
                for (auto& sent : w.exchange->sent) take(set.place_there(sent.field));
            else {
                take(runs(w.process, set));
                for (int n : of.steps[w.process].fields) take(set.place_there(n));
            }
        }
        return hash;
    }

    /// A work that needs the CPU.
    void alone(Piece& piece, FieldSet& set) {
        const Work& work = piece.works.front();
        if (work.exchange) return exchange_alone(*work.exchange, set);
        Step& s = of.steps[work.process];
        if (!runs(work.process, set)) return;
        if (s.global()) {
            if (apply(s, set)) return;
            of.apply(s, set);
        } else
            compute(s, set);
        for (int n : piece.written) set.changed_here(n);
    }

    bool apply(Step& s, FieldSet& set) {
        Within within(s.region);
        const double t = seconds_now();
        if (!s.process.global->apply_on(*device, {set, s.fields})) return false;
        for (std::size_t i = 0; i < s.fields.size(); ++i)
            if (s.process.fields[i].access != Access::reads) set.changed_there(s.fields[i]);
        s.seconds += seconds_now() - t, ++s.calls;
        return true;
    }

    /// A process of columns, on the CPU.
    void compute(Step& s, FieldSet& set) {
        for (int n : s.fields)
            if (!of.plan->fields[n].own) set.fetch(n);
        of.find_arguments(s, set);
        const int h = of.domain->halo;
        for (int b = 0; b < int(of.domain->blocks.size()); ++b)
            for (int r = h - s.extent; r < h + of.domain->blocks[b]->ny + s.extent; ++r)
                if (const auto& cells = of.plan->cells[b][r]; !cells.empty())
                    for (auto& cell : cells) of.run_tile(s, {b, r, 0, cells.size()}, {&cell, 1}, 0);
        stream_fence();
        ++s.calls;
    }

    void aim(Group& g, const FieldSet& set) {
        for (std::size_t n = 0; n < g.sent.size(); ++n)
            std::ranges::copy(set.on_device(g.sent[n].field).at, g.slabs[n].at.begin());
    }

    void exchange(Group& g, const FieldSet& set) {
        aim(g, set);
        g.exchange->start(g.slabs, movers[&g].get());
        g.exchange->finish(g.slabs);
    }

    void exchange_alone(Group& g, FieldSet& set) {
        Within within(g.region);
        const double t = seconds_now();
        exchange(g, set);
        for (auto& s : g.sent) set.changed_there(s.field);
        g.seconds += seconds_now() - t, ++g.calls;
    }
};

std::vector<std::string> StepProgram::left_by(Device& device) const {
    std::vector<std::string> names;
    for (auto& s : steps)
        if (s.global() ? !s.process.global->lives_on(device)
                       : !device.kernel(s.process.entry, bytes))
            names.push_back(s.process.name);
    return names;
}

void StepProgram::step_on_device(FieldSet& set) {
    if (!options.device) throw Error("this sequence was not made for a device");
    if (!on_device || on_device->on() != set.device().get())
        on_device = std::make_shared<OnDevice>(*this, set.device());
    on_device->step(set);
}

}  // namespace fathom
