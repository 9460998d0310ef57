/// Large pages for what is read in long strides: the processor remembers few translations of
/// addresses.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace fathom {

/// Allocator for vectors; memory is aligned to cache lines, and to large pages where it is as long
/// as one.
template <class T> struct LargePages {
    using value_type = T;
    LargePages() = default;
    template <class U> LargePages(const LargePages<U>&) {}
    T* allocate(std::size_t n) {
        constexpr std::size_t page = 1 << 21, line = 64;
        const std::size_t unit = n * sizeof(T) >= page ? page : line,
                          bytes = (n * sizeof(T) + unit - 1) / unit * unit;
        void* at = std::aligned_alloc(unit, bytes);
        if (!at) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
        if (unit == page) madvise(at, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(at);
    }
    void deallocate(T* at, std::size_t) { std::free(at); }
    friend bool operator==(LargePages, LargePages) { return true; }
};

template <class T> using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace fathom
