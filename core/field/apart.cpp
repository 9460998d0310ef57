#include "field/apart.hpp"
#include <algorithm>
#include <optional>
#include "machine/region.hpp"

namespace fathom {

Apart::Apart(Process columns, Helpers given)
    : Bundled(std::move(columns)), helpers(std::move(given)) {
    for (const auto& f : process.fields) {
        if (f.access == Access::updates)
            throw Error(process.name, " updates '", f.name, "', which cannot be done apart");
        if (f.access == Access::reads && travels(f))
            kept.push_back(updates(f.name + " for " + name, f.place, f.units));
        else
            kept.push_back({-1});
        if (f.place == place::profile)
            for (int n = 0; n < numbers_of_profile; ++n)
                kept_profile.push_back(updates(f.name + " " + std::to_string(n) + " for " + name,
                                               place::center_column, f.units));
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
    for (const int rank : helpers.ranks) shares.push_back({rank, {}, {}, {}, {}});
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

/// Calls body(number, field, its kept copy) for each field that is read and sent.
template <class Body> void Apart::each_read(Given at, Body body) const {
    for (std::size_t p = 0; p < items.size(); ++p)
        if (kept[p].number >= 0) body(p, at[items[p]], at[kept[p]]);
}

/// Whether no state has been given to it yet: then all kept values are 0, also temperature.
bool Apart::nothing_kept(Given at) const {
    bool nothing = true;
    each_read(at, [&](std::size_t, const Field&, const Field& to) {
        for (const Share& s : shares)
            for (const Column& c : s.columns)
                nothing &= at.set.bytes() == 4
                               ? row_of<float>(to, c.block, c.row, 0)[c.column] == 0
                               : row_of<double>(to, c.block, c.row, 0)[c.column] == 0;
    });
    return nothing;
}

void Apart::keep(Given at) {
    const auto copy = [&]<class T>(T) {
        each_read(at, [&](std::size_t, const Field& from, const Field& to) {
            for (const Share& s : shares)
                for (int k = 0; k < numbers(from); ++k)
                    for (const Column& c : s.columns)
                        row_of<T>(to, c.block, c.row, k)[c.column] =
                            row_of<T>(from, c.block, c.row, k)[c.column];
        });
        for (std::size_t p = 0; p < items.size(); ++p) {
            if (process.fields[p].place != place::profile) continue;
            const Field& from = at[items[p]];
            for (int n = 0; n < numbers_of_profile && n < from.levels; ++n)
                for (const Share& s : shares)
                    for (const Column& c : s.columns)
                        row_of<T>(at[kept_profile[n]], c.block, c.row, 0)[c.column] =
                            ((const T*)from.at[0])[n];
        }
    };
    at.set.bytes() == 4 ? copy(float()) : copy(double());
}

/// Sends the kept values.
void Apart::request(Given at) {
    const auto send = [&]<class T>(T) {
        for (Share& s : shares) {
            if (s.columns.empty()) continue;
            s.bundle = filled<T>(at, s.columns, kept);
            s.results.resize(s.bundle.memory.size());
            s.call = {int(s.bundle.count),
                      at.set.domain().levels,
                      int(sizeof(T)),
                      at.set.layout->cell,
                      {}};
            const Column& c = s.columns.front();
            for (std::size_t n = 0; n < kept_profile.size(); ++n)
                s.call.profiles[n] =
                    double(row_of<T>(at[kept_profile[n]], c.block, c.row, 0)[c.column]);
            MPI_Request r;
            MPI_Isend(&s.call, sizeof s.call, MPI_BYTE, s.rank, of_call, helpers.world, &r);
            under_way.push_back(r);
            MPI_Isend(s.bundle.memory.data(), int(s.bundle.memory.size()), MPI_BYTE, s.rank,
                      of_columns, helpers.world, &r);
            under_way.push_back(r);
            MPI_Irecv(s.results.data(), int(s.results.size()), MPI_BYTE, s.rank, of_results,
                      helpers.world, &r);
            under_way.push_back(r);
        }
    };
    at.set.bytes() == 4 ? send(float()) : send(double());
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
    for (Share& s : shares) {
        if (s.columns.empty()) continue;
        std::swap(s.bundle.memory, s.results);
        if (at.set.bytes() == 4)
            give<float>(at, s.bundle, s.columns);
        else
            give<double>(at, s.bundle, s.columns);
    }
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

void Apart::help() {
    const Region waits("no columns yet", "physics"), talks("columns and fluxes", "physics"),
        computes(process.name, "physics", "process");
    for (;;) {
        MPI_Status status;
        std::optional<Within> within(std::in_place, waits);
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, helpers.world, &status);
        const int from = status.MPI_SOURCE;
        if (status.MPI_TAG == of_end) {
            MPI_Recv(nullptr, 0, MPI_BYTE, from, of_end, helpers.world, MPI_STATUS_IGNORE);
            return;
        }
        within.emplace(talks);
        Call call;
        MPI_Recv(&call, sizeof call, MPI_BYTE, from, of_call, helpers.world, MPI_STATUS_IGNORE);
        Bundle b = bundle(std::size_t(call.count), call.levels);
        b.bytes = call.bytes;
        b.memory.resize(b.size * std::size_t(b.bytes));
        MPI_Recv(b.memory.data(), int(b.memory.size()), MPI_BYTE, from, of_columns, helpers.world,
                 MPI_STATUS_IGNORE);
        float small[numbers_of_profile];
        std::copy_n(call.profiles, numbers_of_profile, small);
        void* const profile = call.bytes == 4 ? (void*)small : (void*)call.profiles;
        within.emplace(computes);
        const double began = MPI_Wtime();
        run(Where{call.cell, call.levels, std::vector<void*>(items.size(), profile)}, b);
        busy += MPI_Wtime() - began;
        within.emplace(talks);
        MPI_Send(b.memory.data(), int(b.memory.size()), MPI_BYTE, from, of_results, helpers.world);
    }
}

}  // namespace fathom
