#include "parallel/halo/on_demand.hpp"
#include <algorithm>
#include <atomic>
#include "base/error.hpp"
#include "parallel/meeting.hpp"

namespace fathom {

OnDemandHalo::OnDemandHalo(MPI_Comm comm, const Decomposition& d, std::vector<int> points_,
                           int values, int bytes, int levels)
    : comm(comm),
      ranks(d.ranks),
      values(values),
      bytes(bytes),
      levels(levels),
      points(std::move(points_)),
      owners(points.size()),
      held_rows(points.size()) {
    MPI_Comm_rank(comm, &rank);
    for (auto& b : d.blocks)
        if (b.owner >= 0)
            for (int j = b.j0; j < b.j0 + b.ny; ++j)
                if (b.i0 < points[j])
                    owners[j].push_back({b.i0, std::min(b.i0 + b.nx, points[j]), b.owner});
    first_segment.push_back(0);
    for (std::size_t j = 0; j < points.size(); ++j) {
        std::ranges::sort(owners[j], {}, &Part::i0);
        first_segment.push_back(first_segment[j] + (points[j] + segment - 1) / segment);
        own.resize(first_segment.back(), 0);
        std::vector<bool> mine(points[j]);
        for (auto& p : owners[j])
            if (p.owner == rank)
                std::fill(mine.begin() + p.i0, mine.begin() + p.i1, true), held_rows[j] = true;
        for (int s = 0; s < segments(int(j)); ++s)
            own[first_segment[j] + s] = std::all_of(
                mine.begin() + s * segment, mine.begin() + std::min((s + 1) * segment, points[j]),
                [](bool b) { return b; });
    }
    wanted.assign(own.size(), 0);
    held = own;
}

void OnDemandHalo::need(int row, int first, int count) {
    std::uint8_t* mark = &wanted[first_segment[row]];
    each_segment(points[row], first, count, [&](int from, int to) {
        for (int s = from; s <= to; ++s)
            std::atomic_ref(mark[s]).store(1, std::memory_order_relaxed);
    });
}

bool OnDemandHalo::cover() {
    if (alone()) return false;
    static const Region here("halo on demand: all there?", "", "sum");
    Within within(here);
    int missing = 0;
    for (std::size_t s = 0; s < wanted.size(); ++s) missing |= wanted[s] & ~held[s];
    {
        Meet meet(comm, sizeof missing);
        MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_BOR, comm);
    }
    if (missing) widen(), ask(), told = false, ++plans;
    std::ranges::fill(wanted, 0);
    return missing;
}

/// held <- own, wanted, and the segments around the wanted ones.
void OnDemandHalo::widen() {
    held = own;
    for (int j = 0; j < int(points.size()); ++j)
        for (int s = 0, n = segments(j); s < n; ++s)
            if (wanted[first_segment[j] + s])
                for (int row = std::max(j - 1, 0); row <= std::min(j + 1, int(points.size()) - 1);
                     ++row) {
                    const int m = segments(row), west = s * m / n - 1,
                              east = ((s + 1) * m - 1) / n + 1;
                    for (int t = west; t <= east; ++t) held[first_segment[row] + (t + m) % m] = 1;
                }
}

/// Pieces of rows that are held but not owned, by owner.
std::vector<std::vector<OnDemandHalo::Request>> OnDemandHalo::requests() {
    std::vector<std::vector<Request>> from(ranks);
    for (int j = 0; j < int(points.size()); ++j) {
        held_rows[j] = false;
        auto is_held = [&](int s) { return held[first_segment[j] + s]; };
        for (auto& p : owners[j]) {
            if (p.owner == rank) {
                held_rows[j] = true;
                continue;
            }
            for (int s = p.i0 / segment; s * segment < p.i1; ++s) {
                if (!is_held(s)) continue;
                const int begin = std::max(p.i0, s * segment);
                while ((s + 1) * segment < p.i1 && is_held(s + 1)) ++s;
                from[p.owner].push_back({j, begin, std::min(p.i1, (s + 1) * segment) - begin});
                held_rows[j] = true;
            }
        }
    }
    return from;
}

/// The data that a rank sends to each of the others: lists, one after another.
struct OnDemandHalo::Lists {
    std::vector<int> numbers, count, first;

