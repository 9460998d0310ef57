/* Python's lock, and its idea of who runs, of ranks that take turns in one process. CPython 3.11 and
 * 3.12: what it keeps of the running thread is its own affair, and changes from version to version. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <internal/pycore_runtime.h>
#include <mpi.h>
#if PY_VERSION_HEX >= 0x030c0000
#define running (&_PyRuntime.autoTSSkey)
#else
#define running (&_PyRuntime.gilstate.autoTSSkey)
#endif

typedef struct {
    void* me;
    PyThreadState* own; /* NULL: without the lock */
} Away;

static inline Away away(void) {
    Away a = {PyThread_tss_get(running),
              _PyThreadState_UncheckedGet() ? PyEval_SaveThread() : NULL};
    return a;
}

static inline void back(Away a) {
    PyThread_tss_set(running, a.own ? (void*)a.own : a.me);
    if (a.own) PyEval_RestoreThread(a.own);
}
