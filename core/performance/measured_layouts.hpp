/// The five-coefficient, nine-point operator of the free surface in three layouts, to measure them:
///   y = C x + E x_e + E_w x_w + N x_n + N_s x_s + NE x_ne + NE_sw x_sw + NW x_nw + NW_se x_se
/// with the coefficient of a pair of points at the western or southern one of the two.
///
///   rectangle   all points, row after row, with a border
///   cells       the same memory; only cells of eight columns in which there is water are computed
///   water       the water of each row in one vector: dry gaps of a row of more than two points are
///               two points; a piece of a row has constant distances to its neighbours north and
///               south, so that it needs no index of a point
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fathom {

class MeasuredLayouts {
public:
    /// wet: [row][point], rows one after another; numbers of x and coefficients are made up, 0 on
    /// land and towards land.
    MeasuredLayouts(int nx, int ny, std::span<const std::uint8_t> wet);
    /// Seconds of one product in a layout, by the clock that is set.
    double product(std::string_view layout);
    /// Bytes that a product must move: coefficients, x and y of all that it goes through.
    double bytes(std::string_view layout) const;
    /// The result of the last product at the water, in the order of rows.
    std::vector<double> result(std::string_view layout) const;

private:
    struct Piece {
        int first, count, north, south;  ///< north, south: from a point to its neighbours
        bool looks_south;                ///< else all of them there are land
    };
    struct Memory {
        std::vector<double> x, y, C, E, N, NE, NW;
        explicit Memory(std::size_t size = 0)
            : x(size), y(size), C(size), E(size), N(size), NE(size), NW(size) {}
    };
    int nx, ny, row;  // row: from a point to that north of it
    std::vector<std::uint8_t> wet;
    Memory flat, dense;
    std::vector<std::int64_t> place;  // of each point in `dense`; -1: none
    std::vector<Piece> rows, cells, pieces;

    bool is_wet(int j, int i) const;
    std::size_t at(int j, int i) const { return std::size_t(j + 1) * row + i + border; }
    static constexpr int border = 8;
    void fill();
    void number();
    void cut();
    Piece piece_of(int j, int i) const;
    /// Lengthens the last piece of a list by one that continues it, or adds it.
    static void join(std::vector<Piece>& list, const Piece&);
    static void multiply(Memory&, const std::vector<Piece>&);
    const std::vector<Piece>& list(std::string_view layout) const;
};

}  // namespace fathom
