# MPI: the site's (-DMPI_HOME=prefix), or the mpich wheel. The wheel's headers and libraries are in
# the "data" scheme of its environment: pip's temporary overlay if the build is isolated.
add_library(fathom_mpi INTERFACE)
add_library(fathom::mpi ALIAS fathom_mpi)
if(MPI_LIBRARY)  # from tools/simulated_model: builds the core for ranks that SimGrid simulates
  target_link_libraries(fathom_mpi INTERFACE "${MPI_LIBRARY}")
  target_include_directories(fathom_mpi SYSTEM INTERFACE "${MPI_INCLUDE}")
  return()
endif()
if(MPI_HOME)
  find_package(MPI REQUIRED COMPONENTS C)
  target_link_libraries(fathom_mpi INTERFACE MPI::MPI_C)
  get_filename_component(FATHOM_MPI_RPATH "${MPI_HOME}/lib" ABSOLUTE)
  return()
endif()
# importlib.metadata finds the wheel on sys.path, wherever pip or uv installed it; its RECORD has the path of mpi.h.
execute_process(COMMAND "${Python_EXECUTABLE}" -c [[
import importlib.metadata as m, pathlib, sys
try: files = m.files("mpich")
except m.PackageNotFoundError: sys.exit("the mpich wheel is not installed in the build environment; give -DMPI_HOME=prefix for another MPI")
print(pathlib.Path(next(f for f in files if f.name == "mpi.h").locate()).resolve().parent.parent, end="")
]] OUTPUT_VARIABLE prefix COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "MPI: mpich wheel in ${prefix}")
target_link_libraries(fathom_mpi INTERFACE "${prefix}/lib/libmpi.so")
target_include_directories(fathom_mpi SYSTEM INTERFACE "${prefix}/include")
