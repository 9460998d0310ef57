/// Bundled: a global process that computes a process of columns on selected columns, copied next to
/// each other in separate memory. The derived class selects the columns and where results go. The
/// result of a column does not depend on where it is computed: the bits are the same.
#pragma once
#include "field/global_process.hpp"

namespace fathom {

class Bundled : public GlobalProcess {
public:
    explicit Bundled(Process columns);

protected:
    /// Rows and columns count from the corner of the stored block, halo included.
    struct Column {
        int block, row, column, levels;
        double cost = 1;  ///< of the last time [s]
        bool active = true;
    };
    /// Numbers of 4 or 8 bytes: [levels of columns][cost], then each field, level after level of
    /// `count` columns, whole cells.
    struct Bundle {
        std::size_t count, size;
        int bytes;
        std::vector<std::size_t> begins;  ///< of each field; none of own memory and profiles
        std::vector<std::byte> memory;
        std::byte* at(std::size_t number) { return memory.data() + number * bytes; }
        const std::byte* at(std::size_t number) const { return memory.data() + number * bytes; }
    };
    Process process;
    std::vector<Item> items;  ///< of the fields of the process; private memory has none

    Bundle bundle(std::size_t count, int levels) const;
    /// Packs columns with all fields that the process reads.
    /// from: the same fields elsewhere, number by number.
    template <class T>
    Bundle filled(Given, std::span<const Column>, std::span<const Item> from = {}) const;
    /// Copies the outputs of the process, and its costs, back to the columns.
    template <class T> void give(Given, const Bundle&, std::span<Column>) const;
    /// Computes all cells of a bundle and measures the processor time of each.
    void run(Given, Bundle&) const;
    /// Describes the memory of a bundle as a field set would.
    struct Where {
        int cell, levels;
        std::vector<void*> profiles;  ///< by field; unused for others
    };
    void run(const Where&, Bundle&) const;

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
    template <class T>
    void take(Given, Bundle&, std::span<const Column>, std::span<const Item>) const;
};

}  // namespace fathom
