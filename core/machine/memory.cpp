#include "machine/memory.hpp"
#include <sys/mman.h>
#include <cstring>
#include "base/error.hpp"
#if defined(FATHOM_CUDA)
#include <cuda_runtime.h>
#endif

namespace fathom {

#if defined(FATHOM_CUDA)

bool available(MemorySpace space) {
    int devices = 0;
    return space == MemorySpace::host ||
           (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0);
}
static std::byte* on_device(std::size_t bytes) {
    void* at = nullptr;
    if (cudaMalloc(&at, bytes) != cudaSuccess || cudaMemset(at, 0, bytes) != cudaSuccess)
        throw Error("no memory for ", bytes, " bytes on the device");
    return (std::byte*)at;
}
static void release_on_device(std::byte* at) { cudaFree(at); }
static void copy_with_device(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (cudaMemcpy(to, from, bytes, cudaMemcpyDefault) != cudaSuccess)
        throw Error(bytes, " bytes could not be copied from or to the device");
}

#else

bool available(MemorySpace space) { return space == MemorySpace::host; }
static std::byte* on_device(std::size_t) {
    throw Error("memory of a device: this build of Fathom has no CUDA; allowed: host");
}
static void release_on_device(std::byte*) {}
static void copy_with_device(std::byte*, const std::byte*, std::size_t) {}

#endif

static std::byte* on_host(std::size_t bytes, int more = 0) {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | more, -1, 0);
    if (map == MAP_FAILED) throw Error("no memory for ", bytes, " bytes");
    return (std::byte*)map;
}

Pages::Pages(std::size_t bytes, MemorySpace space) : bytes(bytes), space(space) {
    at = space == MemorySpace::host ? on_host(bytes) : on_device(bytes);
}

Pages::~Pages() {
    if (!at) return;
    space == MemorySpace::host ? (void)munmap(at, bytes) : release_on_device(at);
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
    // what lies before and behind
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

void copy(const Pages& from, std::size_t from_offset, Pages& to, std::size_t to_offset,
          std::size_t bytes) {
    if (from.space == MemorySpace::host && to.space == MemorySpace::host)
        std::memcpy(to.at + to_offset, from.at + from_offset, bytes);
    else
        copy_with_device(to.at + to_offset, from.at + from_offset, bytes);
}

}  // namespace fathom
