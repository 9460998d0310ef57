/// Order of elimination by nested dissection (George 1973, SIAM J. Numer. Anal. 10): a set of
/// points is cut into two along a line of the grid; the separator of the halves is eliminated after
/// both. For a symmetric matrix on n points of a surface the factor then has about 8 n log2(sqrt n)
/// numbers below the diagonal. The order depends on the graph and the coordinates alone.
#pragma once
#include <cstdint>
#include <vector>

namespace fathom {

/// Neighbours of point p: neighbour[first[p]] to neighbour[first[p + 1] - 1], in any order, p
/// itself not among them; symmetric.
struct Graph {
    std::vector<int> first, neighbour;
    std::vector<int> x, y;  ///< coordinates, along which sets are cut
    int points() const { return int(x.size()); }
};

/// A node of the tree: a separator, or a leaf. Its points are eliminated one after another, after
/// those of its children.
struct EliminationNode {
    int first, pivots;  ///< positions first ... first + pivots - 1 in the order
    int parent = -1;
    int subtree = 0;  ///< the first node of its subtree: nodes are numbered children first
    std::vector<int> boundary;  ///< positions after the node that its elimination changes, rising
    /// Their positions in the parent: its pivots first, then its boundary.
    std::vector<int> to_parent;
    int size() const { return pivots + int(boundary.size()); }
};

struct EliminationTree {
    std::vector<int> position;           ///< of each point
    std::vector<int> point;              ///< at each position
    std::vector<EliminationNode> nodes;  ///< the last is the root
    std::vector<std::vector<int>> children;
    /// Sets of at most `leaf` points are not cut any more.
    EliminationTree(const Graph&, int leaf);
};

}  // namespace fathom
