"""What everything uses: errors, units, constants, clocks, files, the MPI world."""
