/// Ahead: fetches memory that is needed soon into the second-level cache, because the first is full
/// of the data of the present work.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom {

/// A line that will be read or written.
inline void prefetch(const void* p) { __builtin_prefetch(p, 0, 2); }

/// Strips of memory, fetched `few` lines at a time: requests for as many lines as the memory can
/// serve at once would stop the computation.
template <int few> class Ahead {
public:
    void clear() { strips.clear(), steps = 0, pace(0); }
    /// Rows of so many bytes, row n at p + n (or index[n]) stride bytes; rows that continue those
    /// given last are merged with them.
    void add(const void* p, std::ptrdiff_t stride, int rows, int bytes,
             const std::ptrdiff_t* index = nullptr) {
        const auto begin = reinterpret_cast<std::uintptr_t>(p);
        steps += std::int64_t(rows) * ((bytes + few * line - 1) / (few * line));
        if (!strips.empty()) {
            Strip& s = strips.back();
            if (s.at + s.bytes == begin && s.rows == rows && s.index == index &&
                (s.stride == stride || rows == 1)) {
                s.bytes += bytes;
                return;
            }
        }
        strips.push_back({begin, stride, rows, bytes, index});
    }
    /// From now on, so many calls of `some` will fetch everything that was added.
    void pace(long times) {
        due = -unit, pace_ = times > 0 ? unit * steps / times + 1 : 0, strip = strips.data(),
        last = strip + strips.size(), row = 0, at = end = 0;
    }
    void some() {
        for (due += pace_; due >= 0; due -= unit) {
            if (at >= end && !next()) {
                pace_ = 0, due = -unit;
                return;
            }
            for (int n = 0; n < few; ++n, at += line) prefetch(reinterpret_cast<const void*>(at));
        }
    }

private:
    static constexpr int line = 64;
    static constexpr std::int64_t unit = 1 << 16;  ///< a step, which fetches a few lines
    struct Strip {
        std::uintptr_t at;
        std::ptrdiff_t stride;
        int rows, bytes;
        const std::ptrdiff_t* index;
    };
    std::vector<Strip> strips;
    std::int64_t steps = 0, due = -unit, pace_ = 0;  ///< due: less one step
    const Strip *strip = nullptr, *last = nullptr;   ///< that is being fetched, and beyond all
    int row = 0;
    std::uintptr_t at = 0, end = 0;  ///< of its row
    bool next() {
        if (strip == last) return false;
        const std::uintptr_t begin =
            strip->at + (strip->index ? strip->index[row] : row) * strip->stride;
        at = begin - begin % line, end = begin + strip->bytes;
        if (++row == strip->rows) row = 0, ++strip;
        return true;
    }
};

}  // namespace fathom
