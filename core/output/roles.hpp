/// Roles: which ranks compute, and which serve output. Servers come in sets; one set writes an
/// event of output, whose rectangles are distributed among the servers of the set.
#pragma once
#include <vector>
#include "parallel/mpi.hpp"

namespace fathom {

struct Roles {
    MPI_Comm world = MPI_COMM_NULL;  ///< all ranks
    MPI_Comm own = MPI_COMM_NULL;    ///< of the ranks that compute; of the servers
    int per_set = 1;                 ///< servers of a set
    int computing = 0;         ///< ranks that compute, numbered as in world without the servers
    std::vector<int> servers;  ///< ranks in world; set s: servers s per_set to (s + 1) per_set - 1
    int server = -1;           ///< this rank's position among the servers; -1: it computes

    int sets() const { return int(servers.size()) / per_set; }
    int first_server(int set) const { return set * per_set; }
    int compute(int n) const;    ///< rank in world of a computing rank
    int number(int rank) const;  ///< of a computing rank, from that in world
};

/// Servers are taken from the end of the nodes one by one, so that the first nodes get one each
/// before any gets a second: encoding and writing then use the disks and networks of all nodes (El
/// Khatib 2009). Collective over world; at least one rank is left to compute.
Roles roles(MPI_Comm world, int servers, int per_set);

}  // namespace fathom
