#include "parallel/halo/pieces.hpp"
#include <algorithm>
#include "base/error.hpp"

namespace fathom {

namespace {

struct PieceMover final : Mover {
    Device& device;
    const Parts& parts;
    int rank;
    std::size_t own;  // bytes of the piece that stays on this rank
    PieceMover(Device& device, const Parts& parts, int rank, std::size_t own)
        : device(device), parts(parts), rank(rank), own(own) {}
    void expect(std::span<const FieldSlab>) override {}
    void pack(std::span<const FieldSlab> from, std::byte* outgoing) override {
        for (auto& to : parts.sends)
            device.copy(outgoing + to.offset, from[0].at[to.rank], to.bytes, Device::Way::to_host);
    }
    void copy(std::span<const FieldSlab> from, std::span<const FieldSlab> to) override {
        device.copy(to[0].at[rank], from[0].at[rank], own, Device::Way::within);
    }
    void unpack(std::span<const FieldSlab> to, const std::byte* incoming) override {
        for (auto& of : parts.receives)
            device.copy(to[0].at[of.rank], incoming + of.offset, of.bytes, Device::Way::to_device);
    }
};

int rank_in(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

}  // namespace

Plan pieces_plan(int rank, const Begins& from, const Begins& to, int numbers) {
    Plan plan;
    const auto message = [&](int sender, int receiver, std::ptrdiff_t entries) {
        const std::size_t points = std::size_t(entries) * numbers;
        if (points > 0x7fffffff)
            throw Error("a message of ", points,
                        " numbers to one rank; use more ranks or fewer fields at once");
        if (entries)
            plan.messages.push_back({sender,
                                     receiver,
                                     {{receiver, sender, 0, 0, 0, 0, int(points), 1, false}},
                                     points});
    };
    const int ranks = int(from.size()) - 1;
    for (int r = 0; r < ranks; ++r)
        if (r != rank) message(rank, r, from[r + 1] - from[r]);
    for (int r = 0; r < ranks; ++r)
        if (r != rank) message(r, rank, to[r + 1] - to[r]);
    std::ranges::stable_sort(plan.messages, {},
                             [](const Message& m) { return std::pair(m.from_rank, m.to_rank); });
    return plan;
}

void point_to(std::byte* first, const Begins& begins, std::size_t bytes, FieldSlab& f) {
    const std::size_t ranks = begins.size() - 1;
    f.at.resize(ranks), f.row.resize(ranks), f.level.resize(ranks), f.levels = 1;
    for (std::size_t r = 0; r < ranks; ++r) f.at[r] = first + begins[r] * bytes;
}

ThereAndBack::ThereAndBack(MPI_Comm comm, const Plan& plan, int bytes, std::string_view transport) {
    const auto exchange = [&](const Plan& one) {
        auto made = std::make_unique<Exchange>(
            comm, std::span(&one, 1), bytes,
            std::vector<Exchange::Item>{{Horizontal::center, false, 0, 1}}, false, transport);
        made->kind = Exchange::transpositions;
        return made;
    };
    forth = exchange(plan), back = exchange(adjoint(plan));
}

PiecesThere::PiecesThere(std::shared_ptr<Device> on, MPI_Comm comm, Begins one, Begins other,
                         int numbers, int bytes, std::string_view transport)
    : device(std::move(on)),
      rank(rank_in(comm)),
      one_side(std::move(one)),
      other_side(std::move(other)),
      entry(std::size_t(numbers) * bytes),
      exchanges(comm, pieces_plan(rank, one_side, other_side, numbers), bytes, transport) {}

void PiecesThere::travel(std::byte* one, std::byte* other, bool forth) {
    Exchange& exchange = forth ? *exchanges.forth : *exchanges.back;
    FieldSlab of_one[1], of_other[1];
    point_to(one, one_side, entry, of_one[0]);
    point_to(other, other_side, entry, of_other[0]);
    PieceMover mover(*device, exchange.parts(), rank,
                     (one_side[rank + 1] - one_side[rank]) * entry);
    exchange.start(forth ? of_one : of_other, &mover);
    exchange.finish(forth ? of_other : of_one);
}

}  // namespace fathom
