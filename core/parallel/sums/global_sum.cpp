#include "parallel/sums/global_sum.hpp"
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include "base/error.hpp"
#include "parallel/meeting.hpp"
#include "parallel/sums/words.hpp"
#include "parallel/window.hpp"

namespace fathom {

namespace {
std::size_t together = 0;
}
void sum_together(std::size_t words) { together = words; }

GlobalSum::GlobalSum(MPI_Comm comm) : comm(comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
}
void GlobalSum::start(std::span<std::int64_t> values) {
    if (values.size() > most_words)
        throw Error("a global sum of ", values.size(), " numbers; the most is ", most_words);
    floating = false;
    words = {(std::uint64_t*)values.data(), values.size()};
    if (ranks > 1) give();
}
void GlobalSum::start(std::span<double> values) {
    if (values.size() > most_words)
        throw Error("a global sum of ", values.size(), " numbers; the most is ", most_words);
    floating = true;
    words = {(std::uint64_t*)values.data(), values.size()};
    if (ranks > 1) give();
}
/// Sums the words in parts of `together`; starts the last part, and completes those before it.
void GlobalSum::give() {
    const auto take = [this](Words some) {
        words = some;
        began = seconds_now();
        begin();
        beginning = seconds_now() - began;
    };
    Words left = words;
    for (; together && left.size() > together; left = left.subspan(together)) {
        take(left.first(together));
        finish();
    }
    take(left);
}
void GlobalSum::finish() {
    if (ranks == 1) return;
    const double t = seconds_now();
    complete();
    const double bytes = double(words.size_bytes());
    if (overlaps())
        meetings.note(comm, Meetings::everybody, began, t, seconds_now(), beginning, 1, bytes);
    else
        meetings.note(comm, Meetings::everybody, began, began, began + beginning, 0, 1, bytes);
}
void GlobalSum::add(Words to, const std::uint64_t* from) const {
    if (floating)
        for (std::size_t n = 0; n < to.size(); ++n)
            to[n] = std::bit_cast<std::uint64_t>(std::bit_cast<double>(to[n]) +
                                                 std::bit_cast<double>(from[n]));
    else
        for (std::size_t n = 0; n < to.size(); ++n) to[n] += from[n];
}

namespace {

using Buffer = std::array<std::uint64_t, GlobalSum::most_words>;

/// A place for the flag of a sum, its count, and then its numbers: up to seven come in one cache
/// line with their flag. Each place begins a line, as others are written by other ranks.
constexpr std::size_t place = (1 + GlobalSum::most_words + 7) / 8 * 8;

struct Library final : GlobalSum {
    using GlobalSum::GlobalSum;
    void begin() override {
        MPI_Allreduce(MPI_IN_PLACE, words.data(), int(words.size()), type(), MPI_SUM, comm);
    }
};

struct NonBlocking final : GlobalSum {
    using GlobalSum::GlobalSum;
    MPI_Request request = MPI_REQUEST_NULL;
    Buffer mine;
    bool overlaps() const override { return true; }
    void begin() override {
        std::ranges::copy(words, mine.begin());
        MPI_Iallreduce(mine.data(), words.data(), int(words.size()), type(), MPI_SUM, comm,
                       &request);
    }
    void complete() override { MPI_Wait(&request, MPI_STATUS_IGNORE); }
};

/// Tags of messages: not those of halos, which may be under way on the same communicator and whose
/// receives may not have been posted.
enum Tag { up = 11, down, across };

/// In round r each rank exchanges with rank xor 2^r and adds, the lower rank's number first, so all
/// have the same bits. Ranks beyond the largest power of two send their numbers to rank - power
/// before, and receive the sum after.
struct RecursiveDoubling final : GlobalSum {
    using GlobalSum::GlobalSum;
    void begin() override {
        const int power = int(std::bit_floor(unsigned(ranks))), n = int(words.size());
        Buffer other;
        if (rank >= power) {
            MPI_Send(words.data(), n, MPI_UINT64_T, rank - power, up, comm);
            MPI_Recv(words.data(), n, MPI_UINT64_T, rank - power, down, comm, MPI_STATUS_IGNORE);
            return;
        }
        if (rank + power < ranks) {
            MPI_Recv(other.data(), n, MPI_UINT64_T, rank + power, up, comm, MPI_STATUS_IGNORE);
            add(words, other.data());
        }
        for (int step = 1; step < power; step *= 2) {
            const int partner = rank ^ step;
            MPI_Sendrecv(words.data(), n, MPI_UINT64_T, partner, across, other.data(), n,
                         MPI_UINT64_T, partner, across, comm, MPI_STATUS_IGNORE);
            if (partner < rank) {
                add({other.data(), words.size()}, words.data());
                std::copy_n(other.begin(), n, words.begin());
            } else
                add(words, other.data());
        }
        if (rank + power < ranks) MPI_Send(words.data(), n, MPI_UINT64_T, rank + power, down, comm);
    }
};

/// Adds up partial sums in rounds (Hensgen, Finkel, Manber 1988, with sums for signals): in round r
/// the sum of 2^r ranks that end at this one goes on to rank + 2^r. The binary digits of the number
/// of ranks say which of these sums make that of all; they overlap nowhere. Floating-point numbers
/// travel each by itself, in as many rounds (Bruck 1997), and are added in the order of ranks: the
/// same bits on all.
struct Dissemination final : GlobalSum {
    using GlobalSum::GlobalSum;
    std::vector<std::uint64_t> all;  // numbers of this rank and of those after it
    void begin() override { floating ? one_by_one() : in_partial_sums(); }
    /// Sends to the rank so far ahead; receives from the one so far behind.
    void pass(const std::uint64_t* give, std::uint64_t* take, int numbers, int ahead) {
        const int to = (rank + ahead + ranks) % ranks, from = (rank - ahead + ranks) % ranks;
        MPI_Sendrecv(give, numbers, MPI_UINT64_T, to, across, take, numbers, MPI_UINT64_T, from,
                     across, comm, MPI_STATUS_IGNORE);
    }
    void in_partial_sums() {
        const int n = int(words.size());
        Buffer some, other;  // some: the sum of `step` ranks that end at this one
        std::ranges::copy(words, some.begin());
        int summed = 0;  // ranks whose sum `words` are
        for (int step = 1; step <= ranks; step *= 2) {
            if (ranks & step) {
                if (summed)
                    pass(some.data(), other.data(), n, summed), add(words, other.data());
                else
                    std::copy_n(some.begin(), n, words.begin());
                summed += step;
            }
            if (2 * step > ranks) break;
            pass(some.data(), other.data(), n, step);
            add({some.data(), words.size()}, other.data());
        }
    }
    void one_by_one() {
        const int n = int(words.size());
        all.resize(std::size_t(ranks) * n);
        std::ranges::copy(words, all.begin());
        for (int step = 1; step < ranks; step *= 2)
            pass(all.data(), all.data() + std::size_t(step) * n, n * std::min(step, ranks - step),
                 -step);
        const auto of = [&](int r) {
            return all.data() + std::size_t((r - rank + ranks) % ranks) * n;
        };
        std::copy_n(of(0), n, words.begin());
        for (int r = 1; r < ranks; ++r) add(words, of(r));
    }
};

/// Who a rank is in a tree, of which rank 0 is the root.
struct Family {
    int parent, position;  // position: among the children of its parent
    std::vector<int> children;
};
/// Children of rank r are r + 1, r + 2, r + 4 ... below the lowest set bit of r.
Family binomial(int rank, int ranks) {
    const int reach = rank ? rank & -rank : int(std::bit_ceil(unsigned(ranks)));
    Family f{rank - reach, std::countr_zero(unsigned(reach)), {}};
    for (int step = 1; step < reach && rank + step < ranks; step *= 2)
        f.children.push_back(rank + step);
    return f;
}
/// Children of rank r are k r + 1 ... k r + k.
template <int k> Family of_degree(int rank, int ranks) {
    Family f{(rank - 1) / k, (rank + k - 1) % k, {}};
    for (int n = 1; n <= k && k * rank + n < ranks; ++n) f.children.push_back(k * rank + n);
    return f;
}

/// Numbers are added on the way up; the sum is sent on the way down, to the farthest child first.
struct Tree final : GlobalSum {
    Family family;
    explicit Tree(MPI_Comm c) : GlobalSum(c), family(binomial(rank, ranks)) {}
    void begin() override {
        const int n = int(words.size());
        Buffer other;
        for (int child : family.children) {
            MPI_Recv(other.data(), n, MPI_UINT64_T, child, up, comm, MPI_STATUS_IGNORE);
            add(words, other.data());
        }
        if (rank) {
            MPI_Send(words.data(), n, MPI_UINT64_T, family.parent, up, comm);
            MPI_Recv(words.data(), n, MPI_UINT64_T, family.parent, down, comm, MPI_STATUS_IGNORE);
        }
        for (auto child = family.children.rbegin(); child != family.children.rend(); ++child)
            MPI_Send(words.data(), n, MPI_UINT64_T, *child, down, comm);
    }
};

/// Each rank puts its numbers into the master's window; barrier; the master adds them in the order
/// of ranks; barrier; each rank gets the sum.
struct MasterBarrier final : GlobalSum {
    Window window;
    explicit MasterBarrier(MPI_Comm c)
        : GlobalSum(c), window(c, rank ? 0 : std::size_t(ranks + 1) * most_words) {}
    void begin() override {
        if (rank) window.put(words, 0, std::size_t(1 + rank) * most_words);
        if (rank) window.flush(0);
        MPI_Barrier(comm);  // all parts are at the first rank
        if (!rank) {
            window.see();
            for (int r = 1; r < ranks; ++r)
                add(words, window.own() + std::size_t(1 + r) * most_words);
            std::ranges::copy(words, window.own());
            window.see();
        }
        MPI_Barrier(comm);  // the sum is there
        if (rank) window.get(words, 0, 0);
    }
};

/// As above, but the numbers of each rank have a flag, the number of the sum, and a rank waits only
/// for the numbers that it needs. Two sets of places alternate. A rank that reuses a place has
/// received the next sum, so all ranks have read the earlier value. Padded: a flag lies before its
/// numbers, in a line of its own; else all flags lie side by side, and each put takes the line away
/// from the master.
template <bool padded> struct MasterFlags final : GlobalSum {
    Window window;
    std::uint64_t count = 0;
    explicit MasterFlags(MPI_Comm c)
        : GlobalSum(c), window(c, (padded ? 0 : 2 * ranks) + 2 * place * (rank ? 1 : ranks)) {}
    std::size_t set(int r) const { return 2 * r + count % 2; }
    std::size_t flag(int r) const { return padded ? place * set(r) : set(r); }
    std::size_t numbers(int r) const { return padded ? flag(r) + 1 : 2 * ranks + place * set(r); }
    void begin() override {
        ++count;
        if (rank) {
            window.put(words, 0, numbers(rank));
            window.signal(0, flag(rank), count);
            window.await(flag(0), count);
            std::copy_n(window.own() + numbers(0), words.size(), words.begin());
            return;
        }
        for (int r = 1; r < ranks; ++r) {
            window.await(flag(r), count);
            add(words, window.own() + numbers(r));
        }
        for (int r = 1; r < ranks; ++r)
            window.put(words, r, numbers(0)), window.signal(r, flag(0), count);
    }
};

/// No flags: a word has arrived if it is not the sentinel, a bit pattern that no word has. A NaN
/// with these bits is sent as another NaN, an integer as two halves, which are never a NaN as
/// doubles. A word is written as a whole (MPI_REPLACE), but perhaps twice. So the reader restores
/// the sentinel one sum later, when the writer has already written to another place.
struct MasterSentinel final : GlobalSum {
    static constexpr std::uint64_t sentinel = 0x7ff4'dead'beef'f00d;
    static constexpr std::size_t place = 2 * most_words;
    Window window;
    std::uint64_t count = 0;
    std::size_t before = 0;  // words of the previous sum
    explicit MasterSentinel(MPI_Comm c) : GlobalSum(c), window(c, 2 * place * (rank ? 1 : ranks)) {
        std::fill_n(window.own(), 2 * place * (rank ? 1 : ranks), sentinel);
        window.see();
        MPI_Barrier(comm);  // all have their sentinels
    }
    std::size_t at(int r) const { return place * (2 * r + count % 2); }
    std::size_t travelling() const { return words.size() * (floating ? 1 : 2); }
    void write(int target, std::size_t to) {
        std::array<std::uint64_t, place> halves;
        for (std::size_t n = 0; n < words.size(); ++n) {
            if (floating)
                halves[n] =
                    words[n] == sentinel
                        ? std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN())
                        : words[n];
            else
                halves[2 * n] = words[n] & 0xffffffff, halves[2 * n + 1] = words[n] >> 32;
        }
        window.replace({halves.data(), travelling()}, target, to);
        window.flush(target);
    }
    void read(std::size_t from, std::uint64_t* to) {
        std::array<std::uint64_t, place> halves;
        for (std::size_t n = 0; n < travelling(); ++n)
            spin([&] { return (halves[n] = window.load(from + n)) != sentinel; },
                 [&] { window.progress(); });
        for (std::size_t n = 0; n < words.size(); ++n)
            to[n] = floating ? halves[n] : halves[2 * n] | halves[2 * n + 1] << 32;
    }
    void clear(int r) {  // removes the words of the previous sum
        const std::size_t from = place * (2 * r + (count + 1) % 2);
        for (std::size_t n = 0; n < before; ++n) window.store(from + n, sentinel);
    }
    void begin() override {
        ++count;
        const std::size_t own = travelling();
        if (rank) {
            write(0, at(rank));
            read(at(0), words.data());
            clear(0);
        } else {
            Buffer other;
            for (int r = 1; r < ranks; ++r)
                read(at(r), other.data()), add(words, other.data()), clear(r);
            for (int r = 1; r < ranks; ++r) write(r, at(0));
        }
        before = own;
    }
};

/// The tree with puts and flags: a place for the sum on its way down, then one for each child.
template <Family (*family_of)(int, int)> struct OneSidedTree final : GlobalSum {
    Family family;
    Window window;
    std::uint64_t count = 0;
    explicit OneSidedTree(MPI_Comm c)
        : GlobalSum(c),
          family(family_of(rank, ranks)),
          window(c, 2 * place * (1 + family.children.size())) {}
    std::size_t at(std::size_t n) const { return place * (2 * n + count % 2); }
    void give_to(int other, std::size_t n) {
        window.put(words, other, at(n) + 1);
        window.signal(other, at(n), count);
    }
    void begin() override {
        ++count;
        for (std::size_t n = 1; n <= family.children.size(); ++n) {
            window.await(at(n), count);
            add(words, window.own() + at(n) + 1);
        }
        if (rank) {
            give_to(family.parent, 1 + family.position);
            window.await(at(0), count);
            std::copy_n(window.own() + at(0) + 1, words.size(), words.begin());
        }
        for (auto child = family.children.rbegin(); child != family.children.rend(); ++child)
            give_to(*child, 0);
    }
};

/// Within a node by loads and stores, then between the first ranks of the nodes by MPI.
template <class Memory> struct NodeFirst : GlobalSum {
    Memory memory;
    std::uint64_t count = 0;
    explicit NodeFirst(MPI_Comm c) : GlobalSum(c), memory(c, 2 * place) {}
    const NodeRanks& node() const { return *memory.node; }
    std::uint64_t* at(int r) const { return memory.of(r) + place * (count % 2); }
    void publish() {
        std::uint64_t* mine = at(node().rank);
        std::ranges::copy(words, mine + 1);
        NodeRanks::signal(mine, count);
    }
    const std::uint64_t* see(int r) const {
        node().await(at(r), count);
        return at(r) + 1;
    }
    void among_nodes() {
        if (node().nodes > 1)
            MPI_Allreduce(MPI_IN_PLACE, words.data(), int(words.size()), type(), MPI_SUM,
                          node().leaders);
    }
    void begin() override {
        ++count;
        if (node().rank) {
            publish();
            std::copy_n(see(0), words.size(), words.begin());
            return;
        }
        for (int r = 1; r < node().ranks; ++r) add(words, see(r));
        among_nodes();
        publish();
    }
};
using NodeShared = NodeFirst<SharedWindow>;

/// On one node every rank adds the numbers of all, in the order of ranks: nobody waits for an
/// answer. A rank that reuses a place has seen the next sum, so all ranks have read the place.
struct NodeMapped final : NodeFirst<MappedMemory> {
    using NodeFirst::NodeFirst;
    void begin() override {
        if (!node().alone) return NodeFirst::begin();
        ++count;
        publish();
        std::copy_n(see(0), words.size(), words.begin());
        for (int r = 1; r < node().ranks; ++r) add(words, see(r));
    }
};

template <class Kind> std::unique_ptr<GlobalSum> make(MPI_Comm comm) {
    return std::make_unique<Kind>(comm);
}
constexpr GlobalSumKind kinds[] = {
    {"allreduce", "the library's MPI_Allreduce", make<Library>},
    {"recursive-doubling", "pairwise exchanges at distances 1, 2, 4 ...", make<RecursiveDoubling>},
    {"tree", "binomial tree of messages up, and the sum down", make<Tree>},
    {"dissemination", "partial sums of 1, 2, 4 ... ranks are passed on to ranks 1, 2, 4 ... ahead",
     make<Dissemination>},
    {"non-blocking", "MPI_Iallreduce, overlapped with what lies between start and finish",
     make<NonBlocking>},
    {"one-sided-barrier", "put to the master, barrier, get after a barrier", make<MasterBarrier>},
    {"one-sided-flags",
     "put to the master with a flag after the data; the sum comes back in the same way",
     make<MasterFlags<true>>},
    {"one-sided-flags-unpadded", "the same, with all flags side by side in the master's memory",
     make<MasterFlags<false>>},
    {"one-sided-sentinel",
     "put to the master; data have arrived when they are no longer a value that data cannot have",
     make<MasterSentinel>},
    {"one-sided-tree", "binomial tree of puts with flags", make<OneSidedTree<binomial>>},
    {"one-sided-tree-of-4", "a tree of puts with flags, of four children each",
     make<OneSidedTree<of_degree<4>>>},
    {"one-sided-tree-of-8", "the same with eight children each", make<OneSidedTree<of_degree<8>>>},
    {"node-shared", "a window shared within each node, then MPI_Allreduce between the nodes",
     make<NodeShared>},
    {"node-mapped",
     "memory that each node maps without MPI, where all ranks add the numbers of all; between "
     "nodes as node-shared",
     make<NodeMapped>},
};

}  // namespace

std::span<const GlobalSumKind> global_sums() { return kinds; }
std::unique_ptr<GlobalSum> global_sum(std::string_view name, MPI_Comm comm) {
    std::vector<std::string> names;
    for (auto& k : kinds)
        if (k.name == name)
            return k.make(comm);
        else
            names.emplace_back(k.name);
    throw Error("unknown global sum '", name, "'", near(std::string(name), names));
}

}  // namespace fathom
