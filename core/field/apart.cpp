#include "field/apart.hpp"
#include <algorithm>
#include <optional>
#include "machine/region.hpp"

namespace fathom {

Apart::Apart(Process columns, Helpers given)
    : Bundled(std::move(columns)), helpers(std::move(given)) {
    for (std::size_t p = 0; p < items.size(); ++p) {
        const auto& f = process.fields[p];
        if (f.access == Access::updates)
            throw Error(process.name, " updates '", f.name, "', which cannot be done apart");
        kept.push_back({-1});
        if (f.place == place::profile)
            for (int n = 0; n < numbers_of_profile; ++n) {
                kept_profile.push_back(updates(f.name + " " + std::to_string(n) + " for " + name,
                                               place::center_column, f.units));
                copied.push_back({items[p], kept_profile.back(), n});
            }
        else if (f.access == Access::reads) {
            kept.back() = updates(f.name + " for " + name, f.place, f.units);
            copied.push_back({items[p], kept.back()});
        }
    }
    if (kept_profile.size() > numbers_of_profile)
        throw Error(process.name, " reads more than one profile");
}

Apart::~Apart() {
    int over;
    MPI_Finalized(&over);
    if (!over) wait();
}

void Apart::prepare(Given at) {
    const Domain& d = at.set.domain();
    wait();
    pending = false;
    shares.clear();
    for (const int rank : helpers.ranks) shares.push_back({rank, {}, {}, {}});
    std::vector<Column> all;
    for (int b = 0; b < int(d.blocks.size()); ++b)
        for (int j = 0; j < d.blocks[b]->ny; ++j)
            for (int i = 0; i < d.blocks[b]->nx; ++i)
                if (const int wet =
                        d.wet(Horizontal::center, d.blocks[b]->i0 + i, d.blocks[b]->j0 + j))
                    all.push_back({b, j + d.halo, i + d.halo, wet});
    const std::size_t cell = at.set.layout->cell;
    for (std::size_t n = 0; n < all.size(); ++n)
        shares[n / cell % shares.size()].columns.push_back(all[n]);
}

/// Whether no state has been given to it yet: then all kept values are 0, also temperature.
bool Apart::nothing_kept(Given at) const {
    const auto zero = [](double x) { return x == 0; };
    for (const Item& item : kept)
        for (const Share& s : shares)
            if (item.number >= 0 && !std::ranges::all_of(values(at, item, s.columns), zero))
                return false;
    return true;
}

void Apart::keep(Given at) {
    for (const Share& s : shares) copy(at, s.columns, copied);
}

/// Sends the kept values.
void Apart::request(Given at) {
    for (Share& s : shares) {
        if (s.columns.empty()) continue;
        s.bundle = filled(at, s.columns, kept);
        s.call = {int(s.bundle.count), s.bundle.levels, s.bundle.bytes, at.set.layout->cell, {}};
        const std::span first(s.columns.data(), 1);
        for (std::size_t n = 0; n < kept_profile.size(); ++n)
            s.call.profiles[n] = values(at, kept_profile[n], first)[0];
        MPI_Request r;
        MPI_Isend(&s.call, sizeof s.call, MPI_BYTE, s.rank, of_call, helpers.world, &r);
        under_way.push_back(r);
        const auto inputs = s.bundle.inputs(), results = s.bundle.results();
        MPI_Isend(inputs.data(), int(inputs.size()), MPI_BYTE, s.rank, of_columns, helpers.world,
                  &r);
        under_way.push_back(r);
        MPI_Irecv(results.data(), int(results.size()), MPI_BYTE, s.rank, of_results, helpers.world,
                  &r);
        under_way.push_back(r);
    }
    pending = true;
}

void Apart::wait() {
    if (under_way.empty()) return;
    const double began = MPI_Wtime();
    MPI_Waitall(int(under_way.size()), under_way.data(), MPI_STATUSES_IGNORE);
    waiting += MPI_Wtime() - began;
    under_way.clear();
}

void Apart::receive(Given at) {
    wait();
    for (Share& s : shares) give(at, s.bundle, s.columns);
    pending = false;
}

void Apart::apply(Given at) {
    if (!pending) {
        if (nothing_kept(at)) keep(at);
        request(at);
    }
    receive(at);
    keep(at);
    request(at);
}

void Apart::dismiss() {
    for (const int rank : helpers.ranks)
        MPI_Send(nullptr, 0, MPI_BYTE, rank, of_end, helpers.world);
}

void Apart::help(const std::shared_ptr<Device>& device) {
    const Region waits("no columns yet", "physics");
    for (;;) {
        MPI_Status status;
        {
            Within within(waits);
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, helpers.world, &status);
        }
        if (status.MPI_TAG == of_end) {
            MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, of_end, helpers.world,
                     MPI_STATUS_IGNORE);
            return;
        }
        answer(status.MPI_SOURCE, device);
    }
}

/// Computes the columns of one rank.
void Apart::answer(int rank, const std::shared_ptr<Device>& device) {
    const Region talks("columns and fluxes", "physics"),
        computes(process.name, "physics", "process");
    std::optional<Within> within(std::in_place, talks);
    Call call;
    MPI_Recv(&call, sizeof call, MPI_BYTE, rank, of_call, helpers.world, MPI_STATUS_IGNORE);
    Bundle b = bundle(std::size_t(call.count), call.levels, call.bytes, call.cell);
    b.memory.resize(b.size * std::size_t(b.bytes));
    MPI_Recv(b.inputs().data(), int(b.inputs().size()), MPI_BYTE, rank, of_columns, helpers.world,
             MPI_STATUS_IGNORE);
    within.emplace(computes);
    const double began = MPI_Wtime();
    float small[numbers_of_profile];
    std::copy_n(call.profiles, numbers_of_profile, small);
    void* profile = call.bytes == 4 ? (void*)small : (void*)call.profiles;
    if (device) {
        const auto bytes = std::size_t(numbers_of_profile * call.bytes);
        renew(profile_there, device, std::span((const std::byte*)profile, bytes));
        profile = profile_there.at;
    }
    run(Where{call.cell, std::vector<void*>(items.size(), profile), device}, b);
    busy += MPI_Wtime() - began;
    within.emplace(talks);
    MPI_Send(b.results().data(), int(b.results().size()), MPI_BYTE, rank, of_results,
             helpers.world);
}

}  // namespace fathom
