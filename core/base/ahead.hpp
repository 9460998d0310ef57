/// Ahead: memory that is needed soon is fetched into the second cache, the first being full of what is computed meanwhile.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom {

/// A line that will be read or written.
inline void prefetch(const void* p) { __builtin_prefetch(p, 0, 2); }

/// Strips of memory, a little at a time.
class Ahead {
public:
    void clear() { strips.clear(), strip = 0, row = 0, total = 0; }
    /// Rows of so many bytes; what continues the rows given last is one with them.
    void add(const void* at, std::ptrdiff_t stride, int rows, int bytes) {
        const char* const p = static_cast<const char*>(at);
        if (!strips.empty() && strips.back().at + strips.back().bytes == p && strips.back().stride == stride && strips.back().rows == rows) strips.back().bytes += bytes;
        else strips.push_back({p, stride, rows, bytes}), total += rows;
    }
    /// Rows for each of `times` calls of `some`.
    int share(int times) const { return times > 0 ? (total + times - 1) / times : 0; }
    void some(int rows) {
        for (; rows > 0 && strip < strips.size(); --rows) {
            const Strip& s = strips[strip];
            const char* const p = s.at + row * s.stride;
            for (const char* line = p - (std::uintptr_t)p % 64; line < p + s.bytes; line += 64) prefetch(line);
            if (++row == s.rows) row = 0, ++strip;
        }
    }

private:
    struct Strip { const char* at; std::ptrdiff_t stride; int rows, bytes; };
    std::vector<Strip> strips;
    std::size_t strip = 0;
    int row = 0, total = 0;
};

}  // namespace fathom
