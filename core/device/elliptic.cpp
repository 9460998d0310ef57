/// The iterations of solver/fused.hpp, tile by tile: a launch does several of them with all that a
/// tile needs of the points around it, so that none fills a halo, and leaves r and s beside those
/// it began with, which other tiles still read. Of conjugate gradients a launch does two,
///   s = r + beta s,   r -= alpha (s - D^2 F s),   y += alpha s,
/// the sums of r and t = r - D^2 F r, and, when the last tile is done, decides: alpha and beta of
/// the two that come next. Many are one recording: when the search has ended the rest do nothing.
/// Chebyshev's iterations know their alpha and beta: a launch does four.
#include "device/elliptic.hpp"
#include <limits>
#include "base/pack.hpp"
#include "machine/largest.hpp"
#include "machine/launch.hpp"
#include "machine/tiles.hpp"

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

/// Its corners, by where they lie from a point.
enum Place { southwest, southeast, northwest, northeast };
/// F v at point n; v(n): at point n; corner(place, SW, SE, NW, NE): with what it has in common.
template <class V, class C>
constexpr auto sum_of_corners(std::ptrdiff_t n, std::ptrdiff_t up, const V& v, const C& corner) {
    const auto here = v(n), E = v(n + 1), W = v(n - 1), N = v(n + up), S = v(n - up),
               NE = v(n + up + 1), NW = v(n + up - 1), SE = v(n - up + 1), SW = v(n - up - 1);
    return (corner(southeast, S, SE, here, E).northwest() +
            corner(southwest, SW, S, W, here).northeast()) +
           (corner(northeast, here, E, N, NE).southwest() +
            corner(northwest, W, here, NW, N).southeast());
}

/// Coefficients of the operator, and where there is water.
template <class Number> struct Water {
    const int* wet;
    std::ptrdiff_t up;
    const Number *sum, *difference, *square, *scale;
    Number compact;

    /// F v at a point; v(n): at point n.
    template <class V> constexpr Real<Number> F(std::ptrdiff_t n, const V& v) const {
        using R = Real<Number>;
        return sum_of_corners(n, up, v, [&](Place place, R SW, R SE, R NW, R NE) {
            const auto at_corner = corner(n, place);
            return Corner<Number>{
                at(sum, at_corner), at(difference, at_corner), R(compact), SW, SE, NW, NE};
        });
    }
    /// v - D^2 F v, given v at the point.
    template <class V>
    constexpr Real<Number> A(std::ptrdiff_t n, Real<Number> here, const V& v) const {
        return fma(-at(square, n), F(n, v), here);
    }
    constexpr std::ptrdiff_t corner(std::ptrdiff_t n, Place place) const {
        return n - (place == southwest || place == southeast ? up : 0) -
               (place == southwest || place == northwest ? 1 : 0);
    }
};

