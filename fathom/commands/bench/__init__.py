"""The commands of `fathom bench`: one for each part of the model, against the limits of the
machine.
"""

from __future__ import annotations

import click

from fathom.commands.bench.assimilation import assimilation
from fathom.commands.bench.atmosphere import atmosphere
from fathom.commands.bench.balance import balance
from fathom.commands.bench.barotropic import barotropic
from fathom.commands.bench.bi_fourier import bi_fourier
from fathom.commands.bench.blocking import blocking
from fathom.commands.bench.gridpoint import gridpoint
from fathom.commands.bench.input import input_
from fathom.commands.bench.kernels import kernels
from fathom.commands.bench.limited_area import limited_area
from fathom.commands.bench.matrix import matrix
from fathom.commands.bench.messages import messages
from fathom.commands.bench.observations import observations
from fathom.commands.bench.ocean import ocean
from fathom.commands.bench.output import output
from fathom.commands.bench.radiation import radiation
from fathom.commands.bench.transform import transform

parts = (
    ocean,
    balance,
    barotropic,
    transform,
    bi_fourier,
    messages,
    input_,
    output,
    atmosphere,
    gridpoint,
    limited_area,
    blocking,
    matrix,
    kernels,
    observations,
    assimilation,
    radiation,
)


@click.group(short_help="Measure the model against the limits of the machine.")
def bench() -> None:
    """Measure the model against the limits of the machine."""
    from fathom.performance import load  # start-up time: other commands do without

    load.begin()


for part in parts:
    bench.add_command(part)
