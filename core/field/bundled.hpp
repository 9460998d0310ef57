/// Bundled: a global process that computes a process of columns on selected columns, copied next to
/// each other in separate memory, the bundle. The derived class selects the columns and where
/// results go. The result of a column does not depend on where it is computed: the bits are the
/// same.
///
/// Where fields live on a device, columns are copied and computed there. A bundle that travels is
/// in memory of the processor: its inputs alone are copied from the device, its results alone to
/// it.
#pragma once
#include "field/global_process.hpp"

namespace fathom {

class Bundled : public GlobalProcess {
public:
    explicit Bundled(Process columns);
    bool apply_on(Device&, Given) override;
    bool lives_on(Device&) override;

protected:
    /// Rows and columns count from the corner of the stored block, halo included.
    struct Column {
        int block, row, column, levels;
        double cost = 1;  ///< of the last time [s]
        bool active = true;
    };
    /// Numbers of 4 or 8 bytes, rows of `count` columns, whole cells: levels of columns; the cost
    /// that is expected of them; level after level of the fields that the process reads, that it
    /// updates, that it writes; the cost.
    struct Bundle {
        std::size_t count;
        int levels, bytes;
        std::vector<std::size_t> begins;       ///< of each field; none of own memory and profiles
        std::size_t first_result, last_input;  ///< of updated fields: begin and end
        std::size_t cost, size;
        std::vector<std::byte> memory;
        static constexpr int header = 2;  ///< rows before those of fields
        std::byte* at(std::size_t number) { return memory.data() + number * bytes; }
        const std::byte* at(std::size_t number) const { return memory.data() + number * bytes; }
        double number(std::size_t n) const {
            return bytes == 4 ? double(*(const float*)at(n)) : *(const double*)at(n);
        }
        void set(std::size_t n, double x) {
            bytes == 4 ? void(*(float*)at(n) = float(x)) : void(*(double*)at(n) = x);
        }
        std::ptrdiff_t between_levels(const Process::Field& f) const {
            return f.place.vertical == Vertical::column ? 0 : std::ptrdiff_t(count);
        }
        std::span<std::byte> inputs() { return {at(0), last_input * bytes}; }
        std::span<std::byte> results() { return {at(first_result), (size - first_result) * bytes}; }
    };
    Process process;
    std::vector<Item> items;  ///< of the fields of the process; private memory has none

    /// Without memory.
    Bundle bundle(std::size_t columns, const FieldSet&) const;
    Bundle bundle(std::size_t columns, int levels, int bytes, int cell) const;
    /// Columns with all fields that the process reads.
    /// from: the same fields elsewhere, number by number.
    Bundle filled(Given, std::span<const Column>, std::span<const Item> from = {}) const;
    /// Copies the outputs of the process, and its costs, back to the columns.
    void give(Given, const Bundle&, std::span<Column>) const;
    /// Computes all cells of a bundle and measures the processor time of each, or the time of the
    /// device, which columns share as was expected of them; returns the sum [s].
    double run(Given, Bundle&) const;
    /// What a process needs besides a bundle.
    struct Where {
        int cell;
        std::vector<void*> profiles;     ///< by field, where it runs; unused for others
        std::shared_ptr<Device> device;  ///< null: the processor
    };
    double run(const Where&, Bundle&) const;
    /// filled, run, and give: of columns that do not travel.
    double compute(Given, std::span<Column>) const;
    /// All levels of a field, or a number of a profile if it has so many, to another field.
    struct Copied {
        Item from, to;
        int number = -1;
    };
    void copy(Given, std::span<const Column>, std::span<const Copied>) const;
    /// The first level of a field.
    std::vector<double> values(Given, Item, std::span<const Column>) const;

    /// Whether a bundle holds columns of the field.
    static bool travels(const Process::Field& f) { return f.place != place::profile && !f.own; }
    static int numbers(Place place, int levels) {
        return place.vertical == Vertical::column
                   ? 1
                   : levels + (place.vertical == Vertical::interface);
    }
    static int numbers(const Field& f) {
        return f.place.vertical == Vertical::column ? 1 : f.levels;
    }
    template <class T> static T* row_of(const Field& f, int block, int row, int level) {
        const auto k = f.place.vertical == Vertical::column ? 0 : level * f.level[block];
        return (T*)f.at[block] + row * f.row[block] + k;
    }
    static std::shared_ptr<MPI_Comm> communicator(const Domain&);

private:
    class There;  ///< on a device
    mutable std::shared_ptr<There> there;
    There& on(const std::shared_ptr<Device>&, int bytes) const;
    /// Where fields live on a device that has the process; else null.
    There* on_device(Given) const;
    /// body(field, its begin in the bundle, levels) for those that travel, without one kind.
    template <class Body> void each_but(Access kind, const Bundle& b, Body body) const {
        for (std::size_t p = 0; p < items.size(); ++p)
            if (const auto& f = process.fields[p]; travels(f) && f.access != kind)
                body(p, b.begins[p], numbers(f.place, b.levels));
    }
    Where where(Given) const;
    template <class T>
    void take(Given, Bundle&, std::span<const Column>, std::span<const Item>) const;
    template <class T> void put(Given, const Bundle&, std::span<const Column>) const;
    template <class T> void copy_here(Given, std::span<const Column>, const Copied&) const;
};

}  // namespace fathom
