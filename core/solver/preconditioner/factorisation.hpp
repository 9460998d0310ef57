/// The matrix of the free surface (elliptic.hpp) factorised by nested dissection: with this
/// preconditioner conjugate gradients need two or three iterations. Multifrontal (Duff & Reid 1983,
/// ACM TOMS 9): with F the pivots of a node of the tree and U its boundary,
///   forward    b_F, b_U = r_F, 0 + updates of the children;     W = inverse(A_FF) A_FU;
///              the node passes on b_U - W' b_F
///   backward   z_F = inverse(A_FF) b_F - W z_U
/// with A_FF, A_FU after the elimination of the nodes below. Computed in fp64, kept in fp32: some
/// 70 numbers per point.
///
/// Subtrees are distributed to ranks and threads; every rank computes the few nodes above them for
/// itself. The terms that a node adds, and their order, follow from the tree alone: the same bits
/// on any ranks, blocks and threads. An application needs three messages.
#pragma once
#include "solver/elliptic.hpp"
#include "solver/preconditioner/elimination.hpp"

namespace fathom {

class FrontMatrix;
struct WholeMatrix;

class Factorisation {
public:
    /// Collective. Every rank holds the graph of the whole grid: meant for some 100 000 points.
    Factorisation(MPI_Comm, const Topology&, const EllipticOperator<double>&);
    /// Array `to` = about inverse(A) times array `from`, at own points. `scale` brings `from` to
    /// size 1. Collective.
    void apply(const EllipticOperator<double>&, int from, int to, double scale);
    /// Kept by this rank.
    std::size_t numbers() const { return inverses.size() + couplings.size(); }
    double seconds = 0;  ///< in `apply`

private:
    static constexpr int leaf = 16;  // points of a set that is not cut any more
    /// A node as it is applied. Offsets: of inverse(A_FF) and W in `inverses` and `couplings`; of
    /// its boundary in `boundary`, `to_parent` and `left`.
    struct Front {
        int first, pivots, size, children[2];
        std::size_t inverse, coupling, at;
    };
    /// Contiguous own points.
    struct Span {
        int row, column, count;
    };
    /// By lists of items: those that go to each rank, and the places of those that come from each.
    struct Transfer {
        struct Side {
            std::vector<int> items, count, first;
        } send, receive;
        int partners = 0;  // of its meetings (parallel/meeting.hpp), as the next two
        long messages = 0;
        double bytes = 0;
        void meet(int rank);
    };
    /// A_UU - X' X of each node, until its parent has used it.
    using Remainders = std::vector<std::vector<double>>;

    MPI_Comm comm;
    int rank, ranks;
    std::vector<Front> fronts;             // children first
    std::vector<int> boundary, to_parent;  // of all fronts, one after another
    std::vector<int> subtree;              // the first front of each one's subtree
    std::vector<int> owner;                // of each node: a rank, or -1 if every rank computes it
    std::vector<int> subtrees;             // roots of own ones, the largest first
    std::vector<int> all_subtrees;         // roots of all ranks, rising
    std::vector<int> above;                // nodes above all subtrees, children first
    std::vector<float> inverses, couplings;
    std::vector<float> left;    // for the parent
    std::vector<float> value;   // b at positions, then z
    std::vector<float> points;  // own ones, in the order of `spans`
    std::vector<Span> spans;
    std::size_t own_points = 0;
    Transfer up, down;                            // own points -> positions, and back
    std::vector<int> leaves_count, leaves_first;  // of the subtrees of each rank
    std::vector<float> outbox, inbox;
    std::vector<std::vector<float>> work;  // of each thread

    void list_spans(const EllipticOperator<double>&);
    void share_out(const EliminationTree&);
    void plan_transfers(const WholeMatrix&, const EliminationTree&);
    void factorise(const WholeMatrix&, const EliminationTree&);
    void lay_out_fronts(const EliminationTree&);
    void eliminate(int node, const WholeMatrix&, const EliminationTree&, Remainders&);
    static void put_rows(const EliminationNode&, const WholeMatrix&, const EliminationTree&,
                         FrontMatrix&);
    static void add_remainder(const std::vector<int>& to, const std::vector<double>& remainder,
                              FrontMatrix&);
    void share_remainders(const EliminationTree&, Remainders&);
    void check_finite() const;
    void take_points(const EllipticOperator<double>&, int from, double scale);
    void give_points(const EllipticOperator<double>&, int to, double scale) const;
    void share_tops();
    void forward(int node, float* work);
    void backward(int node, float* work);
    void exchange(const Transfer&, const std::vector<float>& from, std::vector<float>& to);
    template <class F> void for_subtrees(F body);
};

}  // namespace fathom
