#include "parallel/ownership/decomposition.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include "base/error.hpp"
#include "parallel/ownership/equal_area.hpp"
#include "parallel/ownership/neighbours.hpp"
#include "parallel/ownership/processor_grid.hpp"
#include "parallel/ownership/rake.hpp"
#include "parallel/ownership/work.hpp"

namespace fathom {

namespace {

/// Hilbert's curve for any rectangle: halves the longer side until it is a line; exit of one half
/// and entrance of the next are neighbours.
void hilbert(std::vector<int>& order, int width, int x, int y, int ax, int ay, int bx, int by) {
    auto sign = [](int a) { return (a > 0) - (a < 0); };
    const int w = std::abs(ax + ay), h = std::abs(bx + by), dax = sign(ax), day = sign(ay),
              dbx = sign(bx), dby = sign(by);
    if (h == 1 || w == 1) {
        for (int n = 0; n < w * h; ++n, x += h == 1 ? dax : dbx, y += h == 1 ? day : dby)
            order.push_back(y * width + x);
        return;
    }
    int ax2 = ax / 2, ay2 = ay / 2, bx2 = bx / 2, by2 = by / 2;
    if (2 * w > 3 * h) {
        if (std::abs(ax2 + ay2) % 2 && w > 2) ax2 += dax, ay2 += day;
        hilbert(order, width, x, y, ax2, ay2, bx, by);
        hilbert(order, width, x + ax2, y + ay2, ax - ax2, ay - ay2, bx, by);
        return;
    }
    if (std::abs(bx2 + by2) % 2 && h > 2) bx2 += dbx, by2 += dby;
    hilbert(order, width, x, y, bx2, by2, ax2, ay2);
    hilbert(order, width, x + bx2, y + by2, ax, ay, bx - bx2, by - by2);
    hilbert(order, width, x + (ax - dax) + (bx2 - dbx), y + (ay - day) + (by2 - dby), -bx2, -by2,
            -(ax - ax2), -(ay - ay2));
}

std::vector<int> curve(int nx, int ny, bool space_filling) {
    std::vector<int> order;
    if (!space_filling) {
        order.resize(nx * ny);
        for (int n = 0; n < nx * ny; ++n) order[n] = n;
    } else if (nx >= ny)
        hilbert(order, nx, 0, 0, nx, 0, 0, ny);
    else
        hilbert(order, nx, 0, 0, 0, ny, nx, 0);
    return order;
}

Decomposition lattice(Topology t, int ranks, const WorkTable& work, Cuts i_cuts, Cuts j_cuts) {
    Decomposition d{t, ranks, {}, std::move(i_cuts), std::move(j_cuts), std::vector<double>(ranks)};
    d.blocks.reserve((d.i_cuts.size() - 1) * (d.j_cuts.size() - 1));
    for (std::size_t j = 1; j < d.j_cuts.size(); ++j)
        for (std::size_t i = 1; i < d.i_cuts.size(); ++i) {
            const int i0 = d.i_cuts[i - 1], j0 = d.j_cuts[j - 1], nx = d.i_cuts[i] - i0,
                      ny = d.j_cuts[j] - j0;
            d.blocks.push_back(
                {int(d.blocks.size()), i0, j0, nx, ny, work.water(i0, j0, nx, ny) ? 0 : -1});
        }
    return d;
}

void estimate(Decomposition& d, const WorkTable& work) {
    std::ranges::fill(d.load, 0);
    std::vector<std::pair<int, int>> pairs;
    for (auto& b : d.blocks)
        if (b.owner >= 0) {
            d.load[b.owner] += work.block(b.i0, b.j0, b.nx, b.ny);
            for_neighbours(d, b, [&](const Block& other) {
                if (other.owner >= 0 && other.owner != b.owner)
                    pairs.emplace_back(b.owner, other.owner);
            });
        }
    std::ranges::sort(pairs);
    const auto rest = std::ranges::unique(pairs);
    pairs.erase(rest.begin(), rest.end());
    for (auto& p : pairs) d.load[p.first] += WorkTable::message;
}

double longest(const Decomposition& d) { return *std::ranges::max_element(d.load); }

/// The best decomposition so far; among equals the one with fewer blocks.
struct Best {
    Decomposition decomposition;
    double time = std::numeric_limits<double>::infinity();
    void offer(Decomposition&& d, const WorkTable& work) {
        estimate(d, work);
        const double t = longest(d);
        if (t < time || (t == time && d.blocks.size() < decomposition.blocks.size()))
            decomposition = std::move(d), time = t;
    }
};

/// Uniform blocks: cuts the ordered list of wet ones into pieces of equal work.
void deal(Decomposition d, const WorkTable& work, bool space_filling, Best& best) {
    std::vector<int> wet;
    std::vector<double> sum{0};
    for (int n : curve(int(d.i_cuts.size()) - 1, int(d.j_cuts.size()) - 1, space_filling)) {
        const Block& b = d.blocks[n];
        if (b.owner < 0) continue;
        wet.push_back(n);
        sum.push_back(sum.back() + work.block(b.i0, b.j0, b.nx, b.ny));
    }
    if (int(wet.size()) < d.ranks || sum.back() / d.ranks > best.time) return;
    const Cuts cuts =
        even_pieces(int(wet.size()), d.ranks, sum.back(), [&](int begin, double limit) {
            return int(std::ranges::upper_bound(sum, sum[begin] + limit) - sum.begin()) - 1;
        });
    for (int r = 0; r < d.ranks; ++r)
        for (int n = cuts[r]; n < cuts[r + 1]; ++n) d.blocks[wet[n]].owner = r;
    best.offer(std::move(d), work);
}

/// Uniform blocks, balanced by rakes (rake.hpp) from each processor grid.
void deal_by_rake(const Decomposition& blocks, const WorkTable& work, Best& best) {
    std::vector<double> of(blocks.blocks.size());
    double sum = 0;
    for (auto& b : blocks.blocks)
        if (b.owner >= 0) sum += of[b.id] = work.block(b.i0, b.j0, b.nx, b.ny);
    if (sum / blocks.ranks > best.time) return;
    const int nbx = int(blocks.i_cuts.size()) - 1, nby = int(blocks.j_cuts.size()) - 1;
    for (int px = 1; px <= std::min(blocks.ranks, nbx); ++px)
        if (blocks.ranks % px == 0 && blocks.ranks / px <= nby)
            if (const auto owner = rake(nbx, nby, px, blocks.ranks / px, of)) {
                Decomposition d = blocks;
                for (auto& b : d.blocks) b.owner = (*owner)[b.id];
                best.offer(std::move(d), work);
            }
}

std::vector<int> sizes_in_i(int nx, int least) {
    std::vector<int> sizes;
    for (int n : {least, 4, 8})
        if (n >= least && n < nx) sizes.push_back(n);
    for (int n = 16; n < nx; n += 16)
        if (n >= least) sizes.push_back(n);
    sizes.push_back(nx);
    return sizes;
}
std::vector<int> sizes_in_j(int ny, int least) {
    std::set<int> sizes{std::min(least, ny)};
    for (int n = 1; n <= ny; ++n)
        if ((ny + n - 1) / n >= least) sizes.insert((ny + n - 1) / n);
    return {sizes.begin(), sizes.end()};
}

int wet_blocks(const Decomposition& d) {
    return int(std::ranges::count_if(d.blocks, [](auto& b) { return b.owner >= 0; }));
}

void check(Topology t, const std::vector<int>& wet, int ranks, int halo) {
    if (t.nx < 1 || t.ny < 1) throw Error("a grid of ", t.nx, " x ", t.ny, " points");
    if (t.fold && t.periodic_j) throw Error("a grid is folded or periodic along j, not both");
    if (t.fold && (!t.periodic || t.nx % 2))
        throw Error(
            "a folded grid must be periodic and have an even number of columns; given nx = ", t.nx,
            t.periodic ? "" : ", not periodic");
    if (wet.size() != std::size_t(t.nx) * t.ny)
        throw Error("wet levels: ", wet.size(), " values for ", t.nx, " x ", t.ny, " columns");
    if (ranks < 1) throw Error("ranks = ", ranks, " must be at least 1");
    if (halo < 0) throw Error("halo = ", halo, " must be at least 0");
    if (std::ranges::none_of(wet, [](int n) { return n > 0; }))
        throw Error("the grid holds no water");
}

}  // namespace

const Block* Decomposition::at(int i, int j) const {
    const Block& b =
        blocks[std::size_t(interval(j_cuts, j)) * (i_cuts.size() - 1) + interval(i_cuts, i)];
    return b.owner < 0 ? nullptr : &b;
}

std::vector<const Block*> Decomposition::of(int rank) const {
    std::vector<const Block*> list;
    for (auto& b : blocks)
        if (b.owner == rank) list.push_back(&b);
    return list;
}

double Decomposition::imbalance() const {
    double sum = 0;
    for (double x : load) sum += x;
    return longest(*this) * ranks / sum;
}

std::string Decomposition::describe() const {
    auto sizes = [](const Cuts& cuts) {
        int least = cuts[1] - cuts[0], most = least;
        for (std::size_t n = 1; n < cuts.size(); ++n)
            least = std::min(least, cuts[n] - cuts[n - 1]),
            most = std::max(most, cuts[n] - cuts[n - 1]);
        return least == most ? std::to_string(least)
                             : std::to_string(least) + "-" + std::to_string(most);
    };
    const int wet = wet_blocks(*this), all = int(blocks.size());
    std::string text = std::to_string(i_cuts.size() - 1) + " x " +
                       std::to_string(j_cuts.size() - 1) + " blocks of " + sizes(i_cuts) + " x " +
                       sizes(j_cuts) + " points";
    if (wet < all) text += ", " + std::to_string(all - wet) + " without water";
    text += ", on " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
    char more[48];
    std::snprintf(more, sizeof more, ", imbalance %.3f", imbalance());
    return ranks == 1 ? text : text + more;
}

Decomposition arrange(Topology t, const std::vector<int>& wet, int ranks, Cuts i_cuts, Cuts j_cuts,
                      const std::vector<int>& owners, int halo) {
    check(t, wet, ranks, halo);
    const WorkTable work(t, wet, halo);
    Decomposition d = lattice(t, ranks, work, std::move(i_cuts), std::move(j_cuts));
    if (owners.size() != d.blocks.size())
        throw Error("owners: ", owners.size(), " values for ", d.blocks.size(), " blocks");
    for (auto& b : d.blocks) {
        if (owners[b.id] >= ranks || (b.owner >= 0 && owners[b.id] < 0))
            throw Error("block ", b.id, " holds water; its owner ", owners[b.id],
                        " must lie in [0, ", ranks - 1, "]");
        if (b.owner >= 0) b.owner = owners[b.id];
    }
    estimate(d, work);
    return d;
}

namespace {

/// The candidates of `decompose`; those that cannot be better than the best so far are not tried.
class Search {
public:
    Search(Topology t, const std::vector<int>& wet, int ranks, const DecompositionOptions& options)
        : t(t),
          wet(wet),
          ranks(ranks),
          options(options),
          work(t, wet, options.halo),
          chosen(!options.block_nx && !options.block_ny),
          whole_rows(options.distribution == "north-south"),
          square(options.distribution == "square"),
          collars(options.distribution == "equal-area"),
          least(options.halo + 1),
          widths(options.block_nx ? std::vector{std::min(options.block_nx, t.nx)}
                                  : sizes_in_i(t.nx, least)),
          heights(options.block_ny ? std::vector{std::min(options.block_ny, t.ny)}
                                   : sizes_in_j(t.ny, least)),
          inside(work.block(0, 0, t.nx, t.ny) - work.edges(t.nx, t.ny)),
          columns(double(std::ranges::count_if(wet, [](int n) { return n != 0; }))) {
        if ((whole_rows || square || collars) && !chosen)
            throw Error("distribution '", options.distribution, "' gives each rank one ",
                        collars ? "region" : "block", " and chooses its size; blocks of ",
                        options.block_nx, " x ", options.block_ny, " points were asked for");
        across = whole_rows ? 1 : int(std::sqrt(double(ranks)));
        if (square)
            while (ranks % across) --across;
    }
    Decomposition found() {
        if (collars) return by_equal_area();
        if (!whole_rows && !square) try_uniform_blocks(!chosen);
        if (chosen && cartesian()) try_processor_grids();
        if (!any() && (whole_rows || square))
            throw Error(across, " x ", ranks / across, " blocks, '", options.distribution, "' on ",
                        ranks, " ranks, do not fit into ", t.nx, " x ", t.ny, " points",
                        whole_rows ? "; 'square' allows more ranks" : "");
        if (!any()) try_uniform_blocks(true);
        if (!any()) fail();
        return std::move(best.decomposition);
    }

private:
    Topology t;
    const std::vector<int>& wet;
    int ranks;
    DecompositionOptions options;
    WorkTable work;
    bool chosen, whole_rows, square, collars;  // chosen: the size of blocks
    int across;                                // ranks in a row of them: north-south and square
    int least;                                 // a block's own points fill its neighbours' halos
    std::vector<int> widths, heights;
    double inside, columns;  // of the whole grid: time without edges, wet columns
    Best best;

