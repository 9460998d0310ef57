/// Topology: maps a point (i, j) of the unbounded index plane to the owned point it shows.
/// Zero-based; i east, j north.
///
///   periodic            i -> i mod nx
///   periodic_j          j -> j mod ny, of a plane
///   fold (tripolar)     the northern edge is joined to itself along corner row ny-1, nx even,
///                       i mod nx:
///                         center      (i, j) = (nx-1-i, 2 ny-1-j)      j >= ny
///                         east_face   (i, j) = (nx-2-i, 2 ny-1-j)      j >= ny
///                         corner      (i, j) = (nx-2-i, 2 ny-2-j)      j >= ny-1
///                         north_face  (i, j) = (nx-1-i, 2 ny-2-j)      j >= ny-1
///                       Row ny-1 of corners and north faces is its own mirror image.
/// A point on the seam has two pairs of indices. The original is the one with i < nx/2; the two
/// corners that are their own mirror image (the grid poles nx/2-1 and nx-1) are originals too: land
/// in any sensible grid, and a vector there is zero.
#pragma once
#include "grid/place.hpp"

namespace fathom {

struct Topology {
    int nx, ny;
    bool periodic, fold, periodic_j = false;
    /// flipped: a vector component changes its sign.
    struct Source {
        int i, j;
        bool inside, flipped;
    };
    /// Mirrors about a corner, else about a center.
    static bool mirrors_about_corner(Horizontal place) {
        return place == Horizontal::corner || place == Horizontal::east_face;
    }
    static bool lies_on_seam(Horizontal place) {
        return place == Horizontal::corner || place == Horizontal::north_face;
    }
    Source source(Horizontal horizontal, int i, int j) const {
        const bool beyond = i < 0 || i >= nx;
        if (periodic_j) j = (j % ny + ny) % ny;
        if (j < 0 || (beyond && !periodic)) return {i, j, false, false};
        if (beyond) i = (i % nx + nx) % nx;
        const bool seam = lies_on_seam(horizontal);
        if (!fold || j < ny - seam) return {i, j, j < ny, false};
        const int mirror = mirrors_about_corner(horizontal) ? (2 * nx - 2 - i) % nx : nx - 1 - i;
        if (j == ny - 1 && i <= mirror) return {i, j, true, false};  // seam: the original half
        j = 2 * ny - 1 - seam - j;
        return {mirror, j, j >= 0, true};
    }
};

}  // namespace fathom
