#include "performance/measured_layouts.hpp"
#include <algorithm>
#include <array>
#include "base/error.hpp"
#include "machine/spent.hpp"

namespace fathom {

static constexpr int cell = 8;  // columns

MeasuredLayouts::MeasuredLayouts(int nx, int ny, std::span<const std::uint8_t> given)
    : nx(nx),
      ny(ny),
      row((nx + 2 * border + cell - 1) / cell * cell),
      wet(given.begin(), given.end()),
      flat(std::size_t(ny + 2) * row + border) {
    if (wet.size() != std::size_t(nx) * ny)
        throw Error("wet has ", wet.size(), " points, not ", nx, " x ", ny);
    fill();
    number();
    cut();
}

bool MeasuredLayouts::is_wet(int j, int i) const {
    return j >= 0 && j < ny && i >= 0 && i < nx && wet[std::size_t(j) * nx + i];
}

/// A number of each pair of wet points; it depends on where they are alone.
void MeasuredLayouts::fill() {
    const auto made = [](std::size_t n) { return 0.5 + double(n * 2654435761u % 1024) / 1024; };
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            if (!is_wet(j, i)) continue;
            const std::size_t n = at(j, i);
            flat.x[n] = made(n), flat.C[n] = -8 * made(n + 1);
            if (is_wet(j, i + 1)) flat.E[n] = made(n + 2);
            if (is_wet(j + 1, i)) flat.N[n] = made(n + 3);
            if (is_wet(j + 1, i + 1)) flat.NE[n] = made(n + 4);
            if (is_wet(j + 1, i - 1)) flat.NW[n] = made(n + 5);
        }
}

/// The places of water: two dry points between pieces of a row and around it.
void MeasuredLayouts::number() {
    place.assign(wet.size(), -1);
    std::int64_t next = 2;
    for (int j = 0; j < ny; ++j) {
        int last = -3;  // wet column
        for (int i = 0; i < nx; ++i) {
            if (!is_wet(j, i)) continue;
            next += last < 0 ? 2 : std::min(i - last - 1, 2);
            place[std::size_t(j) * nx + i] = next++, last = i;
        }
    }
    dense = Memory(std::size_t(next) + 3);
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
            if (const auto to = place[std::size_t(j) * nx + i]; to >= 0) {
                const std::size_t n = at(j, i);
                dense.x[to] = flat.x[n], dense.C[to] = flat.C[n], dense.E[to] = flat.E[n];
                dense.N[to] = flat.N[n], dense.NE[to] = flat.NE[n], dense.NW[to] = flat.NW[n];
            }
}

/// A piece of one point of the water's vector.
MeasuredLayouts::Piece MeasuredLayouts::piece_of(int j, int i) const {
    const auto here = place[std::size_t(j) * nx + i];
    const auto towards = [&](int to) {
        for (int k = -1; k <= 1; ++k)
            if (is_wet(to, i + k)) return int(place[std::size_t(to) * nx + i + k] - k - here);
        return 0;
    };
    const int south = towards(j - 1);
    return {int(here), 1, towards(j + 1), south, south != 0};
}

/// The pieces of the rectangle and of its cells.
void MeasuredLayouts::cut() {
    for (int j = 0; j < ny; ++j) {
        rows.push_back({int(at(j, 0)), nx, row, -row, true});
        for (int i = 0; i < nx; i += cell) {
            bool any = false;
            for (int k = i; k < i + cell; ++k) any = any || is_wet(j, k);
            if (any) join(cells, {int(at(j, i)), cell, row, -row, true});
        }
        for (int i = 0; i < nx; ++i)
            if (is_wet(j, i)) join(pieces, piece_of(j, i));
    }
}

/// A distance that both have, or one of them; 0: none.
static bool agree(int& kept, int own) {
    if (kept && own && kept != own) return false;
    if (!kept) kept = own;
    return true;
}

void MeasuredLayouts::join(std::vector<Piece>& list, const Piece& p) {
    Piece* last = list.empty() ? nullptr : &list.back();
    const bool follows = last && last->first + last->count == p.first,
               alike = follows && last->looks_south == p.looks_south &&
                       (!p.looks_south || last->south == p.south);
    if (alike && agree(last->north, p.north))
        last->count += p.count;
    else
        list.push_back(p);
}

void MeasuredLayouts::multiply(Memory& m, const std::vector<Piece>& list) {
    for (const Piece& p : list) {
        const double *x = m.x.data() + p.first, *C = m.C.data() + p.first,
                     *E = m.E.data() + p.first, *N = m.N.data() + p.first,
                     *NE = m.NE.data() + p.first, *NW = m.NW.data() + p.first;
        double* y = m.y.data() + p.first;
        const auto own = [&](int n) {
            const double* up = x + p.north;
            return C[n] * x[n] + E[n] * x[n + 1] + E[n - 1] * x[n - 1] + N[n] * up[n] +
                   NE[n] * up[n + 1] + NW[n] * up[n - 1];
        };
        const int s = p.south;
        if (p.looks_south) {
#pragma omp simd
            for (int n = 0; n < p.count; ++n)
                y[n] = own(n) + N[n + s] * x[n + s] + NE[n + s - 1] * x[n + s - 1] +
                       NW[n + s + 1] * x[n + s + 1];
        } else {
#pragma omp simd
            for (int n = 0; n < p.count; ++n) y[n] = own(n);
        }
    }
}

const std::vector<MeasuredLayouts::Piece>& MeasuredLayouts::list(std::string_view layout) const {
    if (layout == "rectangle") return rows;
    if (layout == "cells") return cells;
    if (layout == "water") return pieces;
    throw Error("no layout '", layout, "'; there are rectangle, cells, water");
}

double MeasuredLayouts::product(std::string_view layout) {
    const auto& all = list(layout);
    Memory& m = layout == "water" ? dense : flat;
    const double began = work_now();
    multiply(m, all);
    return work_now() - began;
}

double MeasuredLayouts::bytes(std::string_view layout) const {
    double points = 0;
    for (const Piece& p : list(layout)) points += p.count;
    if (layout == "water") points = double(dense.x.size());
    return points * 7 * sizeof(double) + double(list(layout).size()) * sizeof(Piece);
}

std::vector<double> MeasuredLayouts::result(std::string_view layout) const {
    list(layout);
    std::vector<double> found;
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
            if (is_wet(j, i))
                found.push_back(layout == "water" ? dense.y[place[std::size_t(j) * nx + i]]
                                                  : flat.y[at(j, i)]);
    return found;
}

}  // namespace fathom
