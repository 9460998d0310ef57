#include "field/balanced.hpp"
#include <omp.h>
#include <algorithm>
#include <ctime>
#include <numeric>
#include "base/constants.hpp"

namespace fathom {

std::vector<Transfer> transfers(std::span<const double> loads, double threshold) {
    const double mean = std::accumulate(loads.begin(), loads.end(), 0.) / loads.size();
    std::vector<Transfer> found;
    std::size_t to = 0;
    double room = 0;
    const auto next = [&] {  // the next rank that has room
        while (to < loads.size() && loads[to] >= mean) ++to;
        room = to < loads.size() ? mean - loads[to] : 0;
    };
    next();
    for (std::size_t from = 0; from < loads.size(); ++from) {
        if (loads[from] <= mean * (1 + threshold)) continue;
        for (double left = loads[from] - mean; left > 0 && to < loads.size();) {
            const double amount = std::min(left, room);
            if (amount > 0) found.push_back({int(from), int(to), amount});
            left -= amount, room -= amount;
            if (room <= 0) ++to, next();
        }
    }
    return found;
}

/// Numbers of 4 or 8 bytes: [levels of columns][cost], then each field, level after level of
/// `count` columns.
struct Balanced::Bundle {
    std::size_t count, size;
    int bytes;
    std::vector<std::size_t> begins;  ///< of each field; none of own memory and profiles
    std::vector<std::byte> memory;
    std::byte* at(std::size_t number) { return memory.data() + number * bytes; }
    const std::byte* at(std::size_t number) const { return memory.data() + number * bytes; }
};

namespace {
constexpr int header = 2, tag_there = 1, tag_back = 2;  // rows before the fields; tags
double processor_seconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}
}  // namespace

Balanced::Balanced(Process columns, std::string active, double threshold, bool share)
    : GlobalProcess(columns.name),
      process(std::move(columns)),
      active(std::move(active)),
      threshold(threshold),
      share(share) {
    if (process.global) throw Error(process.name, " is no process of columns");
    for (const auto& f : process.fields) {
        if (f.reach) throw Error(process.name, " looks at neighbours of a column");
        if (f.own)
            items.push_back({-1});
        else if (f.access == Access::reads)
            items.push_back(reads(f.name, f.place, f.units));
        else if (f.access == Access::writes)
            items.push_back(writes(f.name, f.place, f.units));
        else
            items.push_back(updates(f.name, f.place, f.units));
    }
    if (this->active.empty()) return;
    for (std::size_t n = 0; n < process.fields.size(); ++n)
        if (process.fields[n].name == this->active) active_item = {items[n]};
    if (active_item.empty())
        throw Error(process.name, " has no field '", this->active,
                    "' that says where it is active");
}

void Balanced::prepare(Given at) {
    const Domain& d = at.set.domain();
    MPI_Comm own_comm;
    MPI_Comm_dup(d.comm, &own_comm);
    comm = {new MPI_Comm(own_comm), [](MPI_Comm* c) {
                int over;
                MPI_Finalized(&over);
                if (!over) MPI_Comm_free(c);
                delete c;
            }};
    columns.clear();
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int j = 0; j < d.blocks[b]->ny; ++j)
            for (int i = 0; i < d.blocks[b]->nx; ++i)
                if (const int wet =
                        d.wet(Horizontal::center, d.blocks[b]->i0 + i, d.blocks[b]->j0 + j))
                    columns.push_back({b, j + d.halo, i + d.halo, wet, 1, true});
}

std::size_t Balanced::numbers_of(const Process::Field& f) const {
    return f.place == place::profile || f.own ? 0 : 1;
}

Balanced::Bundle Balanced::bundle(std::size_t count, int levels) const {
    Bundle b{count, header * count, 0, {}, {}};
    for (const auto& f : process.fields) {
        b.begins.push_back(b.size);
        if (numbers_of(f))
            b.size += count * (f.place.vertical == Vertical::column
                                   ? 1
                                   : levels + (f.place.vertical == Vertical::interface));
    }
    return b;
}

namespace {
/// f(level, number of values): of a field in a bundle.
template <class F> void each_level(const Field& f, F body) {
    const int levels = f.place.vertical == Vertical::column ? 1 : f.levels;
    for (int k = 0; k < levels; ++k) body(k);
}
template <class T> T* row_of(const Field& f, int block, int row, int level) {
    const auto k = f.place.vertical == Vertical::column ? 0 : level * f.level[block];
    return (T*)f.at[block] + row * f.row[block] + k;
}
}  // namespace

