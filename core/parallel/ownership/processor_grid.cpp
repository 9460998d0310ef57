#include "parallel/ownership/processor_grid.hpp"
#include <cstdint>
#include <functional>

namespace fathom {

namespace {

/// The last position from begin to end that fits.
template <class Fits> int furthest(int begin, int end, Fits fits) {
    int low = begin;
    while (low < end) {
        const int middle = (low + end + 1) / 2;
        if (fits(middle))
            low = middle;
        else
            end = middle - 1;
    }
    return low;
}

Cuts evenly(int n, int pieces) {
    Cuts c;
    for (int p = 0; p <= pieces; ++p) c.push_back(int(std::int64_t(n) * p / pieces));
    return c;
}

/// n over k
double choices(int n, int k) {
    double c = 1;
    for (int m = 1; m <= k; ++m) c *= double(n - k + m) / m;
    return c;
}

/// All ways to cut [0, n).
template <class Visit> void for_all_cuts(int n, int pieces, Visit visit) {
    Cuts c(pieces + 1);
    c[0] = 0;
    c[pieces] = n;
    std::function<void(int)> next = [&](int p) {
        if (p == pieces) return visit(c);
        for (int x = c[p - 1] + 1; x <= n - (pieces - p); ++x) c[p] = x, next(p + 1);
    };
    next(1);
}

}  // namespace

double ProcessorGrid::time(const Cuts& i, const Cuts& j) const {
    double worst = 0;
    for (int a = 0; a < px; ++a)
        for (int b = 0; b < py; ++b)
            worst = std::max(worst, work.block(i[a], j[b], i[a + 1] - i[a], j[b + 1] - j[b]));
    return worst;
}

Cuts ProcessorGrid::scaled(Cuts units) const {
    for (int& x : units) x = columns(x);
    return units;
}

Cuts ProcessorGrid::rows_for(const Cuts& i) const {
    return even_pieces(t.ny, py, most(), [&](int j0, double limit) {
        return furthest(j0, t.ny, [&](int j1) {
            for (int a = 0; a < px; ++a)
                if (work.block(i[a], j0, i[a + 1] - i[a], j1 - j0) > limit) return false;
            return true;
        });
    });
}

Cuts ProcessorGrid::columns_for(const Cuts& j) const {
    return scaled(even_pieces(units(), px, most(), [&](int n0, double limit) {
        return furthest(n0, units(), [&](int n1) {
            const int i0 = columns(n0), nx = columns(n1) - i0;
            for (int b = 0; b < py; ++b)
                if (work.block(i0, j[b], nx, j[b + 1] - j[b]) > limit) return false;
            return true;
        });
    }));
}

/// Keeps these cuts if they are better than the best so far; returns whether they are.
bool ProcessorGrid::keep(const Cuts& i, const Cuts& j) {
    const double x = time(i, j);
    if (!(x < least)) return false;
    least = x, found = {i, j};
    return true;
}

ProcessorGrid::Lattice ProcessorGrid::best() {
    const double few = std::min(400., 20000. / (px * py));
    if (choices(units() - 1, px - 1) <= few)
        for_all_cuts(units(), px, [&](const Cuts& n) {
            const Cuts i = scaled(n);
            keep(i, rows_for(i));
        });
    else if (choices(t.ny - 1, py - 1) <= few)
        for_all_cuts(t.ny, py, [&](const Cuts& j) { keep(columns_for(j), j); });
    else
        take_turns();
    for (bool better = px * py <= 64; better;) {
        better = shift_columns();
        better |= shift_rows();
    }
    return found;
}

/// Improves rows and columns in turn; tries both orders.
void ProcessorGrid::take_turns() {
    for (bool rows_first : {false, true}) {
        Cuts i = scaled(evenly(units(), px)), j = evenly(t.ny, py);
        for (bool rows = rows_first;; rows = !rows) {
            if (rows)
                j = rows_for(i);
            else
                i = columns_for(j);
            if (!keep(i, j) && rows != rows_first) break;
        }
    }
}

/// Moves single cuts a little in both directions at once: alternation cannot find such changes.
bool ProcessorGrid::shift_columns() {
    bool better = false;
    for (int c = 1; c < px; ++c)
        for (int step : {-2, -1, 1, 2}) {
            Cuts i = found.i;
            i[c] = std::clamp(i[c] + step * unit, 0, t.nx);
            if (i[c] > i[c - 1] && i[c] < i[c + 1]) better |= keep(i, rows_for(i));
        }
    return better;
}

bool ProcessorGrid::shift_rows() {
    bool better = false;
    for (int c = 1; c < py; ++c)
        for (int step : {-4, -2, -1, 1, 2, 4}) {
            Cuts j = found.j;
            j[c] += step;
            if (j[c] > j[c - 1] && j[c] < j[c + 1]) better |= keep(columns_for(j), j);
        }
    return better;
}

}  // namespace fathom
