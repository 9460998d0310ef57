"""What is checked before MPI starts and the core is loaded."""

import pytest

import fathom as fm
from fathom.base import mpi

mpich = "MPICH Version: 5.0.2\n\0"
open_mpi = "Open MPI v5.0.8, package: Debian"


def test_the_library_that_runs_is_the_one_of_the_core():
    mpi.check_library(mpi.MPI.Get_library_version(), mpi.core.mpi_library(), mpi.core.mpi_of_build)
    mpi.check_library(mpich, mpich.strip("\n\0"), "MPICH")
    mpi.check_library("Intel(R) MPI Library 2021.9", "Intel(R) MPI Library 2021.9", "MPICH")
    mpi.check_library(open_mpi, open_mpi, "Open MPI")


@pytest.mark.parametrize(
    "of_mpi4py, of_core, of_build, said",
    [
        (open_mpi, mpich, "MPICH", "two MPI libraries: mpi4py has loaded Open MPI v5.0.8"),
        (open_mpi, open_mpi, "MPICH", "but Fathom's core was built with MPICH"),
        (
            mpich,
            mpich,
            "Open MPI",
            "is MPICH Version: 5.0.2, but Fathom's core was built with Open",
        ),
    ],
)
def test_another_library_is_refused(of_mpi4py, of_core, of_build, said):
    with pytest.raises(fm.LaunchError, match=said):
        mpi.check_library(of_mpi4py, of_core, of_build)


def test_a_processor_without_the_instructions_is_refused():
    from fathom import built

    mpi.check_processor()
    if not built.instructions:
        pytest.skip("the core was compiled for any processor")
    with pytest.raises(fm.LaunchError, match="FATHOM_MARCH"):
        mpi.check_processor(has="sse2")
