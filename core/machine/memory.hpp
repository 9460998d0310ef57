/// Memory of fields: the only place that knows where numbers lie. `MemorySpace::host` is the
/// processor's own memory, zero as the system gives it: pages that are never touched never exist.
/// `MemorySpace::device` is that of a GPU; a build without CUDA has none, which is an Error where
/// one is asked for.
#pragma once
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace fathom {

enum class MemorySpace { host, device };

/// Whether this build can have memory there.
bool available(MemorySpace);

/// A piece of memory, zero.
struct Pages {
    static constexpr std::size_t small_page = 1 << 12, large_page = 1 << 21;

    std::byte* at = nullptr;
    std::size_t bytes = 0;
    MemorySpace space = MemorySpace::host;

    Pages() = default;
    explicit Pages(std::size_t bytes, MemorySpace space = MemorySpace::host);
    Pages(Pages&& other) noexcept { *this = std::move(other); }
    Pages& operator=(Pages&& other) noexcept {
        std::swap(at, other.at), std::swap(bytes, other.bytes), std::swap(space, other.space);
        return *this;
    }
    ~Pages();

    /// Of the host, most of it never touched: nothing is set aside for it.
    static Pages sparse(std::size_t bytes);
    /// Of the host, in large pages: what is read in long strides, the processor remembers few
    /// translations of addresses.
    static Pages large(std::size_t bytes);
    /// Asks for large pages for a part of host memory.
    static void enlarge(std::byte* at, std::size_t bytes);
};

/// Bytes from one space to another.
void copy(const Pages& from, std::size_t from_offset, Pages& to, std::size_t to_offset,
          std::size_t bytes);

/// Allocator for vectors on the host: aligned to cache lines, in large pages where as long as one.
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
