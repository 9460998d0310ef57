/// Memory of field sets: the only place that knows where numbers lie. `Space::host` is the
/// processor's own memory, zero as the system gives it: pages that are never touched never exist.
/// `Space::device` is that of a GPU; a build without CUDA has none, which is an Error where one is
/// asked for.
#pragma once
#include <cstddef>
#include <utility>

namespace fathom {

enum class Space { host, device };

/// Whether this build can have memory there.
bool available(Space);

/// A piece of memory, zero.
struct Pages {
    std::byte* at = nullptr;
    std::size_t bytes = 0;
    Space space = Space::host;

    Pages() = default;
    explicit Pages(std::size_t bytes, Space space = Space::host);
    Pages(Pages&& other) noexcept { *this = std::move(other); }
    Pages& operator=(Pages&& other) noexcept {
        std::swap(at, other.at), std::swap(bytes, other.bytes), std::swap(space, other.space);
        return *this;
    }
    ~Pages();

    /// Asks for large pages for a part of host memory: the levels of a column lie pages apart, and
    /// a processor remembers few translations of addresses.
    static void enlarge(std::byte* at, std::size_t bytes);
    static constexpr std::size_t small_page = 1 << 12, large_page = 1 << 21;
};

/// Bytes from one space to another.
void copy(const Pages& from, std::size_t from_offset, Pages& to, std::size_t to_offset,
          std::size_t bytes);

}  // namespace fathom
