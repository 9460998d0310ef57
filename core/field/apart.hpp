/// Apart: a process of columns that separate ranks, the helpers, compute while the other ranks
/// take steps. Its output belongs to the state that it was given in the call before:
///
///   call n    writes  x_n = f(y_n-1),   then sends y_n;   x_0 = f(y_0)
///
/// so hourly radiation acts one hour after the state of the air that it was computed from. y is
/// kept in fields "<name> for <process>", so it is in restarts, from which f(y_n-1) is computed
/// again: a restart changes nothing. Cells of columns are distributed among the helpers one by one,
/// so that each gets day and night. A column is computed the same way everywhere: the same bits on
/// any number of helpers, and of stepping ranks. Both may have devices: inputs are packed on those
/// of stepping ranks, and helpers compute on theirs.
#pragma once
#include "field/bundled.hpp"

namespace fathom {

/// The ranks that help, by their rank in `world`; the others step.
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
    /// Called on one of the stepping ranks when all have ended: helpers return from `help`.
    void dismiss();
    /// All results of helpers have arrived.
    void rest() { wait(); }
    /// On a helper: computes until it is told to stop. device: null if it has none.
    void help(const std::shared_ptr<Device>& device);

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
        Call call;
    };
    Helpers helpers;
    std::vector<Item> kept;      ///< of each field that is read; of others not used
    std::vector<Copied> copied;  ///< to the fields that keep values
    std::vector<Item> kept_profile;
    std::vector<Share> shares;
    std::vector<MPI_Request> under_way;
    DeviceMemory profile_there;  ///< of a helper
    double waiting = 0, busy = 0;
    bool pending = false;

    bool nothing_kept(Given) const;
    void keep(Given);
    void request(Given);
    void receive(Given);
    void wait();
    void answer(int rank, const std::shared_ptr<Device>&);
};

}  // namespace fathom
