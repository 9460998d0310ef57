/// The iterations of solver/fused.hpp, a thread a point. r and s of an iteration lie beside those
/// of the one before: neighbours still read them. Two iterations of conjugate gradients are four
/// launches,
///   first   s' = r + beta s,   r' = r - alpha (s' - D^2 F s')
///   second  the same from r', s' to r, s;   y += alpha s' + alpha' s
///   sums    of r and t = r - D^2 F r, computed at four points
///   decide  one thread: alpha and beta of the two that come next; the others fill the halo of r, s
/// of which many are one recording: when the search has ended the rest do nothing.
#include "device/elliptic.hpp"
#include <limits>
#include "base/pack.hpp"
#include "machine/launch.hpp"

namespace fathom {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
template <class Number> using Real = Pack<Number, 1>;
template <class Number> constexpr Real<Number> at(const Number* x, std::ptrdiff_t n) {
    return Real<Number>::load(x + n);
}

/// Four cells and what they have in common; what it adds to F v in each (solver/elliptic.hpp).
template <class Number> struct Corner {
    using R = Real<Number>;
    R P, M, k, SW, SE, NW, NE;
    constexpr R southwest() const { return with(NE, SE + NW, M * (SE - NW)); }
    constexpr R southeast() const { return with(NW, SW + NE, M * (SW - NE)); }
    constexpr R northeast() const { return with(SW, SE + NW, -(M * (SE - NW))); }
    constexpr R northwest() const { return with(SE, SW + NE, -(M * (SW - NE))); }

private:
    constexpr R with(R opposite, R beside, R rest) const {
        return fma(P, fma(k, beside, opposite), rest);
    }
};

/// Coefficients of the operator, and where there is water.
template <class Number> struct Water {
    const int* wet;
    std::ptrdiff_t up;
    const Number *sum, *difference, *square, *scale;
    Number compact;

    /// F v at a point; v(n): at point n.
    template <class V> constexpr Real<Number> F(std::ptrdiff_t n, const V& v) const {
        using R = Real<Number>;
        const R here = v(n), E = v(n + 1), W = v(n - 1), N = v(n + up), S = v(n - up),
                NE = v(n + up + 1), NW = v(n + up - 1), SE = v(n - up + 1), SW = v(n - up - 1);
        return (corner(n - up, S, SE, here, E).northwest() +
                corner(n - up - 1, SW, S, W, here).northeast()) +
               (corner(n, here, E, N, NE).southwest() + corner(n - 1, W, here, NW, N).southeast());
    }
    /// v - D^2 F v, given v at the point.
    template <class V>
    constexpr Real<Number> A(std::ptrdiff_t n, Real<Number> here, const V& v) const {
        return fma(-at(square, n), F(n, v), here);
    }

private:
    template <class R>
    constexpr Corner<Number> corner(std::ptrdiff_t n, R SW, R SE, R NW, R NE) const {
        return {at(sum, n), at(difference, n), R(compact), SW, SE, NW, NE};
    }
};

template <class Number> struct Values {
    const Number* of;
    constexpr Real<Number> operator()(std::ptrdiff_t n) const { return at(of, n); }
};
/// r + beta s
template <class Number> struct Searched {
    const Number *r, *s;
    Real<Number> beta;
    constexpr Real<Number> operator()(std::ptrdiff_t n) const {
        return fma(beta, at(s, n), at(r, n));
    }
};

/// What the device knows of a pass.
struct Steps {
    TwoSteps two;
    bool go = false;
};
/// Of four sums: low and high halves, and whether a term was too large.
enum Sum { rr, rt, tt, cross, sums };
constexpr int words = 2 * sums + 1;
struct State {
    GradientSearch search;
    Steps steps;
    bool sum = false;  ///< sums are wanted
    SumUnit unit;
    int noted = 0;
    std::int64_t largest = 0, total[words] = {};
};

constexpr void add(std::int64_t* to, std::int64_t x) {
    to[0] += x & 0xffffffff;
    to[1] += x >> 32;
}
/// y = coarse + x, in units; strange: x was too large for them.
constexpr std::int64_t units(double y, double coarse, std::int64_t& strange) {
    const auto bits = std::bit_cast<std::uint64_t>(y), M = std::bit_cast<std::uint64_t>(coarse);
    if ((bits ^ M) >> 52) strange = 1;
    return std::int64_t(bits - M);
}
/// low + 2^32 high units, rounded once.
constexpr double rounded(std::int64_t low, std::int64_t high, SumUnit unit) {
    high += low >> 32, low &= 0xffffffff;
    return fma(Real<double>(double(high)), Real<double>(0x1p32), Real<double>(double(low))).lanes *
           power_of_two(unit.exponent);
}
/// |x|, or infinity, as bits: in the order of numbers.
constexpr std::int64_t size_of(double x) {
    constexpr auto infinite = std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity());
    const auto size = std::int64_t(std::bit_cast<std::uint64_t>(x) << 1 >> 1);
    return size < infinite ? size : infinite;
}

