#include "parallel/ownership/decomposition.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include "base/error.hpp"
#include "parallel/ownership/rake.hpp"
#include "parallel/ownership/work.hpp"

namespace fathom {

namespace {

using Cuts = std::vector<int>;

int interval(const Cuts& cuts, int x) {
    return int(std::ranges::upper_bound(cuts, x) - cuts.begin()) - 1;
}

Cuts uniform(int length, int size) {
    Cuts cuts;
    for (int x = 0; x < length; x += size) cuts.push_back(x);
    cuts.push_back(length);
    return cuts;
}

/// The least threshold for which `pieces` consecutive pieces of [0, n) suffice: `furthest(begin,
/// limit)` is how far a piece may reach. Leaves at least one for each later piece. `most`: a
/// threshold that certainly suffices.
template <class Furthest> Cuts even_pieces(int n, int pieces, double most, Furthest furthest) {
    auto cut = [&](double limit, Cuts& cuts) {
        cuts.assign(1, 0);
        for (int p = pieces; p > 0; --p) {
            const int reach = std::min(furthest(cuts.back(), limit), n - p + 1);
            if (reach <= cuts.back()) return false;
            cuts.push_back(reach);
        }
        return cuts.back() == n;
    };
    Cuts best, trial;
    double low = 0, high = most;
    cut(high, best);
    while (high - low > 1e-4 * high) {
        const double middle = 0.5 * (low + high);
        if (cut(middle, trial))
            high = middle, best = trial;
        else
            low = middle;
    }
    return best;
}

/// Hilbert's curve for any rectangle: halves the longer side until it is a line, keeping entrance
/// and exit next to each other.
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

/// Blocks next to a block, over its sides and corners, round the grid and over the fold.
template <class Visit> void for_neighbours(const Decomposition& d, const Block& b, Visit visit) {
    const int nbx = int(d.i_cuts.size()) - 1, nby = int(d.j_cuts.size()) - 1, bi = b.id % nbx,
              bj = b.id / nbx;
    for (int j = std::max(bj - 1, 0); j <= std::min(bj + 1, nby - 1); ++j)
        for (int i = bi - 1; i <= bi + 1; ++i)
            if (d.topology.periodic || (i >= 0 && i < nbx))
                visit(d.blocks[j * nbx + (i + nbx) % nbx]);
    if (d.topology.fold && bj == nby - 1)
        for (int i = b.i0 - 1; i <= b.i0 + b.nx;) {
            const int there =
                          ((d.topology.nx - 1 - i) % d.topology.nx + d.topology.nx) % d.topology.nx,
                      n = interval(d.i_cuts, there);
            visit(d.blocks[(nby - 1) * nbx + n]);
            i += there - d.i_cuts[n] + 1;
        }
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

/// The best found so far; of equals the one with fewer blocks.
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

/// Processor grids px x py with one block a rank. For given cuts in one direction the best cuts in
/// the other are found exactly; so all choices in one direction are tried where they are few, and
/// otherwise the two directions take turns.
struct ProcessorGrid {
    Topology t;
    const WorkTable& work;
    int px, py, unit;  // cuts in i at multiples of unit

    double most() const { return work.block(0, 0, t.nx, t.ny); }
    double time(const Cuts& i, const Cuts& j) const {
        double worst = 0;
        for (int a = 0; a < px; ++a)
            for (int b = 0; b < py; ++b)
                worst = std::max(worst, work.block(i[a], j[b], i[a + 1] - i[a], j[b + 1] - j[b]));
        return worst;
    }
    template <class Fits>
    static int furthest(int begin, int end, Fits fits) {  // the last position that fits
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
    Cuts rows_for(const Cuts& i) const {
        return even_pieces(t.ny, py, most(), [&](int j0, double limit) {
            return furthest(j0, t.ny, [&](int j1) {
                for (int a = 0; a < px; ++a)
                    if (work.block(i[a], j0, i[a + 1] - i[a], j1 - j0) > limit) return false;
                return true;
            });
        });
    }
    int columns(int n) const { return std::min(n * unit, t.nx); }
    int units() const { return (t.nx + unit - 1) / unit; }
    Cuts columns_for(const Cuts& j) const {
        Cuts i = even_pieces(units(), px, most(), [&](int n0, double limit) {
            return furthest(n0, units(), [&](int n1) {
                for (int b = 0; b < py; ++b)
                    if (work.block(columns(n0), j[b], columns(n1) - columns(n0), j[b + 1] - j[b]) >
                        limit)
                        return false;
                return true;
            });
        });
        for (int& x : i) x = columns(x);
        return i;
    }
    static Cuts spread(int n, int pieces) {
        Cuts c;
        for (int p = 0; p <= pieces; ++p) c.push_back(int(std::int64_t(n) * p / pieces));
        return c;
    }
    static double choices(int n, int k) {
        double c = 1;
        for (int m = 1; m <= k; ++m) c *= double(n - k + m) / m;
        return c;
    }

    template <class Offer> void search(Offer offer) const {
        const double few = std::min(400., 20000. / (px * py));
        auto all = [&](int n, int pieces, auto&& visit) {
            Cuts c(pieces + 1);
            c[0] = 0;
            c[pieces] = n;
            std::function<void(int)> next = [&](int p) {
                if (p == pieces) return visit(c);
                for (int x = c[p - 1] + 1; x <= n - (pieces - p); ++x) c[p] = x, next(p + 1);
            };
            next(1);
        };
        auto scaled = [&](Cuts i) {
            for (int& x : i) x = columns(x);
            return i;
        };
        Cuts best_i, best_j;
        double best = std::numeric_limits<double>::infinity();
        auto keep = [&](const Cuts& i, const Cuts& j) {
            const double x = time(i, j);
            if (x < best) {
                best = x, best_i = i, best_j = j;
                return true;
            }
            return false;
        };
        if (choices(units() - 1, px - 1) <= few)
            all(units(), px, [&](const Cuts& n) {
                const Cuts i = scaled(n);
                keep(i, rows_for(i));
            });
        else if (choices(t.ny - 1, py - 1) <= few)
            all(t.ny, py, [&](const Cuts& j) { keep(columns_for(j), j); });
        else
            for (int start = 0; start < 2; ++start) {
                Cuts i = scaled(spread(units(), px)), j = spread(t.ny, py);
                for (bool rows = start;; rows = !rows) {
                    if (rows)
                        j = rows_for(i);
                    else
                        i = columns_for(j);
                    const bool better = keep(i, j);
                    if (!better && rows != bool(start)) break;
                }
            }
        // single cuts a little further, both directions at once, which turns alone cannot find
        for (bool better = px * py <= 64; better;) {
            better = false;
            for (int c = 1; c < px; ++c)
                for (int step : {-2, -1, 1, 2}) {
                    Cuts i = best_i;
                    i[c] = std::clamp(i[c] + step * unit, 0, t.nx);
                    if (i[c] > i[c - 1] && i[c] < i[c + 1]) better |= keep(i, rows_for(i));
                }
            for (int c = 1; c < py; ++c)
                for (int step : {-4, -2, -1, 1, 2, 4}) {
                    Cuts j = best_j;
                    j[c] += step;
                    if (j[c] > j[c - 1] && j[c] < j[c + 1]) better |= keep(columns_for(j), j);
                }
        }
        offer(best_i, best_j);
    }
};

/// Uniform blocks: the list of wet ones, in order, cut into pieces of even work.
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

/// Uniform blocks, raked from every processor grid.
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

Decomposition decompose(Topology t, const std::vector<int>& wet, int ranks,
                        DecompositionOptions options) {
    check(t, wet, ranks, options.halo);
    const std::vector<std::string> names{"auto", "cartesian",   "space-filling",
                                         "rake", "north-south", "square"};
    if (std::ranges::find(names, options.distribution) == names.end())
        throw Error("unknown distribution '", options.distribution, "'",
                    near(options.distribution, names));
    if (options.block_nx < 0 || options.block_ny < 0)
        throw Error("blocks of ", options.block_nx, " x ", options.block_ny,
                    " points; 0 stands for a size that is chosen");
    const WorkTable work(t, wet, options.halo);
    const bool raked = options.distribution == "rake",
               cartesian = options.distribution != "space-filling" && !raked,
               space_filling =
                   options.distribution == "auto" || options.distribution == "space-filling";
    const bool chosen = !options.block_nx && !options.block_ny;
    const bool whole_rows = options.distribution == "north-south",
               square = options.distribution == "square";
    if ((whole_rows || square) && !chosen)
        throw Error("distribution '", options.distribution,
                    "' gives each rank one block and chooses its size; blocks of ",
                    options.block_nx, " x ", options.block_ny, " points were asked for");
    int across = whole_rows ? 1 : int(std::sqrt(double(ranks)));  // ranks in a row of them
    if (square)
        while (ranks % across) --across;
    const int least = options.halo + 1;  // a block's own points fill its neighbours' halos
    Best best;

    const auto widths =
        options.block_nx ? std::vector{std::min(options.block_nx, t.nx)} : sizes_in_i(t.nx, least);
    const auto heights =
        options.block_ny ? std::vector{std::min(options.block_ny, t.ny)} : sizes_in_j(t.ny, least);
    const double inside = work.block(0, 0, t.nx, t.ny) - work.edges(t.nx, t.ny),
                 columns = double(std::ranges::count_if(wet, [](int n) { return n > 0; }));
    auto uniform_blocks =
        [&](bool any) {  // in the order of what they would take if the work were even
            struct Size {
                double even;
                int width, height;
            };
            std::vector<Size> sizes;
            for (int width : widths)
                for (int height : heights) {
                    const double count =
                        std::ceil(double(t.nx) / width) * std::ceil(double(t.ny) / height);
                    if (count < ranks || (!any && (count > 24. * ranks + 16 || width > 8 * height ||
                                                   height > 8 * width)))
                        continue;
                    sizes.push_back(
                        {(inside + columns / (double(width) * height) * work.edges(width, height)) /
                             ranks,
                         width, height});
                }
            std::ranges::sort(sizes, {}, &Size::even);
            for (auto& size : sizes) {
                if (size.even > best.time) break;  // no better can follow
                const Decomposition d =
                    lattice(t, ranks, work, uniform(t.nx, size.width), uniform(t.ny, size.height));
                if (cartesian) deal(d, work, false, best);
                if (space_filling) deal(d, work, true, best);
                if (raked) deal_by_rake(d, work, best);
            }
        };
    if (!whole_rows && !square) uniform_blocks(!chosen);
    if (chosen && cartesian)
        for (int px = 1; px <= ranks; ++px) {
            const int py = ranks / px;
            if (px * py != ranks || ((whole_rows || square) && px != across) ||
                px * std::min(least, t.nx) > t.nx || py * std::min(least, t.ny) > t.ny)
                continue;
            if (inside / ranks + work.edges(t.nx / px, t.ny / py) > best.time)
                continue;  // cannot win, however even
            const int width = t.nx / px, unit = width >= 32   ? 16
                                                : width >= 16 ? 8
                                                : width >= 8  ? 4
                                                              : 1;
            ProcessorGrid{t, work, px, py, unit}.search([&](Cuts i, Cuts j) {
                Decomposition d = lattice(t, ranks, work, std::move(i), std::move(j));
                if (wet_blocks(d) < ranks || std::ranges::any_of(d.blocks, [&](auto& b) {
                        return b.nx < std::min(least, t.nx) || b.ny < std::min(least, t.ny);
                    }))
                    return;
                for (auto& b : d.blocks) b.owner = b.id;
                best.offer(std::move(d), work);
            });
        }
    const auto found = [&] { return best.time < std::numeric_limits<double>::infinity(); };
    if (!found() && (whole_rows || square))
        throw Error(across, " x ", ranks / across, " blocks, '", options.distribution, "' on ",
                    ranks, " ranks, do not fit into ", t.nx, " x ", t.ny, " points",
                    whole_rows ? "; 'square' allows more ranks" : "");
    if (!found()) uniform_blocks(true);
    if (!found()) {
        const int width = options.block_nx ? widths[0] : std::min(least, t.nx),
                  height = options.block_ny ? heights[0] : std::min(least, t.ny);
        const int possible =
            wet_blocks(lattice(t, 1, work, uniform(t.nx, width), uniform(t.ny, height)));
        throw Error(ranks, " ranks are more than there are blocks with water: the grid of ", t.nx,
                    " x ", t.ny, " points has ", possible, " of ", width, " x ", height,
                    chosen ? " points, the smallest possible" : " points", "; use at most ",
                    possible, " ranks", chosen ? "" : " or smaller blocks");
    }
    return best.decomposition;
}

Decomposition framed(const Decomposition& d, int width_i, int width_j) {
    std::vector<int> count(d.ranks);
    for (auto& b : d.blocks)
        if (b.owner >= 0) ++count[b.owner];
    if (std::ranges::any_of(count, [](int n) { return n > 1; })) return d;
    const int columns = int(d.i_cuts.size()) - 1, rows = int(d.j_cuts.size()) - 1;
    auto owner = [&](int i, int j) { return d.blocks[j * columns + i].owner; };
    auto border = [](int a, int b) { return a >= 0 && b >= 0 && a != b; };
    std::vector<bool> west(columns + 1),
        south(rows + 1);  // of each cut: whether it lies between ranks somewhere
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i <= columns; ++i)
            if ((i > 0 && i < columns) || d.topology.periodic)
                west[i] =
                    west[i] || border(owner((i + columns - 1) % columns, j), owner(i % columns, j));
    for (int j = 0; j <= rows; ++j)
        for (int i = 0; i < columns; ++i) {
            if (j > 0 && j < rows) south[j] = south[j] || border(owner(i, j - 1), owner(i, j));
            if (j == rows && d.topology.fold)
                for_neighbours(d, d.blocks[(rows - 1) * columns + i], [&](const Block& b) {
                    south[j] = south[j] || border(owner(i, rows - 1), b.owner);
                });
        }
    auto cut = [](const Cuts& cuts, const std::vector<bool>& border, int width) {
        Cuts finer{0};
        for (std::size_t n = 1; n < cuts.size(); ++n) {
            const int from = cuts[n - 1], to = cuts[n];
            if (border[n - 1] && to - from >= 4 * width) finer.push_back(from + width);
            if (border[n] && to - from >= 4 * width) finer.push_back(to - width);
            finer.push_back(to);
        }
        return finer;
    };
    Decomposition finer{
        d.topology, d.ranks, {}, cut(d.i_cuts, west, width_i), cut(d.j_cuts, south, width_j),
        d.load};
    for (std::size_t j = 1; j < finer.j_cuts.size(); ++j)
        for (std::size_t i = 1; i < finer.i_cuts.size(); ++i) {
            const int i0 = finer.i_cuts[i - 1], j0 = finer.j_cuts[j - 1];
            finer.blocks.push_back({int(finer.blocks.size()), i0, j0, finer.i_cuts[i] - i0,
                                    finer.j_cuts[j] - j0,
                                    owner(interval(d.i_cuts, i0), interval(d.j_cuts, j0))});
        }
    return finer;
}

}  // namespace fathom
