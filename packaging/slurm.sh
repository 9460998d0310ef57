#!/bin/sh
# A run on two nodes: sbatch packaging/slurm.sh ocean.toml
# Needs a Fathom that was built with the cluster's own MPI: MPI_HOME=/opt/mpi pip install .
#SBATCH --job-name=fathom
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=32
#SBATCH --cpus-per-task=2
#SBATCH --time=02:00:00
#SBATCH --signal=TERM@120
# The signal, two minutes before the end, makes the run write its restart; this script then goes on
# from it: `sbatch packaging/slurm.sh ocean.toml` again.
set -eu
experiment=${1:?the file of an experiment}
directory=${2:-runs/$(basename "$experiment" .toml)}
export OMP_NUM_THREADS="${SLURM_CPUS_PER_TASK:-1}"
export SRUN_CPUS_PER_TASK="$OMP_NUM_THREADS" # since Slurm 22.05 srun takes it from here alone
if [ -e "$directory/restart.fathom" ]; then
  set -- --continue
else
  set --
fi
srun fathom run "$experiment" --out "$directory" "$@"