/// coarse + a b, and coarse + a b + c d: in fp32 the products are rounded.
constexpr double coarse_and(double coarse, Real<double> a, Real<double> b) {
    return fma(a, b, Real<double>(coarse)).lanes;
}
constexpr double coarse_and(double coarse, Real<float> a, Real<float> b) {
    return double((a * b).lanes) + coarse;
}
constexpr double coarse_and(double coarse, Real<double> a, Real<double> b, Real<double> c,
                            Real<double> d) {
    return fma(c, d, fma(a, b, Real<double>(coarse))).lanes;
}
constexpr double coarse_and(double coarse, Real<float> a, Real<float> b, Real<float> c,
                            Real<float> d) {
    return double(fma(a, b, c * d).lanes) + coarse;
}

// Fields

/// y = x / d, r = b = D rhs, of a block.
template <class Value> struct Take {
    const Value *rhs, *x;
    std::ptrdiff_t rhs_row, x_row;
    int first, nx, up;
    const double* d;
    double *y, *b, *r;
    constexpr void operator()(std::size_t n) const {
        const std::ptrdiff_t j = n / nx, i = n % nx, to = first + j * up + i;
        const double scale = d[to];
        y[to] = scale > 0 ? x[j * x_row + i] / scale : 0;
        b[to] = r[to] = scale > 0 ? rhs[j * rhs_row + i] * scale : 0;
    }
};
template <class Value> struct Give {
    Value* x;
    std::ptrdiff_t row;
    int first, nx, up;
    const double *d, *y;
    bool zero;
    constexpr void operator()(std::size_t n) const {
        const std::ptrdiff_t j = n / nx, i = n % nx, from = first + j * up + i;
        x[j * row + i] = Value(zero ? 0 : y[from] * d[from]);
    }
};
template <class Value> struct Scale {
    Value* x;
    std::ptrdiff_t row;
    int columns;
    double by;
    constexpr void operator()(std::size_t n) const {
        Value& value = x[std::ptrdiff_t(n / columns) * row + std::ptrdiff_t(n % columns)];
        value = Value(value * by);
    }
};

// Passes

/// The halo of one or two vectors.
template <class Number> struct Halo {
    const EllipticPoints::Copy* copies;
    Number *first, *second;
    constexpr void operator()(std::size_t n) const {
        const auto [from, to] = copies[n];
        first[to] = first[from];
        if (second) second[to] = second[from];
    }
};

/// r = b - A y, as EllipticOperator::multiply has it; its size.
struct Subtract {
    Water<double> on;
    const double *b, *y;
    double* r;
    constexpr std::int64_t operator()(std::size_t point) const {
        using R = Real<double>;
        const std::ptrdiff_t n = on.wet[point], up = on.up;
        const R k(on.compact);
        auto P = [&](std::ptrdiff_t m) { return at(on.sum, m); };
        auto M = [&](std::ptrdiff_t m) { return at(on.difference, m); };
        auto v = [&](std::ptrdiff_t m) { return at(on.scale, m) * at(y, m); };
        const R E = v(n + 1), W = v(n - 1), N = v(n + up), S = v(n - up), NE = v(n + up + 1),
                NW = v(n + up - 1), SE = v(n - up + 1), SW = v(n - up - 1);
        const R west = fma(
            P(n - 1), fma(k, W + N, NW),
            fma(M(n - 1), W - N, fma(P(n - 1 - up), fma(k, W + S, SW), M(n - 1 - up) * (W - S))));
        const R east =
            fma(P(n), fma(k, E + N, NE),
                fma(M(n), E - N, fma(P(n - up), fma(k, E + S, SE), M(n - up) * (E - S))));
        const R Ay = fma(-at(on.scale, n), west + east, at(y, n)), left = at(b, n) - Ay;
        left.store(r + n);
        return size_of(left.lanes);
    }
};
struct Size {
    const int* wet;
    const double* r;
    constexpr std::int64_t operator()(std::size_t n) const { return size_of(r[wet[n]]); }
};
/// r.r, exact: of the largest that was found before.
struct Square {
    const int* wet;
    const double* r;
    const std::int64_t* largest;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const {
        const double most = std::bit_cast<double>(*largest);
        const SumUnit unit = SumUnit::for_largest(most * most * 0x1p26);
        const double coarse = unit.coarse(), fine = unit.fine(), x = r[wet[n]] * r[wet[n]],
                     y = x + coarse;
        add(mine, units(y, coarse, mine[4]));
        add(mine + 2, std::bit_cast<std::int64_t>(x + (coarse - y) + fine) -
                          std::bit_cast<std::int64_t>(fine));
    }
};

