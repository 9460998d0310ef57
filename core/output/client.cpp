#include "output/client.hpp"
#include <set>
#include "base/error.hpp"
#include "machine/spent.hpp"

namespace fathom {

namespace {

std::size_t words(std::size_t bytes) { return (bytes + 63) / 64 * 8; }

}  // namespace

OutputClient::OutputClient(const Roles& r, const Decomposition& d, int halo,
                           std::vector<OutputStream> list, int slots)
    : slots(slots),
      sets(r.sets()),
      roles(r),
      streams(std::move(list)),
      posted(slots),
      told(slots),
      beats(r.servers.size(), Beat{0, seconds_now()}),
      lost(sets),
      outbox(r.world, r.servers[0]) {
    if (slots < 1) throw Error("output in ", slots, " slots; allowed: at least 1");
    MPI_Comm_rank(roles.own, &rank);
    for (auto& s : streams) {
        packings.push_back(packing(s, d, halo, rank));
        slot_words = std::max(slot_words, words(packings.back().parts.outgoing));
    }
    window = std::make_unique<Window>(roles.world, header_words(roles) + slots * slot_words, false);
}

int OutputClient::free_slot() const {
    for (int s = 0; s < slots; ++s)
        if (std::ranges::none_of(under_way, [&](const Granted& g) { return g.event.slot == s; }))
            return s;
    return -1;
}

/// The set of servers with the fewest unfinished events.
int OutputClient::idle_set(int only) const {
    int best = -1;
    long least = 0;
    for (int s = 0; s < sets; ++s) {
        if (lost[s] || (only >= 0 && s != only)) continue;
        const long load =
            std::ranges::count_if(under_way, [&](const Granted& g) { return g.event.set == s; });
        if (best < 0 || load < least) best = s, least = load;
    }
    return best;
}

void OutputClient::grant(OutputEvent& e, double patience) {
    const double t = seconds_now();
    std::int64_t reply[3] = {-1, -1, handed};  // slot, set, events before this one
    asked = 0;
    if (rank == 0) {
        progress();
        const int set = idle_set(streams[e.stream].set);
        reply[1] = set;
        if (set >= 0) {
            int slot = free_slot();
            if (slot < 0) {
                while (slot < 0 && seconds_now() - t < patience) {
                    sched_yield();
                    progress();
                    slot = free_slot();
                }
                quantities.waiting.note(asked = seconds_now() - t);
            }
            if (slot >= 0) {
                reply[0] = slot;
                if (e.after < 0) e.after = handed;
                under_way.push_back({e, 0, 0, seconds_now()});
                ++handed;
                auto& given = under_way.back().event;
                given.number = number, given.slot = slot, given.set = set;
                quantities.depth.note(double(under_way.size()));
            }
        }
    }
    MPI_Bcast(reply, 3, MPI_INT64_T, 0, roles.own);
    if (e.after < 0) e.after = reply[2];
    e.number = number++, e.slot = reply[0], e.set = reply[1];
    quantities.granting.note(seconds_now() - t);
}

void OutputClient::post(const OutputEvent& e, std::span<const FieldSlab> fields, Device* device) {
    double t = seconds_now();
    auto& requests = told[e.slot];
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
    const auto& p = packings[e.stream];
    const auto slot = (std::byte*)(window->own() + header_words(roles) + e.slot * slot_words);
    if (device) {
        there.resize(packings.size());
        if (!there[e.stream]) there[e.stream] = device->make<Mover>(p.points());
        there[e.stream]->pack(fields, slot);
    } else {
        p.pack(fields, slot);
    }
    window->see();
    const double copied = seconds_now();
    quantities.copy.note(copied - t);
    quantities.copied_bytes.note(double(p.sent_bytes));
    auto& words = posted[e.slot];
    words.assign(roles.per_set, {e});
    for (int n = 0; n < roles.per_set; ++n) {
        const auto part = std::ranges::find(p.parts.sends, roles.computing + n, &Parts::Part::rank);
        const bool any = part != p.parts.sends.end();
        if (!any && rank != 0) continue;  // rank 0 always sends its word
        if (any) {                        // offsets are multiples of 64 bytes
            words[n].at = header_words(roles) + e.slot * slot_words + part->offset / 8;
            words[n].bytes = part->bytes;
        }
        requests.emplace_back();
        MPI_Isend(&words[n], sizeof(Ready), MPI_BYTE,
                  roles.servers[roles.first_server(int(e.set)) + n], message::ready, roles.world,
                  &requests.back());
    }
    quantities.notification.note(seconds_now() - copied);
}

void OutputClient::restore(const OutputEvent& e, std::span<const FieldSlab> fields) const {
    packings[e.stream].restore(
        fields, (const std::byte*)(window->own() + header_words(roles) + e.slot * slot_words));
}

void OutputClient::wrote(const OutputEvent& e) {
    OutputEvent ours = e;
    ours.slot = ours.set = -1;
    if (e.slot < 0)
        ++handed, quantities.fallback.note(asked);  // otherwise it was counted when a set took it
    if (ledger) return ledger->note(ours);
    seen.push_back(ours);  // needed if the first server is lost before it publishes this
    outbox.written(ours);
}

void OutputClient::progress() {
    OutputEvent e;
    auto arrived = [&](message::Tag tag) {
        int any;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, roles.world, &any, &status);
        if (any)
            MPI_Recv(&e, sizeof e, MPI_BYTE, status.MPI_SOURCE, tag, roles.world,
                     MPI_STATUS_IGNORE);
        return any;
    };
    auto of_event = [&] {
        return std::ranges::find(under_way, e.number,
                                 [](const Granted& g) { return g.event.number; });
    };
    while (arrived(message::staged))
        if (auto it = of_event(); it != under_way.end() && ++it->stagers == roles.per_set)
            it->event.slot = -1;
    for (int any;
         MPI_Iprobe(roles.servers[0], message::noted, roles.world, &any, MPI_STATUS_IGNORE), any;
         outbox.noted())
        MPI_Recv(nullptr, 0, MPI_INT, roles.servers[0], message::noted, roles.world,
                 MPI_STATUS_IGNORE);
    while (arrived(message::written)) {
        auto it = of_event();
        if (it == under_way.end()) continue;  // of a set that was abandoned
        if (ledger)
            ledger->note(e);
        else
            seen.push_back(e);
        if (++it->writers < roles.per_set) continue;
        quantities.turnaround.note(seconds_now() - it->since);
        under_way.erase(it);
    }
    if (!seen.empty() && all_visible()) seen.clear();
}

