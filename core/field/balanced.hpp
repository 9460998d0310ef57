/// Balanced: a process of columns whose work is not the same in all of them – sunlight, convection,
/// clouds – shared among ranks. What a column costs is learned from the last time. Each rank says
/// the sum of its own, all find the same transfers, and dear columns travel to ranks that have less
/// to do; what they give travels back. A column knows nothing of where it is computed: the same
/// bits as without.
///
///   transfers: loads above mean (1 + threshold) give what they have above the mean to those below
///   it, both in the order of ranks
///
/// Columns that cost alike lie beside each other in a pack, which ends early where none of them has
/// work.
#pragma once
#include "field/bundled.hpp"
#include "field/carrier.hpp"

namespace fathom {

/// What one rank gives to another, in the unit of the loads.
struct Transfer {
    int from, to;
    double amount;
};
std::vector<Transfer> transfers(std::span<const double> loads, double threshold);

class Balanced final : public Bundled {
public:
    /// active: a field of columns; where it is above 0 there is work (daylight). Empty: columns are
    /// as dear as they were the last time. share: whether columns travel at all.
    /// way: how they travel (carrier.hpp).
    Balanced(Process columns, std::string active, double threshold, bool share,
             const std::string& way = "messages");
    /// These columns of the rank alone; before `prepare`.
    void among(std::vector<Column> some) { chosen = std::move(some), all = false; }
    void prepare(Given) override;
    void apply(Given) override;

    /// Processor time of this rank in the last call [s]: what its own columns took wherever they
    /// were computed, and what it has computed.
    double own_seconds() const { return own; }
    double seconds() const { return done; }
    /// Columns of this rank that other ranks computed, in all calls.
    long travelled() const { return away; }
    /// Of the columns of this rank, in rows of (global i, global j, seconds).
    std::vector<double> costs(const FieldSet&) const;

private:
    template <class T> struct Turn;  ///< one call, of fields of these numbers
    std::string active;
    double threshold;
    bool share;
    std::vector<Item> active_item;  ///< one, where there is such a field
    std::vector<Column> columns, chosen;
    bool all = true;
    std::vector<double> loads;  ///< of all ranks, expected
    double own = 0, done = 0;
    double cost_of[2] = {1, 2};  ///< of an idle and of an active column; a guess at first
    long away = 0;
    const CarrierKind& way;
    std::shared_ptr<MPI_Comm> comm;
    std::shared_ptr<Carrier> carrier;

    void expect(Given);
};

}  // namespace fathom