struct Enter {
    const int* wet;
    const double* d;
    double *r, *s, *y;
    constexpr void operator()(std::size_t n) const {
        const int m = wet[n];
        r[m] *= d[m], y[m] *= d[m], s[m] = 0;
    }
};
struct Leave {
    const int* wet;
    const double* d;
    double *r, *y;
    bool residual;
    constexpr void operator()(std::size_t n) const {
        const int m = wet[n];
        y[m] /= d[m];
        if (residual) r[m] /= d[m];
    }
};
struct EnterSingle {
    const int* wet;
    const float* d;
    const double* from;
    double up;
    float *r, *s, *y;
    constexpr void operator()(std::size_t n) const {
        const int m = wet[n];
        r[m] = float(from[m] * up) * d[m], y[m] = s[m] = 0;
    }
};
struct LeaveSingle {
    const int* wet;
    const float *d, *found;
    double down;
    double* y;
    constexpr void operator()(std::size_t n) const {
        const int m = wet[n];
        y[m] += found[m] / d[m] * down;
    }
};

// Iterations

template <class Number, bool second> struct Iteration {
    Water<Number> on;
    const Steps* steps;
    const Number *r, *s;
    Number *r_next, *s_next, *y;
    int own;  // in the halo nobody needs y
    constexpr void operator()(std::size_t point) const {
        using R = Real<Number>;
        if (!steps->go) return;
        const int n = on.wet[point];
        const FusedStep& step = steps->two.step[second];
        if (second && !steps->two.both) {
            r_next[n] = r[n], s_next[n] = s[n];
            if (int(point) < own) (at(y, n) + R(step.before) * at(s, n)).store(y + n);
            return;
        }
        const Searched<Number> search{r, s, R(step.beta)};
        const R found = search(n);
        fma(-R(step.alpha), on.A(n, found, search), at(r, n)).store(r_next + n);
        found.store(s_next + n);
        if (second && int(point) < own)
            (at(y, n) + fma(R(step.before), at(s, n), R(step.alpha) * found)).store(y + n);
    }
};

/// r D^-2 r, r D^-2 t, t D^-2 t and, of the corner north-east of the point, t.F t / 2.
template <class Number> struct Sums {
    Water<Number> on;
    const State* state;
    const Number* r;
    int fold;
    constexpr void operator()(std::size_t point, std::int64_t* mine) const {
        using R = Real<Number>;
        if (!state->sum) return;
        const std::ptrdiff_t n = on.wet[point], up = on.up;
        const Values<Number> v{r};
        auto t = [&](std::ptrdiff_t m) { return on.A(m, at(r, m), v); };
        const R here = at(r, n), SW = t(n), SE = t(n + 1), NW = t(n + up), NE = t(n + up + 1),
                weight = R(1.0) / at(on.square, n), wr = weight * here;
        const double coarse = state->unit.coarse();
        std::int64_t& strange = mine[2 * sums];
        auto integer = [&](double y) { return units(y, coarse, strange); };
        add(mine + 2 * rr, integer(coarse_and(coarse, wr, here)));
        add(mine + 2 * rt, integer(coarse_and(coarse, wr, SW)));
        const auto squares = integer(coarse_and(coarse, weight * SW, SW));
        add(mine + 2 * tt, squares);
        const R pairs = fma(R(on.compact) * (SW + NE), SE + NW, fma(SE, NW, SW * NE));
        const auto pair = integer(
            coarse_and(coarse, at(on.sum, n), pairs, at(on.difference, n) * (SW - NE), SE - NW));
        add(mine + 2 * cross, squares - (int(point) < fold ? 2 : 1) * pair);
    }
};