template <class Number> struct Values {
    const Number* of;
    constexpr Real<Number> operator()(std::ptrdiff_t n) const { return at(of, n); }
};
/// What the device knows of a pass.
struct Steps {
    TwoSteps two;
    bool go = false;
};
/// Of four sums: low and high halves, and whether a term was too large.
enum Sum { rr, rt, tt, cross, sums };
constexpr int words = 2 * sums + 1;
/// And of iterations that are known beforehand; r.r then.
struct Stretch {
    Steps steps[most_sweeps];
    SumUnit unit;
    std::int64_t total[3] = {};
};
struct State {
    GradientSearch search;
    Steps steps;
    SumUnit unit;
    int noted = 0;
    int launches = 0;       ///< that did iterations
    unsigned finished = 0;  ///< tiles of a launch
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
constexpr void raise(std::int64_t& most, double x) {
    constexpr auto infinite = std::bit_cast<std::int64_t>(std::numeric_limits<double>::infinity());
    const auto size = std::int64_t(std::bit_cast<std::uint64_t>(x) << 1 >> 1);
    const auto known = size < infinite ? size : infinite;
    if (known > most) most = known;
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

/// The halo of a vector.
template <class Number> struct Halo {
    const EllipticPoints::Copy* copies;
    Number* at;
    constexpr void operator()(std::size_t n) const {
        const auto [from, to] = copies[n];
        at[to] = at[from];
    }
};

/// r = b - A y, as EllipticOperator::multiply has it; its size.
struct Subtract {
    Water<double> on;
    const double *b, *y;
    double* r;
    constexpr void operator()(std::size_t point, std::int64_t* mine) const {
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
        raise(*mine, left.lanes);
    }
};
struct Size {
    const int* wet;
    const double* r;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const { raise(*mine, r[wet[n]]); }
};
/// r.r, exact: of the largest that was found before.
struct Square {
    const int* wet;
    const double* r;
    const std::int64_t* largest;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const {
        const double most = std::bit_cast<double>(*largest);
        const SumUnit unit = SumUnit::for_largest(most * most * 0x1p26);
        Limbs::add(r[wet[n]] * r[wet[n]], unit.coarse(), unit.fine(), mine);
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

/// A tile and the four points around it, in shared memory; of these the outermost ring is lost with
/// each iteration.
template <class Number> struct OnTiles {
    using R = Real<Number>;
    using Tile = EllipticPoints::Tile;
    static constexpr int around = EllipticPoints::halo, up = Tile::most_columns + 2 * around,
                         rows = Tile::most_rows + 2 * around, each_has = 2,
                         threads = up * rows / each_has;
    static_assert(threads * each_has == up * rows);
    /// s of the first iteration of two and of the second.
    struct Shared {
        Number s[2][up * rows];
    };
    struct Point {
        Number P[4], M[4], square, r, y;
        int at;          // -1: the tile has it from another
        int iterations;  // for so many there is all that they need
    };

    Water<Number> on;
    const Tile* tiles;
    const int* source;
    const Number *r, *s;
    Number *r_next, *s_next, *y;

    /// s = r + beta s
    constexpr void begin(const Tile& tile, double beta, int n, Point& point, Shared& shared) const {
        const int j = n / up - around, i = n % up - around, ring_j = outside(j, tile.rows),
                  ring_i = outside(i, tile.columns), ring = ring_j > ring_i ? ring_j : ring_i,
                  at = tile.at + j * int(on.up) + i,
                  from = ring > around ? -1 : launch::unchanging(source + at);
        shared.s[0][n] = shared.s[1][n] = 0;
        point.at = -1, point.iterations = 0;
        if (from < 0) return;
        point.r = launch::unchanging(r + from);
        shared.s[0][n] = fma(R(beta), R(launch::unchanging(s + from)), R(point.r)).lanes;
        point.iterations = around - ring;
        if (ring == around) return;
        for (Place place : {southwest, southeast, northwest, northeast}) {
            point.P[place] = launch::unchanging(on.sum + on.corner(at, place));
            point.M[place] = launch::unchanging(on.difference + on.corner(at, place));
        }
        point.square = launch::unchanging(on.square + at);
        point.y = ring == 0 ? y[at] : 0;
        if (ring == 0) point.at = at;
    }
    /// v - D^2 F v
    constexpr R A(const Number* x, int n, const Point& point) const {
        const auto v = [&](std::ptrdiff_t m) { return at(x, m); };
        const R F = sum_of_corners(n, up, v, [&](Place place, R SW, R SE, R NW, R NE) {
            return Corner<Number>{
                R(point.P[place]), R(point.M[place]), R(on.compact), SW, SE, NW, NE};
        });
        return fma(-R(point.square), F, v(n));
    }
    constexpr void descend(double alpha, const Number* found, int n, Point& point) const {
        point.r = fma(-R(alpha), A(found, n, point), R(point.r)).lanes;
    }
    constexpr void store(Number found, const Point& point) const {
        r_next[point.at] = point.r, s_next[point.at] = found, y[point.at] = point.y;
    }

private:
    static constexpr int outside(int n, int count) {
        return n < 0 ? -n : n < count ? 0 : n - count + 1;
    }
};

/// Two iterations, `pairs` times.
template <class Number, int pairs> struct Sweep : OnTiles<Number> {
    using typename OnTiles<Number>::R, typename OnTiles<Number>::Shared,
        typename OnTiles<Number>::Point;
    static_assert(2 * pairs <= EllipticPoints::halo);
    const Steps* steps;

    template <class Team>
    constexpr void operator()(const Team& team, int number, Shared& shared) const {
        typename Team::template Kept<Point> points;
        const auto tile = this->tiles[number];
        team.each(points, [&](int n, Point& point) {
            this->begin(tile, steps->two.step[0].beta, n, point, shared);
        });
        for (int pair = 0; pair < pairs; ++pair) {
            team.each(points, [&](int n, Point& point) { first(pair, n, point, shared); });
            team.each(points, [&](int n, Point& point) { second(pair, n, point, shared); });
        }
        team.each(points, [&](int n, Point& point) {
            if (point.at >= 0) this->store(shared.s[1][n], point);
        });
    }

private:
    constexpr void first(int pair, int n, Point& point, Shared& shared) const {
        const TwoSteps& two = steps[pair].two;
        if (point.iterations <= 2 * pair) return;
        this->descend(two.step[0].alpha, shared.s[0], n, point);
        shared.s[1][n] = fma(R(two.step[1].beta), at(shared.s[0], n), R(point.r)).lanes;
    }
    constexpr void second(int pair, int n, Point& point, Shared& shared) const {
        const FusedStep& step = steps[pair].two.step[1];
        if (point.iterations <= 2 * pair + 1) return;
        const R found = at(shared.s[1], n);
        this->descend(step.alpha, shared.s[1], n, point);
        point.y =
            (R(point.y) + fma(R(step.before), at(shared.s[0], n), R(step.alpha) * found)).lanes;
        if (pair + 1 < pairs)
            shared.s[0][n] = fma(R(steps[pair + 1].two.step[0].beta), found, R(point.r)).lanes;
    }
};

/// Of a point r D^-2 r, r D^-2 t, t D^-2 t and, of the corner north-east of it, t.F t / 2; halves:
/// 1 where the other half lies across the fold.
template <class Number>
constexpr void add_products(std::int64_t* mine, double coarse, Real<Number> r, Real<Number> square,
                            const Corner<Number>& t, int halves) {
    using R = Real<Number>;
    const R SW = t.SW, SE = t.SE, NW = t.NW, NE = t.NE;
    const R weight = R(1.0) / square, wr = weight * r;
    std::int64_t& strange = mine[2 * sums];
    auto integer = [&](double y) { return units(y, coarse, strange); };
    add(mine + 2 * rr, integer(coarse_and(coarse, wr, r)));
    add(mine + 2 * rt, integer(coarse_and(coarse, wr, SW)));
    const auto squares = integer(coarse_and(coarse, weight * SW, SW));
    add(mine + 2 * tt, squares);
    const R pairs = fma(t.k * (SW + NE), SE + NW, fma(SE, NW, SW * NE));
    const auto pair = integer(coarse_and(coarse, t.P, pairs, t.M * (SW - NE), SE - NW));
    add(mine + 2 * cross, squares - halves * pair);
}

template <class Number> struct Sums {
    using R = Real<Number>;
    Water<Number> on;
    const State* state;
    const Number* r;
    int fold;
    constexpr void operator()(std::size_t point, std::int64_t* mine) const {
        const std::ptrdiff_t n = on.wet[point], up = on.up;
        const Values<Number> v{r};
        auto t = [&](std::ptrdiff_t m) { return on.A(m, at(r, m), v); };
        add_products<Number>(mine, state->unit.coarse(), at(r, n), at(on.square, n),
                             {at(on.sum, n), at(on.difference, n), R(on.compact), t(n), t(n + 1),
                              t(n + up), t(n + up + 1)},
                             int(point) < fold ? 2 : 1);
    }
};

/// From sums to alpha and beta.
struct Decide {
    State* state;
    EllipticOnDevice::Residual* history;
    int room;
    constexpr void operator()(std::size_t) const {
        GradientSearch& search = state->search;
        const std::int64_t* total = state->total;
        auto value = [&](Sum of) { return rounded(total[2 * of], total[2 * of + 1], state->unit); };
        const Products found{value(rr), value(rt), value(tt), value(cross), !total[2 * sums]};
        const int before = search.iterations;
        search.take(found);
        if (found.valid && search.iterations > before && state->noted < room)
            history[state->noted++] = {search.iterations, found.rr};
        for (auto& word : state->total) word = 0;
        state->steps = {search.steps(), search.next == GradientSearch::Next::step};
        state->unit = SumUnit::for_largest(search.largest);
    }
};

/// Two iterations of conjugate gradients, or the first of them; sums; what comes next.
template <class Number> struct Gradients : OnTiles<Number> {
    using typename OnTiles<Number>::R, typename OnTiles<Number>::Shared;
    using OnTiles<Number>::up;
    struct Point : OnTiles<Number>::Point {
        Number s;
    };
    Decide decide;

    constexpr bool begins() const { return decide.state->steps.go; }
    constexpr void ends() const {
        ++decide.state->launches;
        decide(0);
    }
    template <class Team>
    constexpr void operator()(const Team& team, int number, Shared& shared,
                              std::int64_t* mine) const {
        typename Team::template Kept<Point> points;
        const auto tile = this->tiles[number];
        const TwoSteps& two = decide.state->steps.two;
        team.each(points, [&](int n, Point& point) {
            this->begin(tile, two.step[0].beta, n, point, shared);
        });
        team.each(points, [&](int n, Point& point) { first(two, n, point, shared); });
        team.each(points, [&](int n, Point& point) { second(two, n, point, shared); });
        team.each(points, [&](int n, Point& point) {
            if (point.iterations > 2) shared.s[1][n] = this->A(shared.s[0], n, point).lanes;
        });
        team.each(points, [&](int n, Point& point) {
            if (point.at < 0) return;
            this->store(point.s, point);
            const auto t = [&](int m) { return at(shared.s[1], m); };
            add_products<Number>(mine, decide.state->unit.coarse(), point.r, point.square,
                                 {R(point.P[northeast]), R(point.M[northeast]), R(this->on.compact),
                                  t(n), t(n + 1), t(n + up), t(n + up + 1)},
                                 n / up < tile.whole + this->around ? 2 : 1);
        });
    }

private:
    constexpr void first(const TwoSteps& two, int n, Point& point, Shared& shared) const {
        if (point.iterations == 0) return;
        this->descend(two.step[0].alpha, shared.s[0], n, point);
        shared.s[1][n] = fma(R(two.step[1].beta), at(shared.s[0], n), R(point.r)).lanes;
    }
    /// r takes the place of s of the first.
    constexpr void second(const TwoSteps& two, int n, Point& point, Shared& shared) const {
        if (point.iterations <= 1) return;
        const FusedStep& step = two.step[1];
        const R found = at(shared.s[0], n), next = at(shared.s[1], n);
        point.s = (two.both ? next : found).lanes;
        R change = R(step.before) * found;
        if (two.both) {
            this->descend(step.alpha, shared.s[1], n, point);
            change = fma(R(step.before), found, R(step.alpha) * next);
        }
        point.y = (R(point.y) + change).lanes;
        shared.s[0][n] = point.r;
    }
};

template <class Number> struct ScaledSize {
    const int* wet;
    const Number *r, *square;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const {
        raise(*mine, (at(r, wet[n]) / sqrt(at(square, wet[n]))).lanes);
    }
};
/// Sums anew, of the largest |r| that was found; see FusedGradients::products.
struct Anew {
    State* state;
    constexpr void operator()(std::size_t) const {
        const double most = std::bit_cast<double>(state->largest);
        state->unit = SumUnit::for_largest(1024 * most * most);
        state->total[2 * sums] = !(most < infinity);
        state->largest = 0;
    }
};
template <class Number> struct ScaledSquare {
    const int* wet;
    const Number *r, *square;
    const SumUnit* unit;
    constexpr void operator()(std::size_t n, std::int64_t* mine) const {
        const Real<Number> x = at(r, wet[n]);
        const double coarse = unit->coarse();
        add(mine, units(coarse_and(coarse, x, x / at(square, wet[n])), coarse, mine[2]));
    }
};

/// Vectors and coefficients in one precision, and what is done with both.
template <class Number> class Part {
public:
    static constexpr int cycles = 10;  // of two iterations each, before the processor looks
    enum { r, s, r_next, s_next, y, arrays };

    Part(const std::shared_ptr<Device>& device, const EllipticPoints& points,
         const EllipticPoints::Numbers<Number>& given, const int* wet,
         const EllipticPoints::Copy* copies, const EllipticPoints::Tile* tiles, const int* source)
        : device(device),
          numbers(points.numbers),
          tile_count(int(points.tiles.size())),
          tiles(tiles),
          source(source),
          own_points(int(points.wet.size())),
          fold(points.fold),
          copies_until(points.copies_until),
          copies(copies),
          room(points.history),
          coefficients{on_device(device, given.sum), on_device(device, given.difference),
                       on_device(device, given.square), on_device(device, given.scale)},
          vectors(device, sizeof(Number) * arrays * numbers),
          states(device, sizeof(State)),
          stretches(device, sizeof(Stretch)),
          residuals(device, sizeof(EllipticOnDevice::Residual) * std::max(room, 1)),
          water{wet,
                points.up,
                numbers_of(coefficients[0]),
                numbers_of(coefficients[1]),
                numbers_of(coefficients[2]),
                numbers_of(coefficients[3]),
                given.compact} {}

    const Water<Number>& operator*() const { return water; }
    Number* of(int vector) const { return of(vector, turned); }
    int own() const { return own_points; }

    void fill(int width, int vector) const {
        launch::each(copies_until[width], Halo<Number>{copies, of(vector)});
    }

    void gradients(GradientSearch& search, std::vector<EllipticOnDevice::Residual>& history) {
        here = {search};
        here.unit = SumUnit::for_largest(search.largest);
        device->copy(states.at, &here, sizeof here, Device::Way::to_device);
        const bool begun = turned;
        for (sum();;) {
            repeat(cycle, [&] {
                for (int n = 0; n < cycles; ++n) gradients(turned != (n % 2 == 1));
            });
            device->copy(&here, states.at, sizeof here, Device::Way::to_host);
            turned = begun != (here.launches % 2 == 1);
            if (here.search.next == GradientSearch::Next::nothing) break;
            if (here.search.next == GradientSearch::Next::sums) anew();
        }
        search = here.search;
        history.resize(here.noted);
        if (here.noted)
            device->copy(history.data(), residuals.at, history.size() * sizeof history[0],
                         Device::Way::to_host);
    }

    double sweeps(std::span<const TwoSteps> list, SumUnit unit) {
        const int count = int(list.size());
        for (int n = 0; n < count; ++n) stretch.steps[n] = {list[n], true};
        stretch.unit = unit;
        device->copy(stretches.at, &stretch, sizeof stretch, Device::Way::to_device);
        const Stretch* const there = (const Stretch*)stretches.at;
        const bool after = turned != ((count + 1) / 2 % 2 == 1);
        auto all = [&] {
            bool turn = turned;
            for (int n = 0; n < count; n += 2, turn = !turn)
                n + 1 < count ? sweep<2>(there->steps + n, turn) : sweep<1>(there->steps + n, turn);
            launch::totals<3>(
                own(), ScaledSquare<Number>{water.wet, of(r, turn), water.square, &there->unit},
                ((Stretch*)stretches.at)->total);
        };
        if (count == most_sweeps || count == most_sweeps / 2)
            repeat(count == most_sweeps ? whole : half, all);
        else
            all();
        turned = after;
        std::int64_t total[3];
        device->copy(total, there->total, sizeof total, Device::Way::to_host);
        return total[2] ? std::numeric_limits<double>::quiet_NaN()
                        : rounded(total[0], total[1], unit);
    }

private:
    std::shared_ptr<Device> device;
    int numbers, tile_count;
    const EllipticPoints::Tile* tiles;
    const int* source;
    int own_points, fold;
    std::array<int, EllipticPoints::halo + 1> copies_until;
    const EllipticPoints::Copy* copies;
    int room;
    DeviceMemory coefficients[4], vectors, states, stretches, residuals;
    Water<Number> water;
    State here = {};
    Stretch stretch = {};
    bool turned = false;  // r and s are where r_next and s_next are otherwise
    enum Work { cycle, half, whole, works };
    std::unique_ptr<Device::Recording> recorded[works][2];

    static DeviceMemory on_device(const std::shared_ptr<Device>& device,
                                  const std::vector<Number>& numbers) {
        return fathom::on_device(device, numbers.data(), numbers.size());
    }
    static const Number* numbers_of(const DeviceMemory& memory) { return (const Number*)memory.at; }
    State* state() const { return (State*)states.at; }

    Number* of(int vector, bool turn) const {
        if (turn && vector != y) vector = (vector + r_next) % (2 * r_next);
        return (Number*)vectors.at + std::size_t(vector) * numbers;
    }
    template <class F> void repeat(Work which, F work) {
        if (!device->records()) return work();
        auto& recording = recorded[which][turned];
        if (!recording) device->record(), work(), recording = device->recorded();
        recording->replay();
    }
    OnTiles<Number> on_tiles(bool turn) const {
        return {water, tiles, source, of(r, turn), of(s, turn), of(r, !turn), of(s, !turn), of(y)};
    }
    Decide decide() const { return {state(), (EllipticOnDevice::Residual*)residuals.at, room}; }
    void gradients(bool turn) const {
        using Work = Gradients<Number>;
        launch::tiles_and_totals<Work::threads, Work::each_has, typename Work::Shared, words>(
            tile_count, Work{on_tiles(turn), decide()}, state()->total, &state()->finished);
    }
    template <int pairs> void sweep(const Steps* steps, bool turn) const {
        using Work = Sweep<Number, pairs>;
        launch::tiles<Work::threads, Work::each_has, typename Work::Shared>(
            tile_count, Work{on_tiles(turn), steps});
    }
    void sum() const {
        fill(2, r);
        launch::totals<words>(own(), Sums<Number>{water, state(), of(r), fold}, state()->total);
        launch::each(1, decide());
    }
    void anew() const {
        launch::largest<1>(own(), ScaledSize<Number>{water.wet, of(r), water.square},
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
          tiles(on_device(device, points.tiles.data(), points.tiles.size())),
          source(on_device(device, points.source.data(), points.source.size())),
          right_side(device, sizeof(double) * numbers),
          found(device, sizeof(Squares)),
          part(device, points, points.in_double, (const int*)wet.at,
               (const EllipticPoints::Copy*)copies.at, (const EllipticPoints::Tile*)tiles.at,
               (const int*)source.at) {
        if (!points.in_single.sum.empty())
            single = std::make_unique<Part<float>>(
                device, points, points.in_single, (const int*)wet.at,
                (const EllipticPoints::Copy*)copies.at, (const EllipticPoints::Tile*)tiles.at,
                (const int*)source.at);
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
        launch::largest<1>(part.own(), Size{(*part).wet, part.of(part.r)}, largest());
        return squares();
    }
    Squares residual() override {
        part.fill(1, part.y);
        device->clear(found.at, found.bytes);
        launch::largest<1>(part.own(), Subtract{*part, b(), part.of(part.y), part.of(part.r)},
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
    double sweeps(bool in_single, std::span<const TwoSteps> list, SumUnit unit) override {
        return in_single ? single->sweeps(list, unit) : part.sweeps(list, unit);
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
    DeviceMemory wet, copies, tiles, source, right_side, found;
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
        launch::totals<Limbs::words>(part.own(), Square{(*part).wet, part.of(part.r), largest()},
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
