#include "device/helmholtz.hpp"
#include <algorithm>
#include "base/pack.hpp"
#include "device/blocks.hpp"
#include "device/engines.hpp"
#include "device/terms.hpp"

namespace fathom {

namespace {

using Column = HelmholtzPoints::Column;

/// Columns of all blocks; a thread has a column, or a point of it: levels one after another.
struct Columns {
    const HelmholtzBlock* blocks;
    const Column* columns;
    unsigned count;

    constexpr const Column& column(std::size_t n) const { return columns[unsigned(n) % count]; }
    constexpr const HelmholtzBlock& block(std::size_t n) const { return blocks[column(n).block]; }
    constexpr int level(std::size_t n) const { return int(unsigned(n) / count); }
    constexpr std::ptrdiff_t place(std::size_t n, int k) const {
        const Column& c = column(n);
        return blocks[c.block].place(c.row, k, c.column);
    }
    constexpr std::ptrdiff_t point(std::size_t n) const { return place(n, level(n)); }
};

template <class F, class T> struct Load {
    Columns on;
    FieldAt<const F> from;
    int halo;
    T* to;
    constexpr void operator()(std::size_t n) const {
        const Column& c = on.column(n);
        to[on.point(n)] = T(from(c.block, c.row + halo, c.column + halo, on.level(n)));
    }
};
template <class F, class T> struct Store {
    Columns on;
    const T* from;
    int halo;
    FieldAt<F> to;
    constexpr void operator()(std::size_t n) const {
        const Column& c = on.column(n);
        to(c.block, c.row + halo, c.column + halo, on.level(n)) = F(from[on.point(n)]);
    }
};

template <class T> struct Multiply {
    Columns on;
    HelmholtzMatrix<T> matrix;
    const T* x;
    T* y;
    constexpr Pack<T, 1> Ax(std::size_t n) const {
        return matrix.template times<Pack<T, 1>>(x, on.block(n), on.point(n), on.level(n));
    }
    constexpr void operator()(std::size_t n) const { Ax(n).store(y + on.point(n)); }
};
template <class T> struct Subtract : Multiply<T> {
    const T* r;
    constexpr void operator()(std::size_t n) const {
        const std::ptrdiff_t at = this->on.point(n);
        (Pack<T, 1>::load(r + at) - this->Ax(n)).store(this->y + at);
    }
};
template <class T> struct Factorise {
    Columns on;
    HelmholtzMatrix<T> matrix;
    constexpr void operator()(std::size_t n) const {
        for (int k = 0; k < matrix.levels; ++k) matrix.factorise(on.block(n), on.place(n, k), k);
    }
};
template <class T> struct Lines {
    Columns on;
    HelmholtzMatrix<T> matrix;
    const T* r;
    T *work, *z;
    bool add;
    constexpr void operator()(std::size_t n) const {
        const HelmholtzBlock& b = on.block(n);
        std::ptrdiff_t at = on.place(n, 0);
        for (int k = 0; k < matrix.levels; ++k, at += b.level) matrix.forward(r, work, b, at, k);
        for (int k = matrix.levels - 1; k >= 0; --k) {
            at -= b.level;
            if (k + 1 < matrix.levels) matrix.backward(work, b, at);
            if (add)
                z[at] += work[at];
            else
                z[at] = work[at];
        }
    }
};

/// Several vectors, one after another.
template <class T> struct Add {
    static constexpr int most = 16;
    Columns on;
    std::array<double, most> factors;
    int number;
    std::size_t apart;
    const T* first;
    T* to;
    constexpr void operator()(std::size_t n) const {
        const std::ptrdiff_t at = on.point(n);
        T sum = to[at];
        for (int m = 0; m < number; ++m) sum += T(factors[m]) * first[m * apart + at];
        to[at] = sum;
    }
};
template <class T> struct Turn {
    Columns on;
    T factor;
    const T* from;
    T* to;
    constexpr void operator()(std::size_t n) const {
        const std::ptrdiff_t at = on.point(n);
        to[at] = from[at] + factor * to[at];
    }
};

/// The term of a column.
template <class T> struct Dot {
    Columns on;
    int levels;
    const T *one, *other;
    double* terms;
    constexpr void operator()(std::size_t n) const {
        double sum = 0;
        for (int k = 0; k < levels; ++k) sum += product_term(one, other, on.place(n, k));
        terms[n] = sum;
    }
};

using Word = Terms::Word;

/// Largest terms of means: a thread has a point.
template <class T> struct LargestOfMeans {
    Columns taken;
    HelmholtzMatrix<T> matrix;
    constexpr void operator()(std::size_t n, Word* mine) const {
        for (int kind = 0; kind < HelmholtzMeans::kinds; ++kind)
            Terms::raise(mine[kind], HelmholtzMeans::term(matrix, kind, taken.block(n),
                                                          taken.point(n), taken.level(n)));
    }
};
/// Sums along a row of a level: a thread has one of a kind.
template <class T> struct AlongRows {
    Columns taken;
    HelmholtzMatrix<T> matrix;
    HelmholtzMeans means;
    const int* first;  ///< taken column of each row, and one more
    const double* largest;
    Limbs* sums;  ///< [kind][level][row]
    constexpr void operator()(std::size_t n) const {
        const int j = int(n % means.rows), k = int(n / means.rows % means.levels),
                  kind = int(n / means.rows / means.levels);
        const SumUnit unit = SumUnit::for_largest(largest[kind]);
        const double coarse = unit.coarse(), fine = unit.fine();
        Word sum[Limbs::words] = {};
        for (int c = first[j]; c < first[j + 1]; ++c)
            Limbs::add(means.term(matrix, kind, taken.block(c), taken.place(c, k), k), coarse, fine,
                       sum);
        for (int w = 0; w < Limbs::words; ++w) sums[n].word[w] = sum[w];
    }
};
/// Of a layer, or of a row: a thread has a sum.
struct SumOfMeans {
    HelmholtzMeans means;
    const Limbs* of_rows;
    Limbs* sums;
    constexpr void operator()(std::size_t n) const {
        int kind = 0;
        while (int(n) >= means.first(kind + 1)) ++kind;
        const int own = int(n) - means.first(kind);
        const bool row = means.of_rows(kind);
        const int count = row ? means.levels : means.rows;
        Word sum[Limbs::words] = {};
        for (int m = 0; m < count; ++m) {
            const int k = row ? m : own, j = row ? own : m;
            const Limbs& of = of_rows[(kind * means.levels + k) * means.rows + j];
            for (int w = 0; w < Limbs::words; ++w) sum[w] += of.word[w];
        }
        for (int w = 0; w < Limbs::words; ++w) sums[n].word[w] = sum[w];
    }
};

/// A grid and the next, whose columns or rows these are.
template <class T> struct Between {
    HelmholtzGrids<T> grids;
    Columns on;
    const HelmholtzBlock *fine, *coarse;
    const HelmholtzRow* rows;
    const int* row_of;
};
template <class T> struct Coarsen : Between<T> {
    constexpr void operator()(std::size_t n) const {
        const auto [b, row, i] = this->on.column(n);
        const HelmholtzBlock& c = this->coarse[b];
        this->grids.coarsen(this->fine[b], c, this->rows[c.j0 + row], row, i, this->on.level(n));
    }
};
template <class T> struct Restrict : Between<T> {
    const T* x;
    T* to;
    constexpr void operator()(std::size_t n) const {
        const auto [b, row, i] = this->on.column(n);
        const HelmholtzBlock& c = this->coarse[b];
        to[this->on.point(n)] = this->grids.restricted(x, this->fine[b], c, this->rows[c.j0 + row],
                                                       row, i, this->on.level(n));
    }
};
template <class T> struct Prolong : Between<T> {
    const T* x;
    T* to;
    constexpr void operator()(std::size_t n) const {
        const auto [b, row, i] = this->on.column(n);
        const HelmholtzBlock &f = this->fine[b], &c = this->coarse[b];
        to[this->on.point(n)] +=
            x[this->grids.above(f, c, this->row_of[f.j0 + row], i, this->on.level(n))];
    }
};
template <class T> struct Sweep {
    Columns on;
    const T* by;
    T* z;
    bool add;
    constexpr void operator()(std::size_t n) const {
        const std::ptrdiff_t at = on.point(n);
        z[at] = HelmholtzGrids<T>::swept(z[at], by[at], add);
    }
};

template <class T> class Grid final : public HelmholtzOnDevice {
public:
    Grid(std::shared_ptr<Device> given, const HelmholtzPoints& points)
        : device(std::move(given)),
          levels(points.levels),
          halo(points.halo),
          bytes_of_fields(points.bytes_of_fields),
          numbers(points.numbers),
          memory(device, points.arrays * numbers * sizeof(T)),
          blocks(on_device(device, points.blocks.data(), points.blocks.size())),
          own(on_device(device, points.columns.data(), points.columns.size())),
          in_means(on_device(device, points.taken.data(), points.taken.size())),
          of_rows(on_device(device, points.first_taken.data(), points.first_taken.size())),
          terms(device, points.columns.size(), most_sums),
          largest_of_all(points.largest_of_all),
          fields(device),
          columns{(const HelmholtzBlock*)blocks.at, (const Column*)own.at,
                  unsigned(points.columns.size())},
          taken{columns.blocks, (const Column*)in_means.at, unsigned(points.taken.size())} {
        device->wait();
    }

    std::byte* at(int array) const override { return (std::byte*)numbers_of(array); }
    void load(const FieldSlab& from, int to) override {
        of_fields([&]<class F>(F) {
            each_point(Load<F, T>{columns, fields.operator()<const F>(from), halo, numbers_of(to)});
        });
    }
    void store(int from, const FieldSlab& to) override {
        of_fields([&]<class F>(F) {
            each_point(Store<F, T>{columns, numbers_of(from), halo, fields.operator()<F>(to)});
        });
    }
    void clear(int array) override { device->clear(at(array), numbers * sizeof(T)); }
    void copy(int from, int to) override {
        device->copy(at(to), at(from), numbers * sizeof(T), Device::Way::within);
    }
    void factorise() override {
        launch::each(columns.count, Factorise<T>{columns, coefficients()});
    }
    void multiply(int x, int y) override { each_point(product(x, y)); }
    void subtract(int x, int r, int y) override {
        each_point(Subtract<T>{product(x, y), numbers_of(r)});
    }
    void lines(int r, int work, int z, bool add) override {
        launch::each(columns.count, Lines<T>{columns, coefficients(), numbers_of(r),
                                             numbers_of(work), numbers_of(z), add});
    }
    void add(std::span<const double> given, int first, int to) override {
        std::array<double, Add<T>::most> factors{};
        std::ranges::copy(given, factors.begin());
        each_point(Add<T>{columns, factors, int(given.size()), numbers, numbers_of(first),
                          numbers_of(to)});
    }
    void turn(double factor, int from, int to) override {
        each_point(Turn<T>{columns, T(factor), numbers_of(from), numbers_of(to)});
    }
    std::vector<RankSum> dots(std::span<const HelmholtzVectors::Pair> pairs) override {
        const int count = int(pairs.size());
        for (int m = 0; m < count; ++m)
            launch::each(columns.count, Dot<T>{columns, levels, numbers_of(pairs[m].one),
                                               numbers_of(pairs[m].other), terms[m]});
        return terms.sums(count, largest_of_all);
    }
    std::vector<RankSum> means(const HelmholtzMeans& of) override;

    void join(HelmholtzOnDevice& given, std::span<const HelmholtzRow> of_rows,
              std::span<const int> of_row) override {
        next = &static_cast<Grid&>(given);
        rows = on_device(device, of_rows.data(), of_rows.size());
        row_of = on_device(device, of_row.data(), of_row.size());
        device->wait();
    }
    void coarsen() override { next->each_point(Coarsen<T>{between(next->columns)}); }
    void sweep(int by, int z, bool add) override {
        each_point(Sweep<T>{columns, numbers_of(by), numbers_of(z), add});
    }
    void restrict_to(int x, int of_next) override {
        next->each_point(
            Restrict<T>{between(next->columns), numbers_of(x), next->numbers_of(of_next)});
    }
    void prolong(int of_next, int z) override {
        each_point(Prolong<T>{between(columns), next->numbers_of(of_next), numbers_of(z)});
    }
    std::unique_ptr<SeparableOnDevice> separable(const SeparablePoints& points) override {
        return separable_of<T>(device, points,
                               {columns.blocks, columns.columns, columns.count, levels});
    }

private:
    static constexpr int most_sums = 16;
    std::shared_ptr<Device> device;
    int levels, halo, bytes_of_fields;
    std::size_t numbers;
    DeviceMemory memory, blocks, own, in_means, of_rows, rows, row_of, sums_of_means;
    Terms terms;
    LargestOfAll largest_of_all;
    BlockTables fields;
    Columns columns, taken;
    Grid* next = nullptr;

    T* numbers_of(int array) const { return (T*)memory.at + array * numbers; }
    HelmholtzMatrix<T> coefficients() const {
        return {numbers_of(up),     numbers_of(centre), numbers_of(down),
                numbers_of(east),   numbers_of(north),  numbers_of(per_area),
                numbers_of(factor), numbers_of(above),  levels};
    }
    Multiply<T> product(int x, int y) const {
        return {columns, coefficients(), numbers_of(x), numbers_of(y)};
    }
    Between<T> between(const Columns& on) const {
        return {{coefficients(), next->coefficients()},
                on,
                columns.blocks,
                next->columns.blocks,
                (const HelmholtzRow*)rows.at,
                (const int*)row_of.at};
    }
    template <class Body> void each_point(const Body& body) const {
        launch::each(std::size_t(columns.count) * levels, body);
    }
    template <class Body> void of_fields(const Body& body) const {
        if (bytes_of_fields == sizeof(double)) return body(double());
        if constexpr (sizeof(T) == sizeof(float)) body(float());  // fields have no fewer digits
    }
};

/// In memory: the largest terms of kinds, sums, sums along rows.
template <class T> std::vector<RankSum> Grid<T>::means(const HelmholtzMeans& of) {
    const std::size_t along = std::size_t(of.kinds) * of.levels * of.rows, count = of.number(),
                      head = of.kinds * sizeof(double);
    if (!sums_of_means.at)
        sums_of_means = DeviceMemory(device, head + (count + along) * sizeof(Limbs));
    double* const largest = (double*)sums_of_means.at;
    Limbs *const sums = (Limbs*)(sums_of_means.at + head), *const rows_of_levels = sums + count;
    device->clear(sums_of_means.at, head);
    launch::largest<HelmholtzMeans::kinds>(std::size_t(taken.count) * levels,
                                           LargestOfMeans<T>{taken, coefficients()},
                                           (Word*)largest);
    Terms::share(*device, largest, of.kinds, largest_of_all);
    launch::each(along, AlongRows<T>{taken, coefficients(), of, (const int*)of_rows.at, largest,
                                     rows_of_levels});
    launch::each(count, SumOfMeans{of, rows_of_levels, sums});
    std::vector<std::byte> found(head + count * sizeof(Limbs));
    device->copy(found.data(), sums_of_means.at, found.size(), Device::Way::to_host);
    std::vector<RankSum> all;
    for (int kind = 0; kind < of.kinds; ++kind)
        for (int n = of.first(kind); n < of.first(kind + 1); ++n)
            all.push_back(Terms::one_of(found.data(), of.kinds, kind, n));
    return all;
}

std::unique_ptr<HelmholtzOnDevice> helmholtz_of(std::shared_ptr<Device> device,
                                                const HelmholtzPoints& points) {
    if (points.bytes == 4) return std::make_unique<Grid<float>>(std::move(device), points);
    return std::make_unique<Grid<double>>(std::move(device), points);
}

const Registered helmholtz(helmholtz_of);

}  // namespace

}  // namespace fathom