/// Thread 0 decides, the others fill the halo.
template <class Number> struct Decide {
    State* state;
    EllipticOnDevice::Residual* history;
    int room;
    Halo<Number> halo;
    constexpr void operator()(std::size_t n) const {
        if (n > 0)
            halo(n - 1);
        else if (state->sum)
            decide();
    }

private:
    constexpr void decide() const {
        GradientSearch& search = state->search;
        const std::int64_t* total = state->total;
        auto value = [&](Sum of) { return rounded(total[2 * of], total[2 * of + 1], state->unit); };
        const Products found{value(rr), value(rt), value(tt), value(cross), !total[2 * sums]};
        const int before = search.iterations;
        search.take(found);
        if (found.valid && search.iterations > before && state->noted < room)
            history[state->noted++] = {search.iterations, found.rr};
        for (auto& word : state->total) word = 0;
        state->steps.go = state->sum = search.next == GradientSearch::Next::step;
        state->steps.two = search.steps();
        state->unit = SumUnit::for_largest(search.largest);
    }
};

template <class Number> struct ScaledSize {
    const int* wet;
    const Number *r, *square;
    constexpr std::int64_t operator()(std::size_t n) const {
        return size_of((at(r, wet[n]) / sqrt(at(square, wet[n]))).lanes);
    }
};
/// Sums anew, of the largest |r| that was found; see FusedGradients::products.
struct Anew {
    State* state;
    constexpr void operator()(std::size_t) const {
        const double most = std::bit_cast<double>(state->largest);
        state->unit = SumUnit::for_largest(1024 * most * most);
        state->total[2 * sums] = !(most < infinity);
        state->largest = 0, state->sum = true;
    }
};
template <class Number> struct ScaledSquare {
    const int* wet;
    const Number *r, *square;
    double coarse;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const {
        const Real<Number> x = at(r, wet[n]);
        add(mine, units(coarse_and(coarse, x, x / at(square, wet[n])), coarse, mine[2]));
    }
};

