/// MPI without its C++ bindings; communicators cross the language border as one integer (mpi4py's
/// comm.py2f()).
#pragma once
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
