"""The command `fathom`: one verb, one file. `fathom --help` loads nothing but the options of
all.
"""

from __future__ import annotations

import sys
import warnings
from io import TextIOWrapper

import click

from fathom.base.failure import LaunchError
from fathom.base.shown import on_one_line
from fathom.commands.archive import archive
from fathom.commands.bench import bench
from fathom.commands.blocks import blocks
from fathom.commands.calibrate import calibrate
from fathom.commands.column import column
from fathom.commands.compare import compare
from fathom.commands.convert import convert
from fathom.commands.cycle import background, cycle
from fathom.commands.data import data
from fathom.commands.database import database
from fathom.commands.doctor import doctor
from fathom.commands.forcing import forcing
from fathom.commands.machine import machine
from fathom.commands.new import new
from fathom.commands.observations import observations
from fathom.commands.plot import plot
from fathom.commands.profile import profile
from fathom.commands.run import run
from fathom.commands.scale import scale
from fathom.commands.schema import schema
from fathom.commands.sensitivity import sensitivity
from fathom.commands.show import show
from fathom.commands.tune import tune
from fathom.commands.variables import variables
from fathom.commands.verify import verify
from fathom.commands.watch import watch
from fathom.run import launch

settings = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
verbs = (
    new,
    show,
    run,
    watch,
    column,
    tune,
    profile,
    compare,
    verify,
    scale,
    machine,
    doctor,
    plot,
    variables,
    schema,
    data,
    convert,
    database,
    archive,
    observations,
    cycle,
    background,
    sensitivity,
    calibrate,
    forcing,
    blocks,
    bench,
)


@click.group(context_settings=settings)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, option, asked: _version(context) if asked else None,
    help="Version, commit and MPI.",
)
def cli() -> None:
    """Fathom: ocean and weather models that run fast on any machine and tell where the time
    goes.
    """


for verb in verbs:
    cli.add_command(verb)


def _version(context: click.Context) -> None:
    """Prints the version, the commit that was built, and the MPI that runs, and ends."""
    from fathom.base import provenance  # start-up time: looks up packages

    built = provenance.build()
    click.echo(f"fathom, version {provenance.version()}")
    click.echo(f"commit {built.get('commit') or 'unknown'}, {built.get('compiler') or 'no core'}")
    try:
        click.echo(provenance.library())
    except (LaunchError, ImportError) as error:
        click.echo(f"no MPI: {error}")
    context.exit()


def main(arguments: list[str] | None = None) -> None:
    """Run the command; exit status 0, 1 for a failure, 2 for an error in the input, 130 if it was
    interrupted.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    speaks = (launch.launched() or (0, 1))[0] == 0
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal of few signs is no error
    warnings.formatwarning = _warning
    try:
        status = cli.main(args=arguments, prog_name="fathom", standalone_mode=False)
    except click.ClickException as error:
        if speaks:
            error.show()
        status = error.exit_code
    except click.Abort:
        status = 130
    except Exception as error:
        if speaks:
            launch.report(error)
        status = launch.status_of(error)
    except KeyboardInterrupt:
        status = 130
    sys.exit(status if isinstance(status, int) else 0)


def _warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Returns a warning as users read it; one of a library with its place."""
    if category is UserWarning:
        return f"fathom: {on_one_line(str(message))}\n"
    return f"{filename}:{lineno}: {category.__name__}: {message}\n"