/// Vectors and coefficients in one precision, and what is done with both.
template <class Number> class Part {
public:
    static constexpr int cycles = 10;  // of two iterations each, before the processor looks
    enum { r, s, y, r_next, s_next, arrays };

    Part(const std::shared_ptr<Device>& device, const EllipticPoints& points,
         const EllipticPoints::Numbers<Number>& given, const int* wet,
         const EllipticPoints::Copy* copies)
        : device(device),
          numbers(points.numbers),
          wet_until(points.wet_until),
          fold(points.fold),
          copies_until(points.copies_until),
          copies(copies),
          room(points.history),
          coefficients{on_device(device, given.sum), on_device(device, given.difference),
                       on_device(device, given.square), on_device(device, given.scale)},
          vectors(device, sizeof(Number) * arrays * numbers),
          states(device, sizeof(State)),
          tables(device, sizeof(Steps) * most),
          residuals(device, sizeof(EllipticOnDevice::Residual) * std::max(room, 1)),
          water{wet,
                points.up,
                numbers_of(coefficients[0]),
                numbers_of(coefficients[1]),
                numbers_of(coefficients[2]),
                numbers_of(coefficients[3]),
                given.compact} {}

    const Water<Number>& operator*() const { return water; }
    Number* of(int vector) const { return (Number*)vectors.at + std::size_t(vector) * numbers; }
    int own() const { return wet_until[0]; }

    void fill(int width, int first, int second = -1) const {
        launch::each(copies_until[width],
                     Halo<Number>{copies, of(first), second < 0 ? nullptr : of(second)});
    }

    void gradients(GradientSearch& search, std::vector<EllipticOnDevice::Residual>& history) {
        here = {search};
        here.unit = SumUnit::for_largest(search.largest), here.sum = true;
        device->copy(states.at, &here, sizeof here, Device::Way::to_device);
        fill(EllipticPoints::halo, r, s);
        sum();
        for (;;) {
            repeat(recorded, [&] {
                for (int n = 0; n < cycles; ++n) decide(), iterate(&state()->steps, 3), sum();
            });
            device->copy(&here, states.at, sizeof here, Device::Way::to_host);
            if (here.search.next == GradientSearch::Next::nothing) break;
            if (here.search.next == GradientSearch::Next::sums) anew();
        }
        search = here.search;
        history.resize(here.noted);
        if (here.noted)
            device->copy(history.data(), residuals.at, history.size() * sizeof history[0],
                         Device::Way::to_host);
    }

    void sweeps(std::span<const TwoSteps> list) {
        for (std::size_t n = 0; n < list.size(); ++n) table[n] = {list[n], true};
        const int count = int(list.size());
        device->copy(tables.at, table, count * sizeof(Steps), Device::Way::to_device);
        auto all = [&] {
            for (int n = 0; n < count; ++n) fill(2, r, s), iterate((const Steps*)tables.at + n, 1);
        };
        count == most || count == most / 2 ? repeat(recorded_sweeps[count == most], all) : all();
    }
    double squares(SumUnit unit) {
        device->clear(states.at, sizeof(State));
        launch::totals<3>(own(),
                          ScaledSquare<Number>{water.wet, of(r), water.square, unit.coarse()},
                          state()->total);
        device->copy(&here, states.at, sizeof here, Device::Way::to_host);
        return here.total[2] ? std::numeric_limits<double>::quiet_NaN()
                             : rounded(here.total[0], here.total[1], unit);
    }

private:
    static constexpr int most = 10;  // sweeps
    std::shared_ptr<Device> device;
    int numbers;
    std::array<int, EllipticPoints::halo> wet_until;
    int fold;
    std::array<int, EllipticPoints::halo + 1> copies_until;
    const EllipticPoints::Copy* copies;
    int room;
    DeviceMemory coefficients[4], vectors, states, tables, residuals;
    Water<Number> water;
    State here = {};
    Steps table[most];
    std::unique_ptr<Device::Recording> recorded, recorded_sweeps[2];

    static DeviceMemory on_device(const std::shared_ptr<Device>& device,
                                  const std::vector<Number>& numbers) {
        return fathom::on_device(device, numbers.data(), numbers.size());
    }
    static const Number* numbers_of(const DeviceMemory& memory) { return (const Number*)memory.at; }
    State* state() const { return (State*)states.at; }

    template <class F> void repeat(std::unique_ptr<Device::Recording>& recording, F work) {
        if (!device->records()) return work();
        if (!recording) device->record(), work(), recording = device->recorded();
        recording->replay();
    }
    void decide() const {
        launch::each(
            1 + copies_until[EllipticPoints::halo],
            Decide<Number>{
                state(), (EllipticOnDevice::Residual*)residuals.at, room, {copies, of(r), of(s)}});
    }
    /// Two; the first as far as `reach` points in the halo, the second one less.
    void iterate(const Steps* steps, int reach) const {
        launch::each(wet_until[reach],
                     Iteration<Number, false>{water, steps, of(r), of(s), of(r_next), of(s_next),
                                              of(y), own()});
        launch::each(wet_until[reach - 1],
                     Iteration<Number, true>{water, steps, of(r_next), of(s_next), of(r), of(s),
                                             of(y), own()});
    }
    void sum() const {
        launch::totals<words>(own(), Sums<Number>{water, state(), of(r), fold}, state()->total);
    }
    void anew() const {
        launch::largest(own(), ScaledSize<Number>{water.wet, of(r), water.square},
                        &state()->largest);
        launch::each(1, Anew{state()});
        sum();
    }
};

class Elliptic final : public EllipticOnDevice {
public:
    Elliptic(const std::shared_ptr<Device>& device, const EllipticPoints& points)
        : device(device),
          blocks(points.blocks),
          up(points.up),
          numbers(points.numbers),
          wet(on_device(device, points.wet.data(), points.wet.size())),
          copies(on_device(device, points.copies.data(), points.copies.size())),
          right_side(device, sizeof(double) * numbers),
          found(device, sizeof(Squares)),
          part(device, points, points.in_double, (const int*)wet.at,
               (const EllipticPoints::Copy*)copies.at) {
        if (!points.in_single.sum.empty())
            single =
                std::make_unique<Part<float>>(device, points, points.in_single, (const int*)wet.at,
                                              (const EllipticPoints::Copy*)copies.at);
    }

