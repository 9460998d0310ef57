/// FieldSet: named fields on the blocks of this rank, with their memory. A state, an
/// increment, a member of an ensemble and a trajectory are field sets; a field set is a vector
/// (copy, axpy, scale, dot): one code for vectors serves all of them.
///
/// A set may live on a device: its fields have memory here and there, and each knows where its
/// newest values are. Steps run there; values requested here are copied at that moment.
///
/// The Layout says which fields there are and where each lies. A sequence makes one from the
/// declarations of its processes (sequence/step_program.hpp); all its field sets share it.
#pragma once
#include <map>
#include <memory>
#include <span>
#include "field/process.hpp"
#include "machine/device.hpp"
#include "machine/memory.hpp"
#include "parallel/halo/packing.hpp"
#include "parallel/ownership/domain.hpp"

namespace fathom {

class Watch;  // watch.hpp
class Mover;  // parallel/halo/mover.hpp

/// A named array at a place of the grid: the beginning of each block, and its strides.
struct Field : FieldSlab {
    std::string name, units;
    Place place;
    bool streams = false;  ///< larger than the caches: written past them
    int own = 0;           ///< columns of memory for a kernel alone, for one cell at a time
    bool written = false, state = false,
         scratch = false;   ///< state: read before it is written. scratch: lives within a group
    int guest_of = -1;      ///< shares the memory of this field, which is not in use at that time
    bool borrowed = false;  ///< lies in the memory of another set
    bool stays() const {    ///< has its own memory
        return !scratch && guest_of < 0 && !borrowed;
    }
};

/// Columns of a row in memory.
int padded_columns(int columns, int cell);

struct Layout {
    std::shared_ptr<const Domain> domain;
    int bytes, cell;                          ///< of a number; columns of a cell
    std::vector<Field> fields;                ///< `at`: from the beginning of a set's memory
    std::vector<std::vector<int>> rotations;  ///< {before, now, after}: each gets the
                                              ///< memory of the next one after a step
    std::vector<std::vector<std::vector<Cell>>> cells;  ///< [block][row]: only those with water
    std::size_t memory = 0;                             ///< bytes of a set

    bool shares_memory(int field) const;
    void place();                            ///< where each field begins in the memory of a set
    int index(std::string_view name) const;  ///< throws Error: names that are near
    bool has(std::string_view name) const;
};

class FieldSet {
public:
    explicit FieldSet(std::shared_ptr<const Layout>);
    FieldSet(const FieldSet&);
    /// The same fields and values in another precision: for sums that need more digits.
    FieldSet(const FieldSet&, int bytes);

    const std::shared_ptr<const Layout> layout;
    long count = 0;  ///< steps taken since the start

    const Domain& domain() const { return *layout->domain; }
    int bytes() const { return layout->bytes; }
    bool has(std::string_view name) const { return layout->has(name); }
    /// Returns the field; copies it from the device if the host copy is stale.
    const Field& operator[](int n) const { return fetch(n), all[n]; }
    const Field& operator[](std::string_view name) const { return (*this)[layout->index(name)]; }
    std::span<const Field> fields() const { return all; }  ///< wherever the newest values are

    /// From now on steps are taken on this device.
    void live_on(std::shared_ptr<Device>);
    const std::shared_ptr<Device>& device() const { return there.device; }
    /// The same field on the device, with its newest values there.
    Field on_device(int n) const;
    /// Where it begins there: distinguishes time levels and sets.
    std::size_t place_there(int n) const;
    /// Must be called after a field has been written here, on the device.
    void changed_here(int n);
    void changed_there(int n);
    /// For a place, on the device: made by diagnostics.cpp when first needed.
    std::shared_ptr<Watch>& watch(Place) const;
    /// For the first levels of fields on the device: made by slices.cpp when first needed.
    std::shared_ptr<Mover>& slices(int levels) const { return movers[levels]; }
    bool only_there(int n) const;  ///< the newest values are on the device alone
    void fetch(int n) const;       ///< the newest values of a field are here, too
    void send(int n) const;        ///< they are on the device, too
    /// Names of the fields of the state, in the order of declaration: what a restart holds.
    std::vector<std::string> state() const;

    /// Sets a value of the global grid at every point of the rank that shows it: own points, halo,
    /// folded halo. Outside the grid: the nearest value (metrics), or 0.
    void set(std::string_view name, const double* values, int first_level, int levels,
             bool nearest_outside);
    void set_profile(std::string_view name, std::span<const double> values);
    void fill(std::string_view name, double value);  ///< everywhere, halos too
    /// From another field of this set at the same place, halos too.
    void copy(std::string_view from, std::string_view to);

    using Names = std::vector<std::string>;  ///< of fields; empty: the state
    /// this = x, of all that both sets hold: fields, profiles and the number of steps.
    void copy(const FieldSet& x);
    /// this = x, of these fields alone.
    void copy(const FieldSet& x, const Names&);
    /// this = this + a x.
    void axpy(double a, const FieldSet& x, const Names& = {});
    /// this = a this.
    void scale(double a, const Names& = {});
    /// Of the values of both at all wet points of all ranks: an exact sum, the same on any ranks.
    double dot(const FieldSet& x, const Names& = {}) const;

    void rotate();  ///< the end of a step: time levels change places
    /// A borrowed field lies where that of another set lies now.
    void borrow(int n, const Field& of);

private:
    Pages memory;
    DeviceMemory there;
    std::vector<Field> all;
    enum class Newest { both, here, there };
    /// Memory of a field, from the beginning of the set's: a rotation gives it to another field.
    struct Home {
        std::size_t begin, bytes;
        mutable Newest newest;
    };
    std::vector<Home> places;   // of the layout's fields; empty without a device
    std::vector<int> place_of;  // of each field
    mutable std::map<std::pair<Horizontal, bool>, std::shared_ptr<Watch>> watches;
    mutable std::map<int, std::shared_ptr<Mover>> movers;
    void choose_pages();
    void settle_guests();
    Field& to_write(std::string_view name) {
        const int n = layout->index(name);
        return fetch(n), changed_here(n), all[n];
    }
    /// body(own field, that of x) for each name.
    template <class Body> void with(const FieldSet& x, const Names&, Body body);
};

}  // namespace fathom
