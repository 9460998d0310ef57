#include "output/event.hpp"

namespace fathom {

Packing packing(const OutputStream& stream, const Decomposition& d, int halo, int rank) {
    std::vector<Plan> plans;
    std::vector<int> of_item;
    auto same = [&](std::size_t a, std::size_t b) {
        return stream.items[a].horizontal == stream.items[b].horizontal &&
               std::ranges::equal(stream.rectangles[a], stream.rectangles[b]);
    };
    for (std::size_t n = 0; n < stream.items.size(); ++n) {
        std::size_t twin = 0;
        while (!same(twin, n)) ++twin;
        if (twin < n) {
            of_item.push_back(of_item[twin]);
            continue;
        }
        auto list = stream.rectangles[n];
        for (auto& r : list) r.owner += d.ranks;
        of_item.push_back(int(plans.size()));
        plans.push_back(gather_plan(d, stream.items[n].horizontal, halo, list, rank));
    }
    return Packing(plans, of_item, stream.items, stream.bytes, rank);
}

void Outbox::written(const OutputEvent& e) {
    waiting.push_back(e);
    send();
}

void Outbox::noted() {
    --unread;
    send();
}

void Outbox::send() {
    constexpr int most = 16;
    std::erase_if(under_way, [](Letter& letter) {
        int gone;
        MPI_Test(&letter.request, &gone, MPI_STATUS_IGNORE);
        return gone;
    });
    for (; unread < most && !waiting.empty(); waiting.pop_front(), ++unread) {
        auto& letter = under_way.emplace_back(Letter{waiting.front(), MPI_REQUEST_NULL});
        MPI_Isend(&letter.event, sizeof letter.event, MPI_BYTE, to, message::written, comm,
                  &letter.request);
    }
}

void Ledger::note(const OutputEvent& e) {
    auto it = std::ranges::find(open, e.number, [](const Entry& x) { return x.event.number; });
    if (it == open.end()) open.push_back({e, 0}), it = open.end() - 1;
    if (e.set < 0)
        it->event = e, it->writers = 1;  // also an event that a set had begun
    else if (it->event.set >= 0)
        ++it->writers;
}

std::optional<OutputEvent> Ledger::due() const {
    for (auto& x : open) {
        const auto& e = x.event;
        if (x.writers == (e.set < 0 ? 1 : per_set) &&
            (next[e.stream] < 0 || e.time == next[e.stream]) && e.after <= shown)
            return e;
    }
    return {};
}

void Ledger::visible(const OutputEvent& e) {
    if (next[e.stream] >= 0) next[e.stream] = e.time + 1;
    ++shown;
    std::erase_if(open, [&](const Entry& x) { return x.event.number == e.number; });
}

}  // namespace fathom