std::size_t OutputClient::plan_bytes() const {
    std::size_t bytes = 0;
    for (auto& p : packings) bytes += p.plan_bytes();
    return bytes;
}

bool OutputClient::all_visible() {
    window->see();
    return std::int64_t(window->load(roles.servers.size())) == handed;
}

bool OutputClient::idle() {
    progress();
    return under_way.empty() && (ledger ? ledger->empty() : outbox.empty() && all_visible());
}

std::vector<int> OutputClient::silent(double seconds) {
    std::vector<int> found;
    window->see();
    for (std::size_t s = 0; s < beats.size(); ++s)
        if (const auto count = window->load(s); count != beats[s].count)
            beats[s] = {count, seconds_now()};
    for (int s = 0; s < sets; ++s) {
        if (lost[s]) continue;
        for (int n = 0; n < roles.per_set; ++n)
            if (seconds_now() - beats[roles.first_server(s) + n].at > seconds) {
                found.push_back(s);
                break;
            }
    }
    return found;
}

std::vector<OutputEvent> OutputClient::give_up(int set) {
    progress();
    std::vector<OutputEvent> left;
    for (auto& g : under_way)
        if (g.event.set == set) left.push_back(g.event);
    std::erase_if(under_way, [&](const Granted& g) { return g.event.set == set; });
    int count = int(left.size());
    MPI_Bcast(&count, 1, MPI_INT, 0, roles.own);
    left.resize(count);
    MPI_Bcast(left.data(), int(count * sizeof(OutputEvent)), MPI_BYTE, 0, roles.own);
    lost[set] = true;
    return left;
}

void OutputClient::keep_ledger(std::span<const std::int64_t> times) {
    progress();
    for (std::size_t n = 0; n < streams.size(); ++n) streams[n].times = times[n];
    ledger.emplace(streams, roles.per_set);
    for (auto& e : seen)
        if (e.time >= times[e.stream]) ledger->note(e);
    seen.clear();
    std::set<std::int64_t> open = ledger->numbers();
    for (auto& g : under_way) open.insert(g.event.number);
    ledger->shown = handed - std::int64_t(open.size());
}

void OutputClient::finish(bool failed) {
    for (auto& requests : told)
        MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    MPI_Barrier(roles.own);  // nobody hands over any more
    if (rank == 0) {
        // servers that answer
        const int word[] = {int(std::ranges::count(lost, false)) * roles.per_set, failed};
        for (int s = 0; s < sets; ++s)
            if (!lost[s])
                for (int n = 0; n < roles.per_set; ++n)
                    MPI_Send(word, 2, MPI_INT, roles.servers[roles.first_server(s) + n],
                             message::end, roles.world);
        if (!lost[0])
            MPI_Recv(nullptr, 0, MPI_INT, roles.servers[0], message::goodbye, roles.world,
                     MPI_STATUS_IGNORE);
        progress();
    }
    if (std::ranges::count(lost, true))
        (void)window.release();  // to free it would wait for the lost servers
    else
        window.reset();
}

}  // namespace fathom