    bool raked() const { return options.distribution == "rake"; }
    bool cartesian() const { return options.distribution != "space-filling" && !raked(); }
    bool space_filling() const {
        return options.distribution == "auto" || options.distribution == "space-filling";
    }
    bool any() const { return best.time < std::numeric_limits<double>::infinity(); }

    /// Edges of regions are multiples of a pack if regions are at least two packs wide.
    Decomposition by_equal_area() {
        for (int unit : {8, 4, 1}) {
            if (unit > 1 && std::int64_t(t.nx) * t.ny < 4ll * unit * unit * ranks) continue;
            auto [i, j, owners] = equal_area(t.nx, t.ny, wet, ranks, unit);
            if (owners.empty()) continue;
            Decomposition d = lattice(t, ranks, work, std::move(i), std::move(j));
            std::vector<int> number(ranks);
            for (auto& b : d.blocks)
                if (b.owner >= 0) ++number[b.owner = owners[b.id]];
            const bool small = std::ranges::any_of(
                d.blocks, [&](auto& b) { return b.nx < options.halo || b.ny < options.halo; });
            if (!small && std::ranges::count(number, 0) == 0) return estimate(d, work), d;
        }
        throw Error(ranks, " regions of equal area do not fit into ", t.nx, " x ", t.ny, " points",
                    options.halo ? " with halos; 'space-filling' allows more ranks" : "");
    }

