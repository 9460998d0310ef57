/// Balanced: a process of columns with unequal work – sunlight, convection, clouds – shared among
/// ranks. The cost of a column is known from the last call. Each rank sends the sum of its costs,
/// all ranks compute the same transfers, and expensive columns are sent to ranks with less work;
/// their results are sent back. The result of a column does not depend on its rank: the bits are
/// the same as without.
///
///   transfers: loads above mean (1 + threshold) give the part above the mean to loads below
///   it, both in the order of ranks
///
/// Columns of equal cost are next to each other in a pack, which ends early where none of them has
/// work. A device has one time for all columns of a launch; they share it in proportion to the cost
/// that was expected (bundled.hpp).
#pragma once
#include "field/bundled.hpp"
#include "field/carrier.hpp"
#include "field/work_list.hpp"

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
    /// as expensive as they were the last time. share: whether columns travel at all.
    /// way: how they travel (carrier.hpp).
    Balanced(Process columns, std::string active, double threshold, bool share,
             const std::string& way = "messages");
    /// These columns of the rank alone; before `prepare`.
    void among(std::vector<Column> some) { chosen = std::move(some), all = false; }
    void prepare(Given) override;
    void apply(Given) override;

    /// Processor time of this rank in the last call, or time of its device [s]: `own_seconds` for
    /// its own columns, wherever they were computed; then for all that it computed.
    double own_seconds() const { return own; }
    double seconds() const { return done; }
    /// Expected of the columns of this rank in the last call, by the cost of such columns on all
    /// ranks [s]; and of those that it sent to each rank.
    double expected() const { return load; }
    const std::vector<double>& sent() const { return given; }
    /// Columns of this rank that other ranks computed, in all calls.
    long travelled() const { return away; }
    /// Of the columns of this rank, in rows of (global i, global j, seconds).
    std::vector<double> costs(const FieldSet&) const;

private:
    struct Turn;  ///< one call
    std::string active;
    double threshold;
    bool share;
    std::vector<Item> active_item;  ///< one, where there is such a field
    std::vector<Column> columns, chosen;
    bool all = true;
    std::vector<double> given;  ///< to each rank
    double own = 0, done = 0, load = 0;
    double cost_of[2] = {1, 2};  ///< of an idle and of an active column; a guess at first
    bool known = false;          ///< what columns have cost
    long away = 0;
    const CarrierKind& way;
    std::shared_ptr<MPI_Comm> comm;
    std::shared_ptr<Carrier> carrier;  ///< or a list of work
    std::shared_ptr<WorkList> list;

    std::vector<double> expect(Given);
};

}  // namespace fathom
