/// The serving side of output (client.hpp): fetches what the computing ranks have posted, and hands
/// it over as whole rectangles. The caller encodes and writes them, possibly in other threads; all
/// functions here are called by one thread.
#pragma once
#include <map>
#include <memory>
#include "output/event.hpp"
#include "output/quantities.hpp"
#include "parallel/window.hpp"

namespace fathom {

class OutputServer {
public:
    OutputServer(const Roles&, const Decomposition&, int halo, std::vector<OutputStream>);
    OutputServer(const OutputServer&) = delete;

    struct Job {
        OutputEvent event;
        /// For each item: its rectangles on this server, one after another, f[row][level][point].
        std::vector<std::vector<std::byte>> memory;
        std::vector<FieldSlab> slabs;
        std::size_t expected, arrived = 0;  ///< ranks
        double first_seen, whole_at = 0, fetching = 0;
        std::size_t bytes = 0;  ///< fetched
    };
    bool poll();  ///< one round of messages; whether anything happened
    Job* next();  ///< an event with complete rectangles that was not handed over yet, or nullptr
    void written(Job*);  ///< its rectangles are in the store; the job is deleted
    /// They are on a disk of this node; the job is deleted, its slot is free, and the event must
    /// still be written.
    void staged(Job*);
    void written(const OutputEvent&);  ///< what was staged
    /// A time that may become visible.
    std::optional<OutputEvent> due() const { return keeps_ledger() ? ledger.due() : std::nullopt; }
    void visible(const OutputEvent&);  ///< it is visible now; tells the first computing rank
    bool done();                       ///< everything is written and visible, and no more comes

    const std::vector<Rectangle>& rectangles(int stream, int item) const {
        return mine[stream][item];
    }
    int bytes(int stream) const { return streams[stream].bytes; }
    /// Some servers were given up.
    bool abandoned() const { return alive < int(roles.servers.size()); }
    bool failed() const { return failure; }  ///< the computing ranks ended with an error
    bool keeps_ledger() const { return roles.server == 0; }
    std::size_t plan_bytes() const;  ///< memory of all tables of positions
    ServerQuantities quantities;

private:
    Roles roles;
    std::vector<OutputStream> streams;
    std::vector<Packing> packings;
    std::vector<std::vector<std::vector<Rectangle>>> mine;  ///< of each stream and item
    std::unique_ptr<Window> window;
    std::vector<std::uint64_t> staging;
    std::map<std::int64_t, std::unique_ptr<Job>> jobs;  ///< by number of event
    std::vector<std::unique_ptr<Job>> spare;
    std::vector<Job*> whole;
    Ledger ledger;
    Outbox outbox;
    std::uint64_t beat = 0;
    double last_beat = 0;
    bool ending = false, over = false, failure = false;
    int goodbyes = 0, alive = 0;  ///< servers that have said goodbye; that must still do so
    long on_disk = 0;             ///< events that are staged
    Job& job(const OutputEvent&);
    OutputEvent release(Job*);
    void tell(const OutputEvent&);
    void fetch(Job&, int from, const Ready&);
    bool idle() const;
    bool ledger_closed() const;
    void say_goodbye();
};

}  // namespace fathom
