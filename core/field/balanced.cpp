#include "field/balanced.hpp"
#include <algorithm>
#include <numeric>

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

namespace {
constexpr int tag_there = 1, tag_back = 2;
}

Balanced::Balanced(Process columns, std::string active, double threshold, bool share)
    : Bundled(std::move(columns)), active(std::move(active)), threshold(threshold), share(share) {
    if (this->active.empty()) return;
    for (std::size_t n = 0; n < process.fields.size(); ++n)
        if (process.fields[n].name == this->active) active_item = {items[n]};
    if (active_item.empty())
        throw Error(process.name, " has no field '", this->active,
                    "' that says where it is active");
}

void Balanced::prepare(Given at) {
    const Domain& d = at.set.domain();
    comm = communicator(d);
    columns.clear();
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int j = 0; j < d.blocks[b]->ny; ++j)
            for (int i = 0; i < d.blocks[b]->nx; ++i)
                if (const int wet =
                        d.wet(Horizontal::center, d.blocks[b]->i0 + i, d.blocks[b]->j0 + j))
                    columns.push_back({b, j + d.halo, i + d.halo, wet, 1, true});
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
                away.push_back({to, some, some.empty() ? Bundle{} : of.filled<T>(at, some)});
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
            Bundle b = of.filled<T>(at, some);
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
