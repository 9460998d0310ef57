/// What the thread sanitizer must know of OpenMP: gcc's runtime is not built with it, so that it
/// sees neither the fork and the join of a parallel region nor its barriers and critical sections,
/// and takes what they order for a race. Linked into the core these stand before the runtime's own,
/// tell the sanitizer what they order, and call them.
#include <dlfcn.h>

extern "C" {
void __tsan_acquire(void*);
void __tsan_release(void*);
}

namespace {

using Call = void();
using Parallel = void(void (*)(void*), void*, unsigned, unsigned);

template <class Function> Function* of_runtime(const char* name) {
    return (Function*)dlsym(RTLD_NEXT, name);
}

char fork, join, barrier, critical, atomic;  // what happens before what

struct Region {
    void (*body)(void*);
    void* data;
};

void part_of_a_thread(void* given) {
    __tsan_acquire(&fork);
    const Region region = *(Region*)given;
    region.body(region.data);
    __tsan_release(&join);
}

/// All threads come to here before one continues.
void meet(Call* runtime) {
    __tsan_release(&barrier);
    runtime();
    __tsan_acquire(&barrier);
}

}  // namespace

extern "C" {

void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
    static auto* const runtime = of_runtime<Parallel>("GOMP_parallel");
    Region region{body, data};
    __tsan_release(&fork);
    runtime(part_of_a_thread, &region, threads, flags);
    __tsan_acquire(&join);
}
void GOMP_barrier() {
    static auto* const runtime = of_runtime<Call>("GOMP_barrier");
    meet(runtime);
}
void GOMP_loop_end() {
    static auto* const runtime = of_runtime<Call>("GOMP_loop_end");
    meet(runtime);
}
void GOMP_critical_start() {
    static auto* const runtime = of_runtime<Call>("GOMP_critical_start");
    runtime();
    __tsan_acquire(&critical);
}
void GOMP_critical_end() {
    static auto* const runtime = of_runtime<Call>("GOMP_critical_end");
    __tsan_release(&critical);
    runtime();
}
void GOMP_atomic_start() {
    static auto* const runtime = of_runtime<Call>("GOMP_atomic_start");
    runtime();
    __tsan_acquire(&atomic);
}
void GOMP_atomic_end() {
    static auto* const runtime = of_runtime<Call>("GOMP_atomic_end");
    __tsan_release(&atomic);
    runtime();
}
}
