/* A rank that SimGrid simulates is a thread of control of one process, and all of them share one
 * interpreter of Python: the first starts it, each has a state of its own in it and runs the same
 * script.
 *
 *     rank  experiment.toml  steps  settings
 */
#define _GNU_SOURCE
#include "state.h"
#include <dlfcn.h>
#include <stdio.h>
#include <sys/prctl.h>

static void start(void) { /* by the first to come; no other runs meanwhile */
    static int started = 0;
    if (started++) return;
    Dl_info python; /* modules of Python look for it among what all see */
    dladdr((void*)&Py_InitializeEx, &python);
    dlopen(python.dli_fname, RTLD_NOW | RTLD_GLOBAL);
    Py_InitializeEx(0);
    PyEval_SaveThread();
}

int main(int argc, char** argv) {
    /* small pages: of a buffer of the whole grid a rank touches little */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    MPI_Init(&argc, &argv);
    start();
    PyThreadState* own = PyThreadState_New(PyInterpreterState_Main());
    Away here = {own, own};
    back(here);
    PyObject* arguments = PyList_New(0);
    for (int n = 1; n < argc; ++n) {
        PyObject* text = PyUnicode_FromString(argv[n]);
        PyList_Append(arguments, text);
        Py_DECREF(text);
    }
    PyObject* module = PyImport_ImportModule("on_simulated_ranks");
    PyObject* done = module ? PyObject_CallMethod(module, "act", "O", arguments) : NULL;
    const int right = done != NULL;
    if (!right) PyErr_Print(), fflush(stderr);
    Py_XDECREF(done), Py_XDECREF(module), Py_DECREF(arguments);
    PyEval_SaveThread();
    if (!right) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