/// Fields of columns into a bundle; those beyond the last repeat it.
template <class T> void Balanced::take(Given at, Bundle& to, std::span<const Column> from) const {
    const auto column = [&](std::size_t n) -> const Column& {
        return from[std::min(n, from.size() - 1)];
    };
    for (std::size_t n = 0; n < to.count; ++n) ((T*)to.at(0))[n] = T(column(n).levels);
    for (std::size_t p = 0; p < items.size(); ++p) {
        const auto& use = process.fields[p];
        if (!numbers_of(use) || use.access == Access::writes) continue;
        const Field& f = at[items[p]];
        each_level(f, [&](int k) {
            T* values = (T*)to.at(to.begins[p] + k * to.count);
            for (std::size_t n = 0; n < to.count; ++n) {
                const Column& c = column(n);
                values[n] = row_of<T>(f, c.block, c.row, k)[c.column];
            }
        });
    }
}

/// What the process has written, and what it took, back to the columns.
template <class T> void Balanced::give(Given at, const Bundle& from, std::span<Column> to) const {
    for (std::size_t n = 0; n < to.size(); ++n)
        to[n].cost = double(((const T*)from.at(from.count))[n]);
    for (std::size_t p = 0; p < items.size(); ++p) {
        const auto& use = process.fields[p];
        if (!numbers_of(use) || use.access == Access::reads) continue;
        const Field& f = at[items[p]];
        each_level(f, [&](int k) {
            const T* values = (const T*)from.at(from.begins[p] + k * from.count);
            for (std::size_t n = 0; n < to.size(); ++n)
                row_of<T>(f, to[n].block, to[n].row, k)[to[n].column] = values[n];
        });
    }
}

/// All cells of a bundle, with the processor time of each.
void Balanced::run(Given at, Bundle& b) const {
    const int cell = at.set.layout->cell, bytes = b.bytes, levels = at.set.domain().levels;
    std::size_t own = 0;
    for (const auto& f : process.fields) own = std::max<std::size_t>(own, f.own);
    const auto number = [&](std::size_t n) {
        return bytes == 4 ? double(*(const float*)b.at(n)) : *(const double*)b.at(n);
    };
#pragma omp parallel
    {
        std::vector<std::vector<double>> memory;
        for (const auto& f : process.fields)
            memory.emplace_back(f.own ? std::size_t(f.own) * (levels + 1) * cell : 0);
#pragma omp for schedule(dynamic)
        for (std::size_t first = 0; first < b.count; first += cell) {
            std::vector<Raw> raw(items.size());
            int deepest = 0;
            for (int c = 0; c < cell; ++c) deepest = std::max(deepest, int(number(first + c)));
            for (std::size_t p = 0; p < items.size(); ++p) {
                const auto& use = process.fields[p];
                if (use.own)
                    raw[p] = {memory[p].data(), cell, 0};
                else if (use.place == place::profile)
                    raw[p] = {at[items[p]].at[0], 1, 0};
                else
                    raw[p] = {b.at(b.begins[p] + first),
                              use.place.vertical == Vertical::column ? 0 : std::ptrdiff_t(b.count),
                              0};
            }
            const Cell cells{0, deepest};
            const double began = processor_seconds();
            process.run(process.scheme.get(), raw.data(), &cells, &cells + 1);
            const double each = (processor_seconds() - began) / cell;
            for (int c = 0; c < cell; ++c)
                if (bytes == 4)
                    *(float*)b.at(b.count + first + c) = float(each);
                else
                    *(double*)b.at(b.count + first + c) = each;
        }
    }
}

/// What each column will cost, and the columns in that order, the dearest first.
void Balanced::expect(Given at) {
    if (!active_item.empty()) {
        double seconds[2] = {0, 0};
        long number[2] = {0, 0};
        for (const Column& c : columns) seconds[c.active] += c.cost, ++number[c.active];
        for (int n = 0; n < 2; ++n)
            if (number[n] && at.set.count > 0) cost_of[n] = seconds[n] / double(number[n]);
        const Field& f = at[active_item[0]];
        for (Column& c : columns) {
            c.active = at.set.bytes() == 4 ? row_of<float>(f, c.block, c.row, 0)[c.column] > 0
                                           : row_of<double>(f, c.block, c.row, 0)[c.column] > 0;
            c.cost = cost_of[c.active];
        }
    }
    std::ranges::stable_sort(columns, std::greater(), &Column::cost);
}

