#include "machine/memory.hpp"
#include <sys/mman.h>
#include <cstring>
#include "base/error.hpp"

namespace fathom {

static std::byte* on_host(std::size_t bytes, int more = 0) {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | more, -1, 0);
    if (map == MAP_FAILED) throw Error("no memory for ", bytes, " bytes");
    return (std::byte*)map;
}

Pages::Pages(std::size_t bytes) : at(on_host(bytes)), bytes(bytes) {}

Pages::~Pages() {
    if (at) munmap(at, bytes);
}

Pages Pages::sparse(std::size_t bytes) {
    Pages made;
    made.at = on_host(bytes, MAP_NORESERVE), made.bytes = bytes;
    return made;
}

Pages Pages::large(std::size_t bytes) {
    Pages made;
    made.bytes = (bytes + small_page - 1) / small_page * small_page;
    std::byte* map = on_host(made.bytes + large_page);
    made.at = map + (large_page - (std::size_t)map % large_page) % large_page;
    // returns the parts before and after
    if (made.at != map) munmap(map, made.at - map);
    munmap(made.at + made.bytes, map + large_page - made.at);
    enlarge(made.at, made.bytes);
    return made;
}

void Pages::enlarge([[maybe_unused]] std::byte* at, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
    madvise(at, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace fathom
