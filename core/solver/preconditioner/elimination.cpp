#include "solver/preconditioner/elimination.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace fathom {

namespace {

/// Cuts sets of points into halves, recursively.
class Dissection {
public:
    Dissection(const Graph& g, EliminationTree& tree, int leaf)
        : graph(g), tree(tree), leaf(leaf), side(g.points(), 0) {
        std::vector<int> all(g.points());
        std::iota(all.begin(), all.end(), 0);
        build(all);
    }

private:
    const Graph& graph;
    EliminationTree& tree;
    int leaf;
    std::vector<std::int8_t> side;  // of points of the current set: 1 low, 2 high; 0 elsewhere
    /// half: the side from which the separator is taken.
    struct Cut {
        const std::vector<int>* coordinate = nullptr;
        int at = 0, half = 0;
        double cost = 0;
    };

    void divide(std::span<const int> set, const std::vector<int>& coordinate, int at) {
        for (int p : set) side[p] = coordinate[p] < at ? 1 : 2;
    }
    bool touches(int p) const {  // has a neighbour in the other half
        for (int n = graph.first[p]; n < graph.first[p + 1]; ++n)
            if ((side[graph.neighbour[n]] ^ side[p]) == 3) return true;
        return false;
    }

    /// Tries cuts near the median of a coordinate. The separator: the points of one half that
    /// have neighbours in the other.
    void consider(std::span<const int> set, const std::vector<int>& coordinate, Cut& best) {
        std::vector<int> values, tried;
        for (int p : set) values.push_back(coordinate[p]);
        std::ranges::sort(values);
        for (double part : {0.5, 0.45, 0.55, 0.4, 0.6}) {
            // low: coordinate < at
            const int at =
                std::max(values[std::size_t(double(values.size()) * part)], values.front() + 1);
            if (std::ranges::find(tried, at) != tried.end() || at > values.back()) continue;
            tried.push_back(at);
            divide(set, coordinate, at);
            double size[3] = {0, 0, 0}, separator[3] = {0, 0, 0};
            for (int p : set) size[side[p]] += 1, separator[side[p]] += touches(p);
            for (int half : {1, 2}) {
                const double rest = size[half] - separator[half], other = size[3 - half];
                const double cost =
                    separator[half] + 0.3 * std::abs(rest - other) / std::sqrt(double(set.size()));
                if (rest > 0 && (!best.coordinate || cost < best.cost))
                    best = {&coordinate, at, half, cost};
            }
            if (set.size() < 256) break;
        }
    }

    int build(std::span<const int> set) {
        std::vector<int> children;
        std::vector<int> own(set.begin(), set.end());
        if (int(set.size()) > leaf) {
            Cut best;
            consider(set, graph.x, best);
            consider(set, graph.y, best);
            if (best.coordinate) {
                std::vector<int> part[3];
                divide(set, *best.coordinate, best.at);
                for (int p : set)
                    part[side[p] == best.half && touches(p) ? 0 : side[p]].push_back(p);
                for (int p : set) side[p] = 0;
                children = {build(part[1]), build(part[2])};
                own = std::move(part[0]);
            } else
                for (int p : set) side[p] = 0;
        }
        const int node = int(tree.nodes.size()), first = int(tree.point.size());
        tree.nodes.push_back({first, int(own.size())});
        tree.nodes.back().subtree = node;
        for (int c : children)
            tree.nodes[c].parent = node,
            tree.nodes[node].subtree = std::min(tree.nodes[node].subtree, tree.nodes[c].subtree);
        for (int p : own) tree.position[p] = int(tree.point.size()), tree.point.push_back(p);
        tree.children.push_back(std::move(children));
        return node;
    }
};

}  // namespace

EliminationTree::EliminationTree(const Graph& graph, int leaf) : position(graph.points(), -1) {
    Dissection(graph, *this, leaf);
    std::vector<int> seen(graph.points(), -1);  // the last node that saw a position
    for (int n = 0; n < int(nodes.size()); ++n) {
        auto& node = nodes[n];
        const int end = node.first + node.pivots;
        auto meet = [&](int at) {
            if (at >= end && seen[at] != n) seen[at] = n, node.boundary.push_back(at);
        };
        for (int at = node.first; at < end; ++at)
            for (int e = graph.first[point[at]]; e < graph.first[point[at] + 1]; ++e)
                meet(position[graph.neighbour[e]]);
        for (int c : children[n])
            for (int at : nodes[c].boundary) meet(at);
        std::ranges::sort(node.boundary);
        for (int c : children[n])
            for (int at : nodes[c].boundary)
                nodes[c].to_parent.push_back(
                    at < end ? at - node.first
                             : node.pivots + int(std::ranges::lower_bound(node.boundary, at) -
                                                 node.boundary.begin()));
    }
}

}  // namespace fathom