template <class T> struct Balanced::Turn {
    Balanced& of;
    Given at;
    std::vector<Column>& columns = of.columns;
    const int levels = at.set.domain().levels;
    const std::size_t cell = at.set.layout->cell;
    struct Away {
        int rank;
        std::span<Column> columns;
        Bundle bundle;
    };
    std::vector<Away> away{};
    std::vector<Bundle> foreign{};
    std::vector<MPI_Request> sent{}, returned{};
    std::size_t given = 0;  ///< columns that travel: the first, whole cells
    double computed = 0;

    Bundle filled(std::span<const Column> from) const {
        Bundle b = of.bundle((from.size() + cell - 1) / cell * cell, levels);
        b.bytes = sizeof(T);
        b.memory.resize(b.size * sizeof(T));
        of.take<T>(at, b, from);
        return b;
    }
    void compute(Bundle& b) {
        of.run(at, b);
        for (std::size_t n = 0; n < b.count; ++n) computed += double(((const T*)b.at(b.count))[n]);
    }
    /// The next dear columns that make up an amount, to the half of a cell.
    std::span<Column> worth(double amount) {
        const std::size_t first = given;
        for (double sum = 0; given < columns.size();) {
            const std::size_t end = std::min(given + cell, columns.size());
            double more = 0;
            for (std::size_t n = given; n < end; ++n) more += columns[n].cost;
            if (sum + 0.5 * more > amount) break;
            sum += more, given = end;
        }
        return {columns.data() + first, given - first};
    }
    void send(const std::vector<Transfer>& plan, int rank) {
        for (const auto& [from, to, amount] : plan)
            if (from == rank) {
                const auto some = worth(amount);
                away.push_back({to, some, some.empty() ? Bundle{} : filled(some)});
            }
        of.away += long(given);
        for (Away& a : away)
            MPI_Isend(a.bundle.memory.data(), int(a.bundle.memory.size()), MPI_BYTE, a.rank,
                      tag_there, *of.comm, &sent.emplace_back());
    }
    void compute_own() {
        for (std::size_t first = given; first < columns.size();) {
            const std::size_t count = std::min<std::size_t>(columns.size() - first, 16 * cell);
            const std::span some(columns.data() + first, count);
            Bundle b = filled(some);
            compute(b);
            of.give<T>(at, b, some);
            first += count;
        }
    }
    void compute_foreign(const std::vector<Transfer>& plan, int rank) {
        foreign.reserve(plan.size()), returned.reserve(plan.size());
        for (const auto& [from, to, amount] : plan) {
            if (to != rank) continue;
            MPI_Message message;
            MPI_Status status;
            int size;
            MPI_Mprobe(from, tag_there, *of.comm, &message, &status);
            MPI_Get_count(&status, MPI_BYTE, &size);
            const std::size_t per_column = of.bundle(1, levels).size * sizeof(T);
            Bundle& b = foreign.emplace_back(of.bundle(std::size_t(size) / per_column, levels));
            b.bytes = sizeof(T);
            b.memory.resize(size);
            MPI_Mrecv(b.memory.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
            compute(b);
            MPI_Isend(b.memory.data(), size, MPI_BYTE, from, tag_back, *of.comm,
                      &returned.emplace_back());
        }
    }
    void take_back() {
        MPI_Waitall(int(sent.size()), sent.data(), MPI_STATUSES_IGNORE);
        for (Away& a : away) {
            MPI_Recv(a.bundle.memory.data(), int(a.bundle.memory.size()), MPI_BYTE, a.rank,
                     tag_back, *of.comm, MPI_STATUS_IGNORE);
            if (!a.columns.empty()) of.give<T>(at, a.bundle, a.columns);
        }
        MPI_Waitall(int(returned.size()), returned.data(), MPI_STATUSES_IGNORE);
    }
};

void Balanced::apply(Given at) {
    expect(at);
    int ranks, rank;
    MPI_Comm_size(*comm, &ranks), MPI_Comm_rank(*comm, &rank);
    const auto cost = [&] {
        double sum = 0;
        for (const Column& c : columns) sum += c.cost;
        return sum;
    };
    const double mine = cost();
    loads.assign(ranks, 0);
    MPI_Allgather(&mine, 1, MPI_DOUBLE, loads.data(), 1, MPI_DOUBLE, *comm);
    const auto plan = share ? transfers(loads, threshold) : std::vector<Transfer>();
    const auto turn = [&]<class T>(Turn<T> turn) {
        turn.send(plan, rank);
        turn.compute_own();
        turn.compute_foreign(plan, rank);
        turn.take_back();
        done = turn.computed;
    };
    at.set.bytes() == 4 ? turn(Turn<float>{*this, at}) : turn(Turn<double>{*this, at});
    own = cost();
}

std::vector<double> Balanced::costs(const FieldSet& set) const {
    const Domain& d = set.domain();
    std::vector<double> rows;
    for (const Column& c : columns)
        for (double x : {double(d.blocks[c.block]->i0 + c.column - d.halo),
                         double(d.blocks[c.block]->j0 + c.row - d.halo), c.cost})
            rows.push_back(x);
    return rows;
}

}  // namespace fathom
