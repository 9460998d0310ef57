#include "parallel/meeting.hpp"
#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace fathom {

Meetings meetings;
constexpr std::size_t most = 1 << 16;  // records between two calls of `settle`

double clock_offset(MPI_Comm comm, bool apart, double ahead) {
    MPI_Comm node;
    int rank, ranks, local;
    MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
    if (apart)
        MPI_Comm_split(comm, rank, 0, &node);
    else
        MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    std::vector<int> first(ranks);  // first rank of each node
    const int leads = !local;
    MPI_Gather(&leads, 1, MPI_INT, first.data(), 1, MPI_INT, 0, comm);
    constexpr int rounds = 16, tag = 7;
    auto now = [&] { return seconds_now() + ahead; };
    double offset = 0, shortest = std::numeric_limits<double>::infinity();
    if (rank == 0)
        for (int r = 1; r < ranks; ++r)
            if (first[r])
                for (int n = 0; n < rounds; ++n) {
                    double t;
                    MPI_Recv(&t, 1, MPI_DOUBLE, r, tag, comm, MPI_STATUS_IGNORE);
                    t = now();
                    MPI_Send(&t, 1, MPI_DOUBLE, r, tag, comm);
                }
    if (rank && leads)
        for (int n = 0; n < rounds; ++n) {  // the shortest round trip is the most accurate
            double there;
            const double began = now();
            MPI_Sendrecv(&began, 1, MPI_DOUBLE, 0, tag, &there, 1, MPI_DOUBLE, 0, tag, comm,
                         MPI_STATUS_IGNORE);
            const double ended = now();
            if (ended - began < shortest)
                shortest = ended - began, offset = there - (began + ended) / 2;
        }
    MPI_Bcast(&offset, 1, MPI_DOUBLE, 0, node);
    MPI_Comm_free(&node);
    return offset;
}

void Meetings::reset(MPI_Comm comm) {
    mpi = comm;
    list.clear(), list.reserve(most), settled.clear(), lost = 0;
    MPI_Comm node;
    int ranks, here;
    MPI_Comm_size(comm, &ranks);
    alone = ranks == 1;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, comm);
    several = here < ranks;
    first_offset = last_offset = several ? clock_offset(comm) : 0;
    first = last = seconds_now();
}

int Meetings::partners(Partners p) {
    const auto at = std::ranges::find(known, p);
    if (at != known.end()) return int(at - known.begin());
    known.push_back(std::move(p));
    return int(known.size()) - 1;
}

double Meetings::offset(double t) const {
    return last > first ? first_offset + (last_offset - first_offset) * (t - first) / (last - first)
                        : first_offset;
}

/// Whether all ranks have recorded the same number of sums and exchanges, in the same order.
bool Meetings::alike() const {
    long mine[2] = {long(list.size()), 0}, extremes[4];
    for (auto& m : list) mine[1] = (mine[1] * 31 + 1 + (m.partners == everybody)) % 1000000007;
    for (int n = 0; n < 2; ++n) extremes[n] = mine[n], extremes[2 + n] = -mine[n];
    MPI_Allreduce(MPI_IN_PLACE, extremes, 4, MPI_LONG, MPI_MAX, mpi);
    return extremes[0] == -extremes[2] && extremes[1] == -extremes[3];
}

/// For each meeting the arrival of the last rank that was needed, by the clock of rank 0.
std::vector<double> Meetings::latest() const {
    std::vector<double> sums, exchanges, result;
    for (auto& m : list)
        (m.partners == everybody ? sums : exchanges).push_back(m.there + offset(m.there));
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), int(sums.size()), MPI_DOUBLE, MPI_MAX, mpi);
    std::set<int> to, from;
    for (auto& m : list)
        if (m.partners >= 0)
            to.insert(known[m.partners].to.begin(), known[m.partners].to.end()),
                from.insert(known[m.partners].from.begin(), known[m.partners].from.end());
    std::map<int, std::vector<double>> there;
    std::vector<MPI_Request> requests;
    const int count = int(exchanges.size());
    for (int r : from)
        MPI_Irecv((there[r] = std::vector<double>(count)).data(), count, MPI_DOUBLE, r, 3, mpi,
                  &requests.emplace_back());
    for (int r : to)
        MPI_Isend(exchanges.data(), count, MPI_DOUBLE, r, 3, mpi, &requests.emplace_back());
    MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    std::size_t sum = 0, exchange = 0;
    for (auto& m : list) {
        if (m.partners == everybody) {
            result.push_back(sums[sum++]);
            continue;
        }
        double last_one = -std::numeric_limits<double>::infinity();
        for (int r : known[m.partners].from) last_one = std::max(last_one, there.at(r)[exchange]);
        result.push_back(last_one), ++exchange;
    }
    return result;
}

void Meetings::settle() {
    if (mpi == MPI_COMM_NULL) return;
    if (!alike())
        lost += long(list.size());
    else {
        if (several && !list.empty()) last_offset = clock_offset(mpi), last = seconds_now();
        const auto latest_there = latest();
        for (std::size_t n = 0; n < list.size(); ++n) {
            auto& m = list[n];
            m.waiting =
                std::clamp(latest_there[n] - (m.began + offset(m.began)), 0., m.ended - m.began);
            if (m.node < int(regions.nodes.size())) regions.nodes[m.node].waiting += m.waiting;
        }
        if (regions.tracing) settled.insert(settled.end(), list.begin(), list.end());
    }
    list.clear();
}

}  // namespace fathom
