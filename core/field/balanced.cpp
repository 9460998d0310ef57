#include "field/balanced.hpp"
#include <algorithm>
#include <numeric>

namespace fathom {

std::vector<Transfer> transfers(std::span<const double> loads, double threshold) {
    const double mean = std::accumulate(loads.begin(), loads.end(), 0.) / loads.size();
    std::vector<Transfer> found;
    std::size_t to = 0;
    double room = 0;
    const auto next = [&] {  // finds the next rank that can take more
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

Balanced::Balanced(Process columns, std::string active, double threshold, bool share,
                   const std::string& way)
    : Bundled(std::move(columns)),
      active(std::move(active)),
      threshold(threshold),
      share(share),
      way(fathom::carrier(way)) {
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
    columns = chosen;
    for (int b = 0; all && b < int(d.blocks.size()); ++b)
        for (int j = 0; j < d.blocks[b]->ny; ++j)
            for (int i = 0; i < d.blocks[b]->nx; ++i)
                if (const int wet =
                        d.wet(Horizontal::center, d.blocks[b]->i0 + i, d.blocks[b]->j0 + j))
                    columns.push_back({b, j + d.halo, i + d.halo, wet, 1, true});
    int ranks;
    MPI_Comm_size(*comm, &ranks);
    const std::size_t most = columns.size() + std::size_t(at.set.layout->cell) * ranks;
    const std::size_t room = ranks > 1 ? bundle(most, at.set).size * at.set.bytes() : 0;
    if (way.make)
        carrier = way.make(*comm, room);
    else
        list = std::make_shared<WorkList>(*comm, room);
    known = false;
}

/// Estimates the cost of each column, and sorts the columns, the most expensive first. Returns the
/// loads of all ranks.
std::vector<double> Balanced::expect(Given at) {
    struct {
        double seconds[2]{}, number[2]{};  // of idle and of active columns, in the last call
        double load = 0, now[2]{};
    } mine;
    for (const Column& c : columns)
        mine.load += c.cost, mine.seconds[c.active] += c.cost, ++mine.number[c.active];
    if (!active_item.empty()) {
        const auto now = values(at, active_item[0], columns);
        for (std::size_t n = 0; n < columns.size(); ++n)
            columns[n].active = now[n] > 0, ++mine.now[columns[n].active];
    }
    int ranks;
    MPI_Comm_size(*comm, &ranks);
    std::vector<decltype(mine)> of(ranks);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, of.data(), sizeof mine, MPI_BYTE, *comm);
    if (!active_item.empty()) {
        for (int n = 0; n < 2; ++n) {
            double seconds = 0, number = 0;
            for (const auto& one : of) seconds += one.seconds[n], number += one.number[n];
            if (number > 0 && known) cost_of[n] = seconds / number;
        }
        for (auto& one : of) one.load = one.now[0] * cost_of[0] + one.now[1] * cost_of[1];
        for (Column& c : columns) c.cost = cost_of[c.active];
    }
    std::ranges::stable_sort(columns, std::greater(), &Column::cost);
    std::vector<double> loads;
    for (const auto& one : of) loads.push_back(one.load);
    return loads;
}

struct Balanced::Turn {
    Balanced& of;
    Given at;
    std::vector<Column>& columns = of.columns;
    const std::size_t cell = at.set.layout->cell;
    struct Away {
        int rank;
        std::span<Column> columns;
        Bundle bundle;
    };
    std::vector<Away> away{};
    std::size_t given = 0;  ///< columns sent away: the first ones, in whole cells
    double computed = 0;

    /// The next most expensive columns whose cost is this amount, to within half a cell.
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
                for (const Column& c : some) of.given[to] += c.cost;
                away.push_back({to, some, of.filled(at, some)});
            }
        of.away += long(given);
        std::vector<Carrier::Offer> offers;
        for (Away& a : away)
            offers.push_back({a.rank, a.bundle.inputs(), a.bundle.results().size()});
        of.carrier->offer(offers);
    }
    void compute_own() { computed += of.compute(at, std::span(columns).subspan(given)); }
    void compute_foreign(const std::vector<Transfer>& plan, int rank) {
        for (const auto& [from, to, amount] : plan) {
            if (to != rank) continue;
            Bundle b = arrived(of.carrier->fetch(from));
            compute(b);
            of.carrier->send_back(from, b.results());
        }
    }
    void compute(Bundle& b) { computed += of.run(at, b); }
    Bundle arrived(std::vector<std::byte> inputs) const {
        const std::size_t cells = inputs.size() / of.bundle(cell, at.set).inputs().size();
        Bundle b = of.bundle(cells * cell, at.set);
        b.memory = std::move(inputs);
        b.memory.resize(b.size * b.bytes);
        return b;
    }
    /// What the plan moves away from this rank is its list, in bundles of whole cells, the most
    /// expensive columns first; it computes the last ones of them itself if nobody is idle.
    void by_list(const std::vector<Transfer>& plan, int rank) {
        std::vector<int> givers;
        double amount = 0;
        for (const auto& [from, to, part] : plan) {
            if (givers.empty() || givers.back() != from) givers.push_back(from);
            if (from == rank) amount += part;
        }
        const auto some = worth(amount);
        const std::size_t cells = (some.size() + cell - 1) / cell,
                          each = cell * ((cells + WorkList::most - 1) / WorkList::most);
        std::vector<WorkList::Offer> offers;
        for (std::size_t n = 0; n < some.size(); n += each) {
            const auto part = some.subspan(n, std::min(each, some.size() - n));
            away.push_back({rank, part, of.filled(at, part)});
        }
        for (Away& a : away) offers.push_back({a.bundle.inputs(), a.bundle.results().size()});
        of.list->begin(givers);
        if (std::ranges::find(givers, rank) != givers.end()) of.list->publish(offers);
        compute_own();
        std::vector<bool> done(away.size());
        for (int n = -1; !away.empty() && (n = of.list->next()) >= 0; done[n] = true) {
            compute(away[n].bundle);
            of.give(at, away[n].bundle, away[n].columns);
        }
        while (auto taken = of.list->take()) {
            Bundle b = arrived(std::move(taken->inputs));
            compute(b);
            of.list->put_back(*taken, b.results());
        }
        for (std::size_t n = 0; n < away.size(); ++n) {
            if (done[n]) continue;
            double expected = 0;
            for (const Column& c : away[n].columns) expected += c.cost;
            of.given[of.list->results(int(n), away[n].bundle.results())] += expected;
            of.away += long(away[n].columns.size());
            of.give(at, away[n].bundle, away[n].columns);
        }
    }
    void take_back() {
        for (Away& a : away) {
            of.carrier->results(a.rank, a.bundle.results());
            of.give(at, a.bundle, a.columns);
        }
        of.carrier->end();
    }
};

void Balanced::apply(Given at) {
    int rank;
    MPI_Comm_rank(*comm, &rank);
    const auto loads = expect(at);
    load = loads[rank];
    given.assign(loads.size(), 0);
    const auto plan = share ? transfers(loads, threshold) : std::vector<Transfer>();
    Turn turn{*this, at};
    if (list)
        turn.by_list(plan, rank);
    else {
        turn.send(plan, rank);
        turn.compute_own();
        turn.compute_foreign(plan, rank);
        turn.take_back();
    }
    done = turn.computed, known = true;
    own = 0;
    for (const Column& c : columns) own += c.cost;
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
