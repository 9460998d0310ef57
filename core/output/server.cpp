#include "output/server.hpp"
#include "base/error.hpp"
#include "machine/spent.hpp"

namespace fathom {

namespace {

constexpr double rhythm = 0.25;  // interval between beats [s]

}  // namespace

OutputServer::OutputServer(const Roles& r, const Decomposition& d, int halo,
                           std::vector<OutputStream> list)
    : roles(r),
      streams(std::move(list)),
      ledger(streams, r.per_set),
      outbox(r.world, r.servers[0]) {
    const int position = roles.server % roles.per_set;
    for (auto& s : streams) {
        packings.push_back(packing(s, d, halo, d.ranks + position));
        auto& of_items = mine.emplace_back();
        for (auto& rectangles : s.rectangles) {
            auto& own = of_items.emplace_back();
            for (auto& rectangle : rectangles)
                if (rectangle.owner == position) own.push_back(rectangle);
        }
    }
    window = std::make_unique<Window>(roles.world, 0);
}

OutputServer::Job& OutputServer::job(const OutputEvent& e) {
    auto& known = jobs[e.number];
    if (known) return *known;
    auto it = std::ranges::find(spare, e.stream, [](const auto& j) { return j->event.stream; });
    if (it != spare.end())
        known = std::move(*it), spare.erase(it);
    else {
        known = std::make_unique<Job>();
        const auto& s = streams[e.stream];
        for (std::size_t n = 0; n < s.items.size(); ++n) {
            const int levels = s.items[n].levels;
            std::size_t size = 0;
            FieldSlab slab{{}, {}, {}, levels};
            for (auto& r : mine[e.stream][n]) size += std::size_t(r.nx) * r.ny * levels * s.bytes;
            std::byte* at = known->memory.emplace_back(size).data();
            for (auto& r : mine[e.stream][n]) {
                slab.at.push_back(at), slab.row.push_back(std::ptrdiff_t(levels) * r.nx),
                    slab.level.push_back(r.nx);
                at += std::size_t(r.nx) * r.ny * levels * s.bytes;
            }
            known->slabs.push_back(std::move(slab));
        }
    }
    const auto& receives = packings[e.stream].parts.receives;
    known->event = e, known->arrived = 0, known->first_seen = seconds_now(), known->fetching = 0,
    known->bytes = 0;
    quantities.queue.note(double(jobs.size()));
    // rank 0 always sends its word
    known->expected =
        receives.size() + (std::ranges::find(receives, 0, &Parts::Part::rank) == receives.end());
    return *known;
}

void OutputServer::fetch(Job& job, int from, const Ready& word) {
    const auto& packing = packings[job.event.stream];
    const auto part =
        std::ranges::lower_bound(packing.parts.receives, from, {}, &Parts::Part::rank);
    const bool any = part != packing.parts.receives.end() && part->rank == from;
    if ((any ? part->bytes : 0) != word.bytes)
        throw Error("output: rank ", from, " sends ", word.bytes, " bytes of stream ",
                    job.event.stream, ", another number is expected");
    if (any) {
        const double t = seconds_now();
        window->see();
        const std::uint64_t* there = window->near(roles.compute(from));
        if (there)
            there += word.at;
        else {
            staging.resize(std::max(staging.size(), (part->bytes + 7) / 8));
            window->get({staging.data(), (part->bytes + 7) / 8}, roles.compute(from), word.at);
            there = staging.data();
        }
        packing.unpack_part(part - packing.parts.receives.begin(), job.slabs,
                            (const std::byte*)there);
        job.fetching += seconds_now() - t;
        job.bytes += part->bytes;
    }
    if (++job.arrived == job.expected) job.whole_at = seconds_now(), whole.push_back(&job);
}

std::size_t OutputServer::plan_bytes() const {
    std::size_t bytes = 0;
    for (auto& p : packings) bytes += p.plan_bytes();
    return bytes;
}

bool OutputServer::poll() {
    if (seconds_now() - last_beat > rhythm) {
        ++beat;
        window->replace({&beat, 1}, roles.compute(0), roles.server);
        window->flush(roles.compute(0));
        last_beat = seconds_now();
    }
    int any;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, roles.world, &any, &status);
    if (!any) return false;
    if (status.MPI_TAG == message::ready) {
        Ready word;
        MPI_Recv(&word, sizeof word, MPI_BYTE, status.MPI_SOURCE, message::ready, roles.world,
                 MPI_STATUS_IGNORE);
        fetch(job(word.event), roles.number(status.MPI_SOURCE), word);
    } else if (status.MPI_TAG == message::written) {
        OutputEvent e;
        MPI_Recv(&e, sizeof e, MPI_BYTE, status.MPI_SOURCE, message::written, roles.world,
                 MPI_STATUS_IGNORE);
        ledger.note(e);
        MPI_Send(nullptr, 0, MPI_INT, status.MPI_SOURCE, message::noted, roles.world);
    } else if (status.MPI_TAG == message::noted) {
        MPI_Recv(nullptr, 0, MPI_INT, status.MPI_SOURCE, message::noted, roles.world,
                 MPI_STATUS_IGNORE);
        outbox.noted();
    } else if (status.MPI_TAG == message::end) {
        int word[2];
        MPI_Recv(word, 2, MPI_INT, status.MPI_SOURCE, message::end, roles.world, MPI_STATUS_IGNORE);
        alive = word[0], failure = word[1], ending = true;
    } else {
        MPI_Recv(nullptr, 0, MPI_INT, status.MPI_SOURCE, message::goodbye, roles.world,
                 MPI_STATUS_IGNORE);
        ++goodbyes;
    }
    return true;
}

