/// Apart: a process of columns that separate ranks compute, the helpers, while the ranks that
/// step go on. What it writes belongs to the state that it was given the last time:
///
///   call n    writes  x_n = f(y_n-1),   then sends y_n;   x_0 = f(y_0)
///
/// so that radiation every hour acts one hour after the air that it has seen. y is kept in fields
/// "<name> for <process>" and with it in restarts, from which f(y_n-1) is computed again: a restart
/// changes nothing. Whole cells of columns are distributed among the helpers in turn, which spreads
/// day and night; a column knows nothing of where it is computed: the same bits on any number of
/// helpers, and of ranks that step.
#pragma once
#include "field/bundled.hpp"

namespace fathom {

/// The ranks that help, by their place in `world`, whose others step.
struct Helpers {
    MPI_Comm world;
    std::vector<int> ranks;
};

class Apart final : public Bundled {
public:
    Apart(Process columns, Helpers helpers);
    ~Apart() override;
    void prepare(Given) override;
    void apply(Given) override;
    /// On one of the ranks that step, when all have ended: helpers leave `help`.
    void dismiss();
    /// All that helpers owe has arrived.
    void rest() { wait(); }
    /// On a helper: computes until it is dismissed.
    void help();

    double waited() const { return waiting; }  ///< for helpers, in all calls [s]
    double helped() const { return busy; }     ///< of this helper, processor time of all calls [s]

private:
    static constexpr int numbers_of_profile = 8, of_call = 41, of_columns = 42, of_results = 43,
                         of_end = 44;
    struct Call {
        int count, levels, bytes, cell;
        double profiles[numbers_of_profile];
    };
    struct Share {  ///< of one helper
        int rank;
        std::vector<Column> columns;
        Bundle bundle;
        std::vector<std::byte> results;
        Call call;
    };
    Helpers helpers;
    std::vector<Item> kept;  ///< of each field that is read; of others not
    std::vector<Item> kept_profile;
    std::vector<Share> shares;
    std::vector<MPI_Request> under_way;
    double waiting = 0, busy = 0;
    bool pending = false;

    template <class Body> void each_read(Given, Body) const;
    bool nothing_kept(Given) const;
    void keep(Given);
    void request(Given);
    void receive(Given);
    void wait();
};

}  // namespace fathom
