#include "field/carrier.hpp"
#include <algorithm>
#include <cstring>
#include <map>
#include "base/error.hpp"
#include "field/work_list.hpp"
#include "parallel/window.hpp"

namespace fathom {

namespace {

class Messages final : public Carrier {
public:
    Messages(MPI_Comm comm, std::size_t) : comm(comm) {}
    void offer(std::span<const Offer> offers) override {
        for (const auto& o : offers)
            MPI_Isend(o.inputs.data(), int(o.inputs.size()), MPI_BYTE, o.taker, there, comm,
                      &requests.emplace_back());
    }
    std::vector<std::byte> fetch(int giver) override {
        MPI_Message message;
        MPI_Status status;
        int size;
        MPI_Mprobe(giver, there, comm, &message, &status);
        MPI_Get_count(&status, MPI_BYTE, &size);
        std::vector<std::byte> inputs(size);
        MPI_Mrecv(inputs.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        return inputs;
    }
    void send_back(int giver, std::span<const std::byte> results) override {
        const auto& kept = held.emplace_back(results.begin(), results.end());
        MPI_Isend(kept.data(), int(kept.size()), MPI_BYTE, giver, back, comm,
                  &requests.emplace_back());
    }
    void results(int taker, std::span<std::byte> into) override {
        wait();  // the same memory may hold the inputs
        MPI_Recv(into.data(), int(into.size()), MPI_BYTE, taker, back, comm, MPI_STATUS_IGNORE);
    }
    void end() override { wait(), held.clear(); }

private:
    static constexpr int there = 1, back = 2;  // tags
    MPI_Comm comm;
    std::vector<MPI_Request> requests;
    std::vector<std::vector<std::byte>> held;
    void wait() {
        MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        requests.clear();
    }
};

/// The window of a rank: for each rank a line [call, place, words] that describes its offer, and a
/// line [call] that is set when it has put results; then the data that this rank offers.
class Pulled final : public Carrier {
public:
    Pulled(MPI_Comm comm, std::size_t room)
        : rank(rank_of(comm)),
          ranks(size_of(comm)),
          window(comm, 2 * line * ranks + words(room) + ranks) {}
    void offer(std::span<const Offer> offers) override {
        ++call;
        std::size_t at = 2 * line * ranks;
        for (const auto& o : offers) {
            places[o.taker] = at;
            std::memcpy(window.own() + at, o.inputs.data(), o.inputs.size());
            at += words(std::max(o.inputs.size(), o.results));
        }
        window.see();
        for (const auto& o : offers) {
            const std::uint64_t told[2] = {places[o.taker], o.inputs.size()};
            window.put(told, o.taker, line * rank + 1);
            window.signal(o.taker, line * rank, call);
        }
    }
    std::vector<std::byte> fetch(int giver) override {
        window.await(line * giver, call);
        place = window.load(line * giver + 1);
        std::vector<std::byte> inputs(window.load(line * giver + 2));
        numbers.resize(words(inputs.size()));
        if (!numbers.empty()) window.get(numbers, giver, place);
        std::memcpy(inputs.data(), numbers.data(), inputs.size());
        return inputs;
    }
    void send_back(int giver, std::span<const std::byte> results) override {
        numbers.resize(words(results.size()));
        std::memcpy(numbers.data(), results.data(), results.size());
        if (!numbers.empty()) window.put(numbers, giver, place);
        window.signal(giver, line * (ranks + rank), call);
    }
    void results(int taker, std::span<std::byte> into) override {
        window.await(line * (ranks + taker), call);
        window.see();
        std::memcpy(into.data(), window.own() + places[taker], into.size());
    }
    void end() override { places.clear(); }

private:
    static constexpr std::size_t line = 8;  // words: a cache line
    const std::size_t rank, ranks;
    Window window;
    std::uint64_t call = 0, place = 0;
    std::map<int, std::size_t> places;
    std::vector<std::uint64_t> numbers;

    static std::size_t words(std::size_t bytes) { return (bytes + 7) / 8; }
    static std::size_t rank_of(MPI_Comm comm) {
        int rank;
        MPI_Comm_rank(comm, &rank);
        return rank;
    }
    static std::size_t size_of(MPI_Comm comm) {
        int size;
        MPI_Comm_size(comm, &size);
        return size;
    }
};

template <class T> std::unique_ptr<Carrier> make(MPI_Comm comm, std::size_t room) {
    return std::make_unique<T>(comm, room);
}

constexpr CarrierKind kinds[] = {
    {"messages", "sent when they are ready, and back", make<Messages>},
    {"pulled", "got from a window of the giver, results put in their place", make<Pulled>},
    {"list", "taken from lists of work by whoever is idle, results put in their place", nullptr},
};

}  // namespace

std::span<const CarrierKind> carriers() { return kinds; }

const CarrierKind& carrier(std::string_view name) {
    for (const auto& kind : kinds)
        if (kind.name == name) return kind;
    std::vector<std::string> names;
    for (const auto& kind : kinds) names.emplace_back(kind.name);
    throw Error("columns do not travel by '", name, "'", near(std::string(name), names));
}

namespace {

/// A list of work as a transfer between two ranks.
class OfList final : public Carrier {
public:
    OfList(MPI_Comm comm, std::size_t room) : list(comm, room) {}
    void offer(std::span<const Offer> offers) override {
        list.begin({0});
        std::vector<WorkList::Offer> all;
        for (const auto& o : offers) all.push_back({o.inputs, o.results});
        if (!all.empty()) list.publish(all);
    }
    std::vector<std::byte> fetch(int) override {
        taken = list.take();
        return taken->inputs;
    }
    void send_back(int, std::span<const std::byte> results) override {
        list.put_back(*taken, results);
    }
    void results(int, std::span<std::byte> into) override { list.results(0, into); }
    void end() override {}

private:
    WorkList list;
    std::optional<WorkList::Taken> taken;
};

}  // namespace

CarrierTimes time_carrier(MPI_Comm comm, std::string_view way, std::size_t bytes, double idle) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (ranks != 2) throw Error("a transfer between two ranks is timed on 2, not ", ranks);
    const auto& kind = carrier(way);
    const auto by = kind.make ? kind.make(comm, bytes) : make<OfList>(comm, bytes);
    std::vector<std::byte> data(bytes, std::byte(rank + 1));
    CarrierTimes t{};
    MPI_Barrier(comm);  // both begin at the same time
    const double began = MPI_Wtime();
    if (rank == 0) {
        const Carrier::Offer offer[] = {{1, data, bytes}};
        by->offer(offer);
        const double offered = MPI_Wtime();
        double now = offered;
        while (now < offered + idle) now = MPI_Wtime();  // only a clock is asked
        by->results(1, data);
        t.idle = now - offered, t.gave = MPI_Wtime() - began - t.idle;
    } else {
        by->offer({});
        auto found = by->fetch(0);
        t.fetched = MPI_Wtime() - began;
        for (auto& byte : found) byte = std::byte(std::to_integer<int>(byte) + 1);
        by->send_back(0, found);
        t.returned = MPI_Wtime() - began;
    }
    by->end();
    if (rank == 0 && !std::ranges::all_of(data, [](auto byte) { return byte == std::byte(2); }))
        throw Error("what came back is not what was computed");
    MPI_Barrier(comm);  // the window of a rank is in use until the other is done
    return t;
}

}  // namespace fathom
