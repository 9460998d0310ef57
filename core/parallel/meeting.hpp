/// Meetings of ranks: how long a rank was in the message library, and how much of that it waited
/// for others.
///
/// For each sum and each exchange, a rank records when its data were ready for others (there),
/// when it began to wait, and when it continued. This needs no message. At intervals (`settle`)
/// ranks tell each other their `there`s by synchronised clocks,
///   waiting = the latest `there` of the ranks it needed - when it began to wait,
///             between 0 and the time it was blocked;
///   travel  = blocked - waiting.
/// A rank needs all others in a sum, and the senders in an exchange. The ranks of a node
/// share a clock; others are compared with that of rank 0 by messages there and back (Cristian
/// 1989), before and after, and are assumed linear in between.
#pragma once
#include <span>
#include <vector>
#include "machine/region.hpp"
#include "parallel/mpi.hpp"

namespace fathom {

/// Seconds to add to this rank's clock to get that of rank 0. apart, ahead: for tests, as if each
/// rank were a node with a clock that is so far ahead.
double clock_offset(MPI_Comm, bool apart = false, double ahead = 0);

class Meetings {
public:
    struct Partners {
        std::vector<int> to, from;
        bool operator==(const Partners&) const = default;
    };
    struct Meeting {
        int node, partners;
        double there, began, ended, waiting;
    };
    static constexpr int everybody = -1;

    /// From now on, of this communicator; collective.
    void reset(MPI_Comm);
    int partners(Partners);  ///< its number; made once
    /// In the open region. before: seconds in the library before it began to wait.
    void note(MPI_Comm comm, int partners, double there, double began, double ended, double before,
              long messages, double bytes) {
        if (alone || !regions.mine()) return;
        auto& here = regions.here();
        here.blocked += before + ended - began, here.messages += messages, here.bytes += bytes;
        if (comm != mpi) return;
        if (list.size() < list.capacity())
            list.push_back({regions.place(), partners, there, began, ended, 0});
        else
            ++lost;
    }
    /// Adds the waiting of all recorded meetings to their regions; collective. Nothing where ranks
    /// did not do the same.
    void settle();
    bool full() const { return 2 * list.size() > list.capacity(); }
    double offset(double t) const;  ///< to add to a time of this rank

    std::vector<Meeting> settled;  ///< while a trace is kept
    long lost = 0;                 ///< meetings whose waiting is not known

private:
    MPI_Comm mpi = MPI_COMM_NULL;
    std::vector<Partners> known;
    std::vector<Meeting> list;
    bool several = false, alone = false;  ///< nodes; rank
    double first = 0, last = 0, first_offset = 0, last_offset = 0;
    bool alike() const;
    std::vector<double> latest() const;
};
extern Meetings meetings;  // of this process

/// All ranks of a communicator meet during the life of this object; bytes: those that each gives.
class Meet {
public:
    Meet(MPI_Comm c, double bytes) : comm(c), bytes(bytes), began(seconds_now()) {}
    ~Meet() { meetings.note(comm, Meetings::everybody, began, began, seconds_now(), 0, 1, bytes); }
    Meet(const Meet&) = delete;

private:
    MPI_Comm comm;
    double bytes, began;
};

}  // namespace fathom
