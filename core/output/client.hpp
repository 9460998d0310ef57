/// The computing side of output: an event costs a model one copy into memory, which servers read
/// while the model continues.
///
///     first rank that computes     every rank that computes      servers of a set
///         first server
///     grant: a free slot, a set
///                                  slot <- slices of fields
///                                  ready ------------------->    rectangles <- slots
///                                                                encode, write
///     the slot is free         <---------------- written ------------------------------>
///         the time becomes visible, in order
///
/// A slot keeps its content until all of it has been written, so that a lost server loses no data;
/// there is one slot more than sets, at least two. While none is free the caller waits, or writes
/// by itself. Slots lie in a window of passive one-sided memory (MPI-3); within a node servers read
/// them in place.
#pragma once
#include <memory>
#include "machine/device.hpp"
#include "output/event.hpp"
#include "output/quantities.hpp"
#include "parallel/halo/mover.hpp"
#include "parallel/window.hpp"

namespace fathom {

class OutputClient {
public:
    /// Collective over all ranks of roles.world; servers make an OutputServer. halo: of the slabs
    /// that are given to `post`.
    OutputClient(const Roles&, const Decomposition&, int halo, std::vector<OutputStream>,
                 int slots);
    OutputClient(const OutputClient&) = delete;

    /// Who writes the event: sets number, slot and set. Slot -1: all were busy for longer than
    /// patience [s]; set -1: no server will, because the sets that may write it were given up.
    /// Collective over the computing ranks; all get the same.
    void grant(OutputEvent&, double patience);
    /// Copies, notifies the servers, and returns. device: where the fields are; null: here.
    void post(const OutputEvent&, std::span<const FieldSlab>, Device* device = nullptr);
    /// Copies a posted event back into fields.
    void restore(const OutputEvent&, std::span<const FieldSlab>) const;
    void wrote(const OutputEvent&);  ///< by the computing ranks themselves; on the first one
    void progress();                 ///< checks which servers have written; on the first one
    /// Server sets with unfinished events and no message for `seconds`; on the first rank.
    std::vector<int> silent(double seconds);
    /// Gives up a set: it gets no more events; returns those that it has not written, still in
    /// their slots, or with slot -1 only on its disk. Collective over the computing ranks.
    std::vector<OutputEvent> give_up(int set);
    /// From now on the first computing rank makes times visible, instead of the first server;
    /// times: number that each store holds.
    void keep_ledger(std::span<const std::int64_t> times);
    std::optional<OutputEvent> due() const { return ledger ? ledger->due() : std::nullopt; }
    void visible(const OutputEvent& e) { ledger->visible(e); }
    bool idle();  ///< everything is written and visible; on the first rank
    /// Returns when everything is written and visible; collective.
    void finish(bool failed = false);

    std::size_t slot_bytes() const { return 8 * slot_words; }
    std::size_t bytes(int stream) const { return packings[stream].sent_bytes; }
    int slots, sets;
    std::size_t plan_bytes() const;  ///< memory of all tables of positions
    ClientQuantities quantities;

private:
    Roles roles;
    std::vector<OutputStream> streams;
    std::vector<Packing> packings;
    std::vector<std::unique_ptr<Mover>> there;  ///< of each stream, for fields on a device
    std::size_t slot_words = 0;
    std::unique_ptr<Window> window;
    /// Words of the last event in each slot, and their messages.
    std::vector<std::vector<Ready>> posted;
    std::vector<std::vector<MPI_Request>> told;
    struct Granted {
        OutputEvent event;
        int stagers, writers;
        double since;
    };
    std::vector<Granted> under_way;  ///< on the first rank
    struct Beat {
        std::uint64_t count;
        double at;
    };
    std::vector<Beat> beats;       ///< of each server
    std::vector<bool> lost;        ///< sets that were given up
    std::optional<Ledger> ledger;  ///< true once the first server is lost
    Outbox outbox;
    std::vector<OutputEvent> seen;        ///< written events, as reported by servers
    std::int64_t number = 0, handed = 0;  ///< events; those that a server or rank is writing
    double asked = 0;                     ///< how long the last event waited for a slot
    int rank;
    int free_slot() const;
    int idle_set(int only) const;
    bool all_visible();
};

}  // namespace fathom