    void scale(const FieldSlab& f, int halo, int bytes, double by) override {
        for (std::size_t n = 0; n < blocks.size(); ++n) {
            const int columns = blocks[n].nx + 2 * halo, rows = blocks[n].ny + 2 * halo;
            each(bytes, [&]<class Value>(Value) {
                launch::each(std::size_t(rows) * columns,
                             Scale<Value>{(Value*)f.at[n], f.row[n], columns, by});
            });
        }
    }
    Squares begin(const FieldSlab& rhs, const FieldSlab& x, int halo, int bytes) override {
        for (std::size_t n = 0; n < blocks.size(); ++n) {
            const auto [first, nx, ny] = blocks[n];
            each(bytes, [&]<class Value>(Value) {
                launch::each(std::size_t(nx) * ny,
                             Take<Value>{own<Value>(rhs, n, halo), own<Value>(x, n, halo),
                                         rhs.row[n], x.row[n], first, nx, up, (*part).scale,
                                         part.of(part.y), b(), part.of(part.r)});
            });
        }
        device->clear(found.at, found.bytes);
        launch::largest(part.own(), Size{(*part).wet, part.of(part.r)}, largest());
        return squares();
    }
    Squares residual() override {
        part.fill(1, part.y);
        device->clear(found.at, found.bytes);
        launch::largest(part.own(), Subtract{*part, b(), part.of(part.y), part.of(part.r)},
                        largest());
        return squares();
    }
    void end(const FieldSlab& x, int halo, int bytes, bool zero) override {
        for (std::size_t n = 0; n < blocks.size(); ++n) {
            const auto [first, nx, ny] = blocks[n];
            each(bytes, [&]<class Value>(Value) {
                launch::each(std::size_t(nx) * ny,
                             Give<Value>{own<Value>(x, n, halo), x.row[n], first, nx, up,
                                         (*part).scale, part.of(part.y), zero});
            });
        }
    }

    void enter(bool in_single, double up) override {
        const auto& p = part;
        if (in_single)
            launch::each(p.own(), EnterSingle{(*p).wet, (**single).scale, p.of(p.r), up,
                                              single->of(p.r), single->of(p.s), single->of(p.y)});
        else
            launch::each(p.own(), Enter{(*p).wet, (*p).scale, p.of(p.r), p.of(p.s), p.of(p.y)});
    }
    void leave(bool in_single, double down, bool residual) override {
        const auto& p = part;
        if (in_single)
            launch::each(p.own(),
                         LeaveSingle{(*p).wet, (**single).scale, single->of(p.y), down, p.of(p.y)});
        else
            launch::each(p.own(), Leave{(*p).wet, (*p).scale, p.of(p.r), p.of(p.y), residual});
    }
    std::span<const Residual> gradients(GradientSearch& search) override {
        search.single ? single->gradients(search, history) : part.gradients(search, history);
        return history;
    }
    void sweeps(bool in_single, std::span<const TwoSteps> list) override {
        in_single ? single->sweeps(list) : part.sweeps(list);
    }
    double squares(bool in_single, SumUnit unit) override {
        return in_single ? single->squares(unit) : part.squares(unit);
    }
    std::vector<double> fetch_residual() override {
        std::vector<double> all(numbers);
        device->copy(all.data(), part.of(part.r), numbers * sizeof(double), Device::Way::to_host);
        return all;
    }

private:
    std::shared_ptr<Device> device;
    std::vector<EllipticPoints::OwnBlock> blocks;
    int up, numbers;
    DeviceMemory wet, copies, right_side, found;
    Part<double> part;
    std::unique_ptr<Part<float>> single;
    std::vector<Residual> history;

    double* b() const { return (double*)right_side.at; }
    std::int64_t* largest() const { return (std::int64_t*)found.at; }
    template <class F> static void each(int bytes, F body) {
        bytes == 4 ? body(float()) : body(double());
    }
    /// The first own point of a block.
    template <class Value> static Value* own(const FieldSlab& f, std::size_t n, int halo) {
        return (Value*)f.at[n] + halo * f.row[n] + halo;
    }
    Squares squares() {
        static_assert(sizeof(Squares) == 6 * sizeof(std::int64_t));
        launch::totals<5>(part.own(), Square{(*part).wet, part.of(part.r), largest()},
                          largest() + 1);
        Squares all;
        device->copy(&all, found.at, sizeof all, Device::Way::to_host);
        return all;
    }
};

}  // namespace

std::unique_ptr<EllipticOnDevice> elliptic_on(std::shared_ptr<Device> device,
                                              const EllipticPoints& points) {
    return std::make_unique<Elliptic>(device, points);
}

}  // namespace fathom