    struct Size {
        double even;  // the work of a rank if all ranks had the same
        int width, height;
    };
    /// Sizes of blocks that give every rank a block; all: also unreasonable ones.
    std::vector<Size> block_sizes(bool all) const {
        std::vector<Size> sizes;
        for (int width : widths)
            for (int height : heights) {
                const double count =
                    std::ceil(double(t.nx) / width) * std::ceil(double(t.ny) / height);
                const bool odd =
                    count > 24. * ranks + 16 || width > 8 * height || height > 8 * width;
                if (count < ranks || (!all && odd)) continue;
                const double edges = columns / (double(width) * height) * work.edges(width, height);
                sizes.push_back({(inside + edges) / ranks, width, height});
            }
        std::ranges::sort(sizes, {}, &Size::even);
        return sizes;
    }
    void try_uniform_blocks(bool all) {
        for (auto& size : block_sizes(all)) {
            if (size.even > best.time) break;  // sorted: the rest cannot be better
            const Decomposition d =
                lattice(t, ranks, work, uniform(t.nx, size.width), uniform(t.ny, size.height));
            if (cartesian()) deal(d, work, false, best);
            if (space_filling()) deal(d, work, true, best);
            if (raked()) deal_by_rake(d, work, best);
        }
    }
    void try_processor_grids() {
        for (int px = 1; px <= ranks; ++px) {
            const int py = ranks / px;
            if (px * py != ranks || ((whole_rows || square) && px != across)) continue;
            if (px * std::min(least, t.nx) > t.nx || py * std::min(least, t.ny) > t.ny) continue;
            if (inside / ranks + work.edges(t.nx / px, t.ny / py) > best.time)
                continue;  // slower even with equal loads
            try_processor_grid(px, py);
        }
    }
    void try_processor_grid(int px, int py) {
        const int width = t.nx / px;
        const int unit = width >= 32 ? 16 : width >= 16 ? 8 : width >= 8 ? 4 : 1;
        auto [i, j] = ProcessorGrid(t, work, px, py, unit).best();
        Decomposition d = lattice(t, ranks, work, std::move(i), std::move(j));
        const auto small = [&](const Block& b) {
            return b.nx < std::min(least, t.nx) || b.ny < std::min(least, t.ny);
        };
        if (wet_blocks(d) < ranks || std::ranges::any_of(d.blocks, small)) return;
        for (auto& b : d.blocks) b.owner = b.id;
        best.offer(std::move(d), work);
    }
    [[noreturn]] void fail() const {
        const int width = options.block_nx ? widths[0] : std::min(least, t.nx),
                  height = options.block_ny ? heights[0] : std::min(least, t.ny);
        const int possible =
            wet_blocks(lattice(t, 1, work, uniform(t.nx, width), uniform(t.ny, height)));
        throw Error(ranks, " ranks are more than there are blocks with water: the grid of ", t.nx,
                    " x ", t.ny, " points has ", possible, " of ", width, " x ", height,
                    chosen ? " points, the smallest possible" : " points", "; use at most ",
                    possible, " ranks", chosen ? "" : " or smaller blocks");
    }
};

}  // namespace

Decomposition decompose(Topology t, const std::vector<int>& wet, int ranks,
                        DecompositionOptions options) {
    check(t, wet, ranks, options.halo);
    const std::vector<std::string> names{"auto",        "cartesian", "space-filling", "rake",
                                         "north-south", "square",    "equal-area"};
    if (std::ranges::find(names, options.distribution) == names.end())
        throw Error("unknown distribution '", options.distribution, "'",
                    near(options.distribution, names));
    if (options.block_nx < 0 || options.block_ny < 0)
        throw Error("blocks of ", options.block_nx, " x ", options.block_ny,
                    " points; 0 stands for a size that is chosen");
    return Search(t, wet, ranks, options).found();
}

}  // namespace fathom
