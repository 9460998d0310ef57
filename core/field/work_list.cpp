#include "field/work_list.hpp"
#include <algorithm>
#include <cstring>

namespace fathom {

namespace {

constexpr std::uint64_t low = 0xffffffff;

/// Call in the upper half, a number in the lower one.
constexpr std::uint64_t both(std::uint64_t call, std::uint64_t number) {
    return call << 32 | number;
}
constexpr bool is_of(std::uint64_t word, std::uint64_t call) { return word >> 32 == (call & low); }

}  // namespace

WorkList::WorkList(MPI_Comm comm, std::size_t room) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    window = std::make_unique<Window>(comm, data + words(room) + most);
}

void WorkList::begin(std::vector<int> who) {
    ++call;
    givers = std::move(who);
    std::erase(givers, rank);
    // those that come after this rank first, so that idle ranks begin at different lists
    std::ranges::rotate(givers, std::ranges::upper_bound(givers, rank));
    turn = 0;
}

void WorkList::publish(std::span<const Offer> offers) {
    std::size_t at = data;
    places.clear();
    for (std::size_t n = 0; n < offers.size(); ++n) {
        const Offer& o = offers[n];
        places.push_back(at);
        std::memcpy(window->own() + at, o.inputs.data(), o.inputs.size());
        window->own()[line * (n + 1)] = at;
        window->own()[line * (n + 1) + 1] = o.inputs.size();
        at += words(std::max(o.inputs.size(), o.results));
    }
    window->own()[1] = offers.size();
    window->see();
    window->signal(rank, 0, both(call, 0));
}

int WorkList::next() {
    const std::uint64_t found = window->fetch_add(rank, 0, 1) & low;
    return found < places.size() ? int(found) : -1;
}

std::optional<WorkList::Taken> WorkList::take_from(int giver, bool& empty) {
    if (!is_of(window->fetch_add(giver, 0, 0), call)) return {};  // not yet published
    const std::uint64_t number = window->fetch_add(giver, 0, 1) & low;
    std::uint64_t count;
    window->get({&count, 1}, giver, 1);
    empty = number >= count;
    if (empty) return {};
    std::uint64_t told[2];
    window->get(told, giver, line * (number + 1));
    Taken taken{giver, number, told[0], std::vector<std::byte>(told[1])};
    numbers.resize(words(told[1]));
    if (!numbers.empty()) window->get(numbers, giver, taken.place);
    std::memcpy(taken.inputs.data(), numbers.data(), taken.inputs.size());
    return taken;
}

std::optional<WorkList::Taken> WorkList::take() {
    std::optional<Taken> taken;
    const auto one = [&] {
        if (givers.empty()) return true;
        turn %= givers.size();
        bool empty = false;
        taken = take_from(givers[turn], empty);
        if (empty)
            givers.erase(givers.begin() + std::ptrdiff_t(turn));
        else if (!taken)
            ++turn;  // another one may have published
        return taken || givers.empty();
    };
    spin(one, [this] { window->progress(); });
    return taken;
}

void WorkList::put_back(const Taken& taken, std::span<const std::byte> results) {
    numbers.resize(words(results.size()));
    std::memcpy(numbers.data(), results.data(), results.size());
    if (!numbers.empty()) window->put(numbers, taken.giver, taken.place);
    window->signal(taken.giver, line * (taken.number + 1) + 2, both(call, std::uint64_t(rank)));
}

int WorkList::results(int number, std::span<std::byte> into) {
    const std::size_t word = line * (std::size_t(number) + 1) + 2;
    spin([&] { return is_of(window->load(word), call); }, [this] { window->progress(); });
    window->see();
    std::memcpy(into.data(), window->own() + places[std::size_t(number)], into.size());
    return int(window->load(word) & low);
}

}  // namespace fathom
