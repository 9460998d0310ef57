/// MPI without its C++ bindings; one integer (mpi4py's comm.py2f()) names a communicator across the
/// language border.
#pragma once
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
