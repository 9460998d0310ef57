/// Memory of the processor, zero as the system gives it: pages that are never touched never exist.
/// (That of a device is machine/device.hpp.)
#pragma once
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace fathom {

/// A piece of memory, zero.
struct Pages {
    static constexpr std::size_t small_page = 1 << 12, large_page = 1 << 21;

    std::byte* at = nullptr;
    std::size_t bytes = 0;

    Pages() = default;
    explicit Pages(std::size_t bytes);
    Pages(Pages&& other) noexcept { *this = std::move(other); }
    Pages& operator=(Pages&& other) noexcept {
        std::swap(at, other.at), std::swap(bytes, other.bytes);
        return *this;
    }
    ~Pages();

    /// For memory that is mostly never touched: pages are reserved only when touched.
    static Pages sparse(std::size_t bytes);
    /// In large pages, for memory read at long strides: the processor caches few translations of
    /// addresses.
    static Pages large(std::size_t bytes);
    /// Asks for large pages for a part.
    static void enlarge(std::byte* at, std::size_t bytes);
};

/// Allocator for vectors: aligned to cache lines, in large pages if they are at least as long.
template <class T> struct LargePages {
    using value_type = T;
    LargePages() = default;
    template <class U> LargePages(const LargePages<U>&) {}
    static bool large(std::size_t n) { return n * sizeof(T) >= Pages::large_page; }
    static std::align_val_t unit(std::size_t n) {
        return std::align_val_t(large(n) ? Pages::large_page : 64);
    }
    T* allocate(std::size_t n) {
        auto* at = static_cast<std::byte*>(::operator new(n * sizeof(T), unit(n)));
        if (large(n)) Pages::enlarge(at, n * sizeof(T));
        return reinterpret_cast<T*>(at);
    }
    void deallocate(T* at, std::size_t n) { ::operator delete(at, unit(n)); }
    friend bool operator==(LargePages, LargePages) { return true; }
};

template <class T> using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace fathom
