#include "parallel/halo/exchange.hpp"
#include <climits>
#include <map>
#include <numeric>
#include "base/error.hpp"
#include "parallel/meeting.hpp"

namespace fathom {

namespace {

int rank_in(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

/// Fields at the same place share a plan.
Packing of_halos(MPI_Comm comm, const Decomposition& d, int halo, int bytes,
                 std::vector<Packing::Item> items) {
    std::map<std::pair<Horizontal, int>, int> known;
    std::vector<Plan> plans;
    std::vector<int> of_item;
    for (auto& item : items) {
        if (item.width < 0 || item.width > halo)
            throw Error("an exchange of width ", item.width, " in a halo of ", halo);
        const auto [it, made] = known.try_emplace({item.horizontal, item.width}, int(plans.size()));
        if (made) plans.push_back(halo_plan(d, item.horizontal, halo, item.width, rank_in(comm)));
        of_item.push_back(it->second);
    }
    return Packing(plans, of_item, std::move(items), bytes, rank_in(comm));
}

Packing given(MPI_Comm comm, std::span<const Plan> plans, int bytes,
              std::vector<Packing::Item> items, bool add) {
    if (plans.size() != items.size())
        throw Error("an exchange of ", items.size(), " fields with ", plans.size(), " plans");
    std::vector<int> of_item(plans.size());
    std::iota(of_item.begin(), of_item.end(), 0);
    return Packing(plans, of_item, std::move(items), bytes, rank_in(comm), add);
}

}  // namespace

Exchange::Exchange(MPI_Comm comm, const Decomposition& d, int halo, int bytes,
                   std::vector<Item> items, std::string_view transport)
    : Exchange(comm, of_halos(comm, d, halo, bytes, std::move(items)), transport) {}

Exchange::Exchange(MPI_Comm comm, std::span<const Plan> plans, int bytes, std::vector<Item> items,
                   bool add, std::string_view transport)
    : Exchange(comm, given(comm, plans, bytes, std::move(items), add), transport) {}

Exchange::Exchange(MPI_Comm comm, Packing p, std::string_view name)
    : comm(comm), packing(std::move(p)) {
    for (auto* parts : {&packing.parts.sends, &packing.parts.receives})
        for (auto& m : *parts)
            if (m.bytes > INT_MAX)
                throw Error("a message of ", m.bytes, " bytes with rank ", m.rank, "; the most is ",
                            INT_MAX, ": use more ranks");
    transport = fathom::transport(name).make(comm, packing.parts);
    Meetings::Partners others;
    for (auto& m : packing.parts.sends) others.to.push_back(m.rank);
    for (auto& m : packing.parts.receives) others.from.push_back(m.rank);
    partners = transport->meets() ? Meetings::everybody : meetings.partners(std::move(others));
}

/// For a transport that does not pack: gives it the addresses, once for each set of fields.
void Exchange::point_out(std::span<const FieldSlab> fields) {
    std::vector<const std::byte*> at;
    for (auto& f : fields) at.insert(at.end(), f.at.begin(), f.at.end());
    if (!transport->knows(at)) transport->pieces(packing.pieces(fields));
}

void Exchange::pack(std::span<const FieldSlab> fields) {
    if (!transport->packs())
        point_out(fields);
    else if (!mover)
        packing.pack(fields, transport->outgoing());
    else if (!packing.parts.sends.empty())
        mover->pack(fields, transport->outgoing());
}

void Exchange::unpack(std::span<const FieldSlab> fields) {
    const auto& receives = packing.parts.receives;
    if (mover) {
        if (transport->in_place()) transport->collect();
        if (!receives.empty()) mover->unpack(fields, transport->incoming());
    } else if (transport->in_place())
        for (std::size_t n = 0; n < receives.size(); ++n)
            packing.unpack(fields, transport->place(n) - receives[n].offset, false, int(n));
    else
        packing.unpack(fields, transport->incoming(), !transport->packs());
}

void Exchange::start(std::span<const FieldSlab> fields, Mover* by) {
    from = fields, mover = by, copied = false, sending = 0;
    if (mover && !transport->packs())
        throw Error(
            "fields on a device are packed there: choose an exchange that packs, such as "
            "'packed'");
    transport->post();
    const bool at_once = !overlaps() || mover;
    if (at_once) pack(fields);
    meet(1);
    sent = seconds_now();
    if (!overlaps()) {
        transport->send();
        sending = seconds_now() - sent;
    } else
        for (std::size_t n = 0; n < messages(); ++n) {
            if (!at_once) packing.pack(fields, transport->outgoing(), n);
            sent = seconds_now();
            transport->send_message(n);
            sending += seconds_now() - sent;
        }
}

void Exchange::meet(int level) {
    if (synchronise[kind] < level) return;
    static const Region here("synchronising", "", "sum");
    Within within(here);
    Meet meeting(comm, 0);
    MPI_Barrier(comm);  // what the user asks for: synchronise
}

void Exchange::copy(std::span<const FieldSlab> to) {
    mover ? mover->copy(from, to) : packing.copy(from, to);
    copied = true;
}

void Exchange::finish(std::span<const FieldSlab> fields) {
    if (!copied) copy(fields);  // while messages travel
    const double t = seconds_now();
    const bool one_by_one = overlaps() && !packing.add && !mover;  // +=: in a fixed order
    double unpacking = 0;
    if (one_by_one)
        for (int n; (n = transport->arrived()) >= 0;) {
            const double arrived = seconds_now();
            packing.unpack(fields, transport->incoming(), false, n);
            unpacking += seconds_now() - arrived;
        }
    else
        transport->wait();
    meetings.note(comm, partners, sent, t, seconds_now() - unpacking, sending, long(messages()),
                  double(bytes()));
    if (!one_by_one) unpack(fields);
    meet(2);
}

}  // namespace fathom
