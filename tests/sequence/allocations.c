/* Counts allocations, preloaded under a step of the ocean by allocations.py; those of the OpenMP library, which makes and drops a small
   record of each parallel region, are told apart. glibc exports its allocator under these names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
static long ours, openmp;
long allocations(void) { return ours; }
long allocations_of_openmp(void) { return openmp; }
static int counting;
void count_allocations(int yes) { counting = yes; }
static void count(void *caller) {
    Dl_info info;
    if (!counting) return;
    const int is_openmp = dladdr(caller, &info) && info.dli_fname && (strstr(info.dli_fname, "gomp") || strstr(info.dli_fname, "libomp"));
    __atomic_add_fetch(is_openmp ? &openmp : &ours, 1, __ATOMIC_RELAXED);
}
#define COUNT count(__builtin_return_address(0))
void *malloc(size_t n) { COUNT; return __libc_malloc(n); }
void *calloc(size_t n, size_t size) { COUNT; return __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { COUNT; return __libc_realloc(p, n); }
void *aligned_alloc(size_t align, size_t n) { COUNT; return __libc_memalign(align, n); }
void *memalign(size_t align, size_t n) { COUNT; return __libc_memalign(align, n); }
int posix_memalign(void **p, size_t align, size_t n) { COUNT; return (*p = __libc_memalign(align, n)) ? 0 : 12; }
