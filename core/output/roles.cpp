#include "output/roles.hpp"
#include <algorithm>
#include <map>
#include "base/error.hpp"

namespace fathom {

Roles roles(MPI_Comm world, int servers, int per_set) {
    int rank, size;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (servers < 1 || per_set < 1 || servers % per_set)
        throw Error("io_servers = ", servers, " in sets of ", per_set,
                    ": must be a positive multiple of the ranks of a set");
    if (servers >= size)
        throw Error("io_servers = ", servers, " of ", size,
                    " ranks leave none to compute; allowed: at most ", size - 1);
    MPI_Comm node;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int name = rank;  // a node is named by its first rank
    MPI_Bcast(&name, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    std::vector<int> names(size);
    MPI_Allgather(&name, 1, MPI_INT, names.data(), 1, MPI_INT, world);

    Roles r;
    r.world = world, r.per_set = per_set;
    std::map<int, std::vector<int>> nodes;
    for (int n = 0; n < size; ++n) nodes[names[n]].push_back(n);
    nodes.begin()->second.erase(nodes.begin()->second.begin());  // rank 0 never becomes a server
    while (int(r.servers.size()) < servers)
        for (auto& [first, members] : nodes)
            if (!members.empty() && int(r.servers.size()) < servers)
                r.servers.push_back(members.back()), members.pop_back();
    r.computing = size - servers;
    const auto mine = std::ranges::find(r.servers, rank);
    if (mine != r.servers.end()) r.server = int(mine - r.servers.begin());
    MPI_Comm_split(world, r.server >= 0, rank, &r.own);
    return r;
}

int Roles::compute(int n) const {
    int rank = n;
    for (int before = -1; before != rank;)
        before = rank,
        rank = n + int(std::ranges::count_if(servers, [&](int s) { return s <= before; }));
    return rank;
}
int Roles::number(int rank) const {
    return rank - int(std::ranges::count_if(servers, [&](int s) { return s < rank; }));
}

}  // namespace fathom
