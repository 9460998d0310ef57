/// Ahead: memory that is needed soon is fetched into the second cache, the first being full of what is computed meanwhile.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom {

/// A line that will be read or written.
inline void prefetch(const void* p) { __builtin_prefetch(p, 0, 2); }

/// Strips of memory, a line now and then: as many lines at once as the memory has requests under way would stop what is computed.
class Ahead {
public:
    void clear() { strips.clear(), strip = row = 0, at = end = 0, lines = 0, due = 0, pace_ = 0; }
    /// Rows of so many bytes, row n at p + n (or index[n]) stride bytes; what continues the rows given last is one with them.
    void add(const void* p, std::ptrdiff_t stride, int rows, int bytes, const std::ptrdiff_t* index = nullptr) {
        const auto begin = reinterpret_cast<std::uintptr_t>(p);
        lines += std::int64_t(rows) * ((bytes + line - 1) / line);
        if (!strips.empty()) {
            Strip& s = strips.back();
            if (s.at + s.bytes == begin && s.rows == rows && s.index == index && (s.stride == stride || rows == 1)) { s.bytes += bytes; return; }
        }
        strips.push_back({begin, stride, rows, bytes, index});
    }
    /// So many calls of `some` will fetch everything.
    void pace(long times) { due = 0, pace_ = times > 0 ? (lines << 16) / times + 1 : 0; }
    void some() {
        for (due += pace_; due >= 1 << 16; due -= 1 << 16) {
            if (at >= end && !next()) { pace_ = due = 0; return; }
            prefetch(reinterpret_cast<const void*>(at));
            at += line;
        }
    }

private:
    static constexpr int line = 64;
    struct Strip { std::uintptr_t at; std::ptrdiff_t stride; int rows, bytes; const std::ptrdiff_t* index; };
    std::vector<Strip> strips;
    std::size_t strip = 0;
    int row = 0;
    std::uintptr_t at = 0, end = 0;                        ///< of the row that is being fetched
    std::int64_t lines = 0, due = 0, pace_ = 0;            ///< due, pace: 2^-16 lines
    bool next() {
        if (strip >= strips.size()) return false;
        const Strip& s = strips[strip];
        const std::uintptr_t begin = s.at + (s.index ? s.index[row] : row) * s.stride;
        at = begin - begin % line, end = begin + s.bytes;
        if (++row == s.rows) row = 0, ++strip;
        return true;
    }
};

}  // namespace fathom
