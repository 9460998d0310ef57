"""`fathom variables`: what output can be asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.commands import new
from fathom.commands.experiment import on_ranks, trust_option
from fathom.run.experiment import trust

# For each model, the experiment with most of its parts.
models = {
    "ocean": "ocean-3deg",
    "atmosphere": "forecast-t106",
    "gridpoint": "straka",
    "shallow-water": "williamson-5",
}


@click.command(short_help="Variables that output of a model or an experiment can contain.")
@click.argument("what", shell_complete=new.completed(lambda: [*models, *new.names()]))
@click.option("--all", "every", is_flag=True, help="Also fields of single processes.")
@trust_option
def variables(what: str, every: bool, trusted: bool) -> int:
    """List the variables that output of WHAT can contain: alias in files, units, meaning.

    WHAT is a model (ocean, atmosphere, gridpoint, shallow-water), an experiment that comes with
    Fathom, or a file.
    """
    file = Path(what)
    if not file.exists():
        name = models.get(what, what.removesuffix(".toml"))
        if name not in new.names():
            allowed = [*models, *new.names()]
            raise InputError(f"no file {what}; " + unknown("model or experiment", what, allowed))
        file = new.shipped / f"{name}.toml"
    if trusted:
        trust.give()
    with trust.looking():
        return on_ranks(file, (), None, lambda experiment: _list(experiment, every))


def _list(experiment: Any, every: bool) -> int:
    from fathom.plots.report.tables import lines  # start-up time: loads NumPy

    simulation = experiment.simulation().prepare()
    if simulation.is_root:
        click.echo("\n".join(lines(*_table(simulation, every), left=(0, 1, 2, 3, 4))))
    return 0


def _table(simulation: Any, every: bool) -> tuple[list[str], list[list[str]]]:
    """Returns head and rows: name, alias, units, where, what it is."""
    from fathom import names  # start-up time

    model = simulation.model
    fields = {f["name"]: f for f in simulation.fields.fields}
    chosen = dict.fromkeys((*model.prognostic, *model.derived))
    if every:
        chosen |= dict.fromkeys(sorted(fields))
    rows = []
    for name in chosen:
        derived = model.derived.get(name)
        if derived is not None and not set(derived.needs) <= set(fields):
            continue
        entry = names.describe(name)
        rows.append([name, entry.alias, entry.units, entry.vertical, entry.long_name])
    for name, integral in model.integrals.items():
        rows.append([name, name, integral.units, "integral", integral.long_name])
    return ["variable", "in files", "units", "on", ""], rows
