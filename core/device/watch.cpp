/// Numbers that describe fields, computed on a device: one thread per column.
#include "field/watch.hpp"
#include <cmath>
#include <limits>
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "machine/largest.hpp"

namespace fathom {

namespace {

using Word = std::int64_t;
using Column = WetColumns::Column;
constexpr Word none = std::numeric_limits<Word>::min();

/// Whole numbers with the same order as the numbers that they represent.
constexpr Word ordered(double x) {
    const Word bits = std::bit_cast<Word>(x);
    return bits >= 0 ? bits : bits ^ std::numeric_limits<Word>::max();
}
constexpr double value_of(Word key) {
    return std::bit_cast<double>(key >= 0 ? key : key ^ std::numeric_limits<Word>::max());
}
/// NaN is larger than all numbers.
constexpr Word magnitude(double x) {
    return std::bit_cast<Word>(x) & std::numeric_limits<Word>::max();
}
constexpr double size(double x) { return x < 0 ? -x : x; }
constexpr bool finite(double x) { return size(x) < std::numeric_limits<double>::infinity(); }
constexpr void raise(Word& word, Word to) {
    if (to > word) word = to;
}

/// Columns and their layers.
struct Sea {
    const Column* columns;
    const double* layers;
    int levels, nx, ny;  // levels: those with weights; 0: none
    constexpr double layer(int k) const {
        return levels == 0 ? 1 : layers[k < levels ? k : levels - 1];
    }
    constexpr Word place(const Column& c, int k) const { return (Word(k) * ny + c.j) * nx + c.i; }
};

/// A value of a field of either precision, or the value that replaces it.
template <class Number> struct Of {
    FieldAt<const Number> field;
    constexpr explicit operator bool() const { return field.first != nullptr; }
    constexpr double operator()(const Column& c, int k) const {
        return double(field(c.block, c.row, c.column, k));
    }
};

struct Clear {
    Word* words;
    constexpr void operator()(std::size_t n) const { words[n] = none; }
};

/// The terms of the means of a column.
struct ColumnTerms {
    double *values, *weights;
    constexpr void put(std::size_t n, double area, double value, double weight,
                       Word* largest) const {
        values[n] = area * value, weights[n] = area * weight;
        raise(largest[0], magnitude(values[n])), raise(largest[1], magnitude(weights[n]));
    }
};

/// mine: largest -value and value, minus the first place of a non-finite value, largest terms.
template <class Number> struct FindExtremes {
    Sea sea;
    Of<Number> field, cells;
    ColumnTerms terms;
    constexpr void operator()(std::size_t n, Word* mine) const {
        const Column c = sea.columns[n];
        double sum = 0, depth = 0;
        for (int k = 0; k < c.levels; ++k) {
            const double x = field(c, k), weight = cells ? cells(c, k) : sea.layer(k);
            sum += weight * x, depth += weight;
            if (finite(x))
                raise(mine[0], ordered(-x)), raise(mine[1], ordered(x));
            else
                raise(mine[2], -sea.place(c, k));
        }
        terms.put(n, c.area, sum, depth, mine + 3);
    }
};
/// mine: minus the first places.
template <class Number> struct PlaceExtremes {
    Sea sea;
    Of<Number> field;
    const Word* best;
    constexpr void operator()(std::size_t n, Word* mine) const {
        const Column c = sea.columns[n];
        const double low = -value_of(best[0]), high = value_of(best[1]);
        for (int k = 0; k < c.levels; ++k) {
            const double x = field(c, k);
            if (x == low) raise(mine[0], -sea.place(c, k));
            if (x == high) raise(mine[1], -sea.place(c, k));
        }
    }
};

template <class Number> struct Moving {
    Of<Number> u, v, dx, dy;
    double step;
    constexpr double square(const Column& c, int k) const {
        const double x = u(c, k), y = v(c, k);
        return x * x + y * y;
    }
    constexpr double courant(const Column& c, int k) const {
        if (!dx || !dy) return 0;
        return step * (size(u(c, k)) / dx(c, 0) + size(v(c, k)) / dy(c, 0));
    }
};
/// mine: largest square of the speed and Courant number, largest terms.
template <class Number> struct FindMotion {
    Sea sea;
    Moving<Number> moving;
    Of<Number> cells;
    ColumnTerms terms;
    constexpr void operator()(std::size_t n, Word* mine) const {
        const Column c = sea.columns[n];
        double sum = 0, depth = 0;
        for (int k = 0; k < c.levels; ++k) {
            const double square = moving.square(c, k), courant = moving.courant(c, k),
                         weight = cells ? cells(c, k) : sea.layer(k);
            sum += weight * square, depth += weight;
            if (square == square) raise(mine[0], ordered(square));
            if (courant == courant) raise(mine[1], ordered(courant));
        }
        terms.put(n, c.area, sum, depth, mine + 2);
    }
};
template <class Number> struct PlaceMotion {
    Sea sea;
    Moving<Number> moving;
    const Word* best;
    constexpr void operator()(std::size_t n, Word* mine) const {
        const Column c = sea.columns[n];
        const double fastest = value_of(best[0]), steepest = value_of(best[1]);
        for (int k = 0; k < c.levels; ++k) {
            if (moving.square(c, k) == fastest) raise(mine[0], -sea.place(c, k));
            if (moving.courant(c, k) == steepest) raise(mine[1], -sea.place(c, k));
        }
    }
};

/// Weights times values of the cells of a column.
template <class Number> struct Contents {
    Sea sea;
    Of<Number> field, cells, surface, depth, bottom;
    constexpr double thickness(const Column& c, int k) const {
        if (depth) {
            const double rest = c.levels == k + 1 ? bottom(c, 0) : sea.layer(k);
            return surface ? rest * (1 + surface(c, 0) / depth(c, 0)) : rest;
        }
        return (cells ? cells(c, k) : sea.layer(k)) + (surface && k == 0 ? surface(c, 0) : 0);
    }
    template <class Body> constexpr void each(std::size_t n, const Body& body) const {
        const Column c = sea.columns[n];
        for (int k = 0; k < c.levels; ++k) {
            const double weight = sea.levels == 0 ? c.area : c.area * thickness(c, k);
            body(field ? weight * field(c, k) : weight);
        }
    }
};
template <class Number> struct ColumnSums {
    Contents<Number> contents;
    double* sums;
    constexpr void operator()(std::size_t n) const {
        const Column c = contents.sea.columns[n];
        double sum = 0;
        for (int k = 0; k < c.levels; ++k) sum += contents.thickness(c, k) * contents.field(c, k);
        sums[n] = sum;
    }
};
/// Numbers in memory.
struct Given {
    const double* terms;
    template <class Body> constexpr void each(std::size_t n, const Body& body) const {
        body(terms[n]);
    }
};
template <class Some> struct Largest {
    Some some;
    constexpr void operator()(std::size_t n, Word* mine) const {
        some.each(n, [&](double x) { raise(mine[0], magnitude(x)); });
    }
};
template <class Some> struct AddLimbs {
    Some some;
    double coarse, fine;
    constexpr void operator()(std::size_t n, Word* mine) const {
        some.each(n, [&](double x) { Limbs::add(x, coarse, fine, mine); });
    }
};

template <class Number> struct Hash {
    Sea sea;
    Of<Number> field;
    std::uint64_t salt;
    constexpr void operator()(std::size_t n, Word* mine) const {
        const Column c = sea.columns[n];
        std::uint64_t sum = std::uint64_t(mine[0]);
        for (int k = 0; k < c.levels; ++k) sum += hashed(field(c, k), k, c.j, c.i, salt);
        mine[0] = Word(sum);
    }
};

template <class Number> class Watcher final : public Watch {
public:
    Watcher(std::shared_ptr<Device> given, const WetColumns& w)
        : device(std::move(given)),
          count(w.columns.size()),
          columns(on_device(device, w.columns.data(), count)),
          layers(on_device(device, w.layers.data(), w.layers.size())),
          terms(device, 2 * (count + 1) * sizeof(double)),
          words(device, most * sizeof(Word)),
          tables(device),
          sea{(const Column*)columns.at, (const double*)layers.at, int(w.layers.size()), w.nx,
              w.ny} {
        device->wait();
    }

    Extremes extremes(const FieldSlab& f, const FieldSlab* cells) override {
        auto* found = cleared();
        launch::largest<5>(count, FindExtremes<Number>{sea, of(&f), of(cells), both()}, found);
        launch::largest<2>(count, PlaceExtremes<Number>{sea, of(&f), found}, found + 5);
        const auto word = fetch<7>();
        last[0] = word[3], last[1] = word[4];
        return {peak(word[0], word[5]), peak(word[1], word[6]), word[2] == none ? -1 : -word[2]};
    }

    Motion motion(const FieldSlab& u, const FieldSlab& v, Spacing spacing, double step,
                  const FieldSlab* cells) override {
        auto* found = cleared();
        const Moving<Number> moving{of(&u), of(&v), of(spacing.dx), of(spacing.dy), step};
        launch::largest<4>(count, FindMotion<Number>{sea, moving, of(cells), both()}, found);
        launch::largest<2>(count, PlaceMotion<Number>{sea, moving, found}, found + 4);
        const auto word = fetch<6>();
        last[0] = word[2], last[1] = word[3];
        return {peak(word[0], word[4]), peak(word[1], word[5])};
    }

    double largest(Terms which) override { return size_of(last[which]); }
    Limbs limbs(Terms which, double coarse, double fine) override {
        const double* first = which == values ? both().values : both().weights;
        return add(Given{first}, coarse, fine);
    }

    double largest(const FieldSlab* f, const Thickness& t) override {
        auto* found = cleared();
        launch::largest<1>(count, Largest<Contents<Number>>{contents(f, t)}, found);
        return size_of(fetch<1>()[0]);
    }
    Limbs limbs(const FieldSlab* f, const Thickness& t, double coarse, double fine) override {
        return add(contents(f, t), coarse, fine);
    }

    std::vector<double> column_sums(const FieldSlab& f, const Thickness& t) override {
        last[0] = last[1] = none;
        launch::each(count, ColumnSums<Number>{contents(&f, t), both().values});
        std::vector<double> sums(count);
        device->copy(sums.data(), both().values, count * sizeof(double), Device::Way::to_host);
        return sums;
    }

    std::uint64_t checksum(const FieldSlab& f, std::uint64_t salt) override {
        device->clear(words.at, words.bytes);
        launch::totals<1>(count, Hash<Number>{sea, of(&f), salt}, (Word*)words.at);
        return std::uint64_t(fetch<1>()[0]);
    }

private:
    static constexpr int most = 8;
    std::shared_ptr<Device> device;
    std::size_t count;
    DeviceMemory columns, layers, terms, words;
    BlockTables tables;
    Sea sea;
    Word last[2] = {none, none};

    Of<Number> of(const FieldSlab* f) {
        return f ? Of<Number>{tables.operator()<const Number>(*f)} : Of<Number>{};
    }
    ColumnTerms both() const { return {(double*)terms.at, (double*)terms.at + count}; }
    Word* cleared() {
        launch::each(most, Clear{(Word*)words.at});
        return (Word*)words.at;
    }
    template <int number> std::array<Word, number> fetch() {
        std::array<Word, number> found;
        device->copy(found.data(), words.at, sizeof found, Device::Way::to_host);
        return found;
    }
    static Peak peak(Word key, Word place) {
        if (key == none) return {-std::numeric_limits<double>::infinity(), -1};
        return {value_of(key), -place};
    }
    static double size_of(Word key) { return key == none ? 0 : value_of(key); }
    Contents<Number> contents(const FieldSlab* f, const Thickness& t) {
        return {sea, of(f), of(t.cells), of(t.surface), of(t.depth), of(t.bottom)};
    }
    template <class Some> Limbs add(const Some& some, double coarse, double fine) {
        device->clear(words.at, words.bytes);
        launch::totals<Limbs::words>(count, AddLimbs<Some>{some, coarse, fine}, (Word*)words.at);
        Limbs sum;
        std::ranges::copy(fetch<Limbs::words>(), sum.word);
        return sum;
    }
};

std::unique_ptr<Watch> watch_of(std::shared_ptr<Device> device, const WetColumns& w) {
    if (w.bytes == 4) return std::make_unique<Watcher<float>>(std::move(device), w);
    return std::make_unique<Watcher<double>>(std::move(device), w);
}

const Registered watch(watch_of);

}  // namespace

}  // namespace fathom