OutputServer::Job* OutputServer::next() {
    if (whole.empty()) return nullptr;
    Job* job = whole.front();
    whole.erase(whole.begin());
    return job;
}

OutputEvent OutputServer::release(Job* job) {
    const OutputEvent e = job->event;
    const double now = seconds_now();
    quantities.fetching.note(job->fetching), quantities.fetched_bytes.note(double(job->bytes));
    quantities.gathering.note(job->whole_at - job->first_seen),
        quantities.writing.note(now - job->whole_at),
        quantities.service.note(now - job->first_seen);
    auto it = jobs.find(e.number);
    spare.push_back(std::move(it->second));
    jobs.erase(it);
    return e;
}

void OutputServer::staged(Job* job) {
    const OutputEvent e = release(job);
    ++on_disk;
    MPI_Send(&e, sizeof e, MPI_BYTE, roles.compute(0), message::staged, roles.world);
}

void OutputServer::written(Job* job) { tell(release(job)); }

void OutputServer::written(const OutputEvent& e) {
    --on_disk;
    tell(e);
}

void OutputServer::tell(const OutputEvent& e) {
    if (keeps_ledger())
        ledger.note(e);
    else
        outbox.written(e);
    MPI_Send(&e, sizeof e, MPI_BYTE, roles.compute(0), message::written, roles.world);
}

void OutputServer::visible(const OutputEvent& e) {
    ledger.visible(e);
    const std::uint64_t shown = ledger.shown;
    window->replace({&shown, 1}, roles.compute(0), roles.servers.size());
    window->flush(roles.compute(0));
}

/// Whether this server has written all and reported all.
bool OutputServer::idle() const {
    return jobs.empty() && !on_disk && (outbox.empty() || abandoned());
}

/// Whether all is visible and the other servers have finished. Data on the disk of a lost server
/// never become visible, nor do later data.
bool OutputServer::ledger_closed() const {
    const bool lacks = failure && abandoned();
    return (ledger.empty() || lacks) && goodbyes >= alive - 1;
}

bool OutputServer::done() {
    if (!ending || !idle() || (keeps_ledger() && !ledger_closed())) return false;
    if (!over) say_goodbye();
    return over = true;
}

void OutputServer::say_goodbye() {
    MPI_Send(nullptr, 0, MPI_INT, keeps_ledger() ? roles.compute(0) : roles.servers[0],
             message::goodbye, roles.world);
    if (alive == int(roles.servers.size()))
        window.reset();
    else
        (void)window.release();
}

}  // namespace fathom
