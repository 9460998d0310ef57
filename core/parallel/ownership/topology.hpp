/// Topology: which owned point a point (i, j) of the unbounded index plane is. Zero-based; i east,
/// j north.
///
///   periodic            i -> i mod nx
///   fold (tripolar)     the northern edge is sewn to itself along corner row ny-1, nx even,
///       i mod nx:
///                         center      (i, j) = (nx-1-i, 2 ny-1-j)      j >= ny
///                         east_face   (i, j) = (nx-2-i, 2 ny-1-j)      j >= ny
///                         corner      (i, j) = (nx-2-i, 2 ny-2-j)
///                             j >= ny-1: row ny-1 is its own mirror image
///                         north_face  (i, j) = (nx-1-i, 2 ny-2-j)      j >= ny-1
/// A point on the seam has two names. The original is the one with i < nx/2; the two corners that
/// are their own mirror image (the grid poles nx/2-1 and nx-1) are originals too: land in any
/// sensible grid, and a vector there is zero.
#pragma once
#include "grid/place.hpp"

namespace fathom {

struct Topology {
    int nx, ny;
    bool periodic, fold;
    struct Source {
        int i, j;
        bool inside, flipped;
    };  ///< flipped: a vector component changes its sign
    Source source(Horizontal horizontal, int i, int j) const {
        if (j < 0) return {i, j, false, false};
        if (periodic) {
            if (i < 0 || i >= nx) i = (i % nx + nx) % nx;
        } else if (i < 0 || i >= nx)
            return {i, j, false, false};
        const bool wide =
            horizontal == Horizontal::corner ||
            horizontal == Horizontal::east_face;  // mirrors about a corner, or a center
        const bool seam = horizontal == Horizontal::corner ||
                          horizontal == Horizontal::north_face;  // has points on the seam itself
        if (!fold || j < ny - seam) return {i, j, j < ny, false};
        const int mirror = wide ? (2 * nx - 2 - i) % nx : nx - 1 - i;
        if (j == ny - 1 && i <= mirror) return {i, j, true, false};  // seam: the original half
        j = 2 * ny - 1 - seam - j;
        return {mirror, j, j >= 0, true};
    }
};

}  // namespace fathom