    explicit Lists(int ranks) : count(ranks), first(ranks + 1) {}
    void place() {
        for (std::size_t r = 0; r < count.size(); ++r) first[r + 1] = first[r] + count[r];
        numbers.resize(first.back());
    }
    std::span<const int> of(int rank) const {
        return {numbers.data() + first[rank], std::size_t(count[rank])};
    }
};

/// Tells each owner which of its points the other ranks need.
void OnDemandHalo::ask() {
    const auto from = requests();
    Lists asked(ranks), answers(ranks);
    for (int r = 0; r < ranks; ++r) {
        asked.count[r] = 3 * int(from[r].size());
        for (auto& q : from[r])
            asked.numbers.insert(asked.numbers.end(), {q.row, q.first, q.count});
    }
    MPI_Alltoall(asked.count.data(), 1, MPI_INT, answers.count.data(), 1, MPI_INT, comm);
    asked.place(), answers.place();
    MPI_Alltoallv(asked.numbers.data(), asked.count.data(), asked.first.data(), MPI_INT,
                  answers.numbers.data(), answers.count.data(), answers.first.data(), MPI_INT,
                  comm);

    Plan plan;
    auto message = [&](int sender, int receiver, std::span<const int> list) {
        Message m{sender, receiver, {}, 0};
        for (std::size_t n = 0; n < list.size(); n += 3) {
            const int row = list[n], first = list[n + 1] * values, count = list[n + 2] * values;
            m.runs.push_back({row, row, 0, first, 0, first, count, 1, false});
            m.points += count;
        }
        if (!m.runs.empty()) plan.messages.push_back(std::move(m));
    };
    received = 0, away = 0;
    const auto owns = [&](int row) {
        return std::ranges::any_of(owners[row], [&](auto& p) { return p.owner == rank; });
    };
    const auto distance = [&](int row) {
        const int rows = int(points.size());
        for (int d = 0; d < rows; ++d)
            if ((row >= d && owns(row - d)) || (row + d < rows && owns(row + d))) return d;
        return rows;
    };
    for (int r = 0; r < ranks; ++r) {
        message(rank, r, answers.of(r));
        message(r, rank, asked.of(r));
        for (auto& q : from[r]) received += q.count, away = std::max(away, distance(q.row));
    }
    halo.emplace(comm, std::span<const Plan>(&plan, 1), bytes,
                 std::vector<Exchange::Item>{{Horizontal::center, false, 0, levels}});
    halo->kind = Exchange::on_demand;
    mover.reset();
}

void OnDemandHalo::travel(const FieldSlab& rows, Mover* by) {
    static const Region here("halo on demand", "", "exchange");
    Within within(here);
    halo->start({&rows, 1}, by);
    halo->finish({&rows, 1});
}
void OnDemandHalo::exchange(const FieldSlab& rows) {
    if (halo) travel(rows, nullptr);
}

void OnDemandHalo::exchange_on(Device& device, const FieldSlab& rows) {
    if (!halo) return;
    if (!mover) mover = device.make<Mover>(halo->points());
    travel(rows, mover.get());
}
SegmentsThere OnDemandHalo::on(Device& device) {
    if (!rows_there.at) {
        const auto there = device.shared_from_this();
        rows_there = DeviceMemory(there, held_rows.size());
        if (!alone()) {
            first = on_device(there, first_segment.data(), first_segment.size());
            marks = DeviceMemory(there, wanted.size());
        }
        device.wait();
    }
    if (!told) tell(device);
    return {(const std::uint8_t*)rows_there.at, (const int*)first.at, (std::uint8_t*)marks.at};
}
bool OnDemandHalo::cover_on(Device& device) {
    if (alone()) return false;
    device.copy(wanted.data(), marks.at, wanted.size(), Device::Way::to_host);
    device.clear(marks.at, marks.bytes);
    const bool missing = cover();
    if (missing) tell(device);
    return missing;
}
/// Which rows are held.
void OnDemandHalo::tell(Device& device) {
    device.copy(rows_there.at, held_rows.data(), held_rows.size(), Device::Way::to_device);
    device.wait();
    told = true;
}

}  // namespace fathom
