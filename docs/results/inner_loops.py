"""Strong scaling of inner loops of 4D-Var at T48 and T107 with 60 levels: a step of the tangent and
of the adjoint, measured on real ranks here and priced on ranks of other machines.

    python docs/results/inner_loops.py --ranks 1,2 --json inner.json --picture inner-loops.png
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from fathom.performance.scaling import load, probes
from fathom.performance.scaling.predict import Prices
from fathom.performance.scaling.request import Request, counts
from fathom.plots.colours import ink, phases
from fathom.plots.style import new_figure, styled
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document
from fathom.run.progress import Line

case = Path(__file__).parents[2] / "experiments" / "held-suarez-t42.toml"
machines = ("nec-sx8r", "cray-ex")
steps = {48: "30min", 107: "15min"}


def priced(truncation: int, levels: int, ranks: str, simulate: str) -> dict[str, Any]:
    """Measurements on this machine, and simulations by machine, of one truncation."""
    request = Request(
        case,
        counts(ranks, "--ranks"),
        counts(simulate, "--simulate"),
        settings=(
            f"grid.truncation={truncation}",
            f"grid.levels.nz={levels}",
            f"simulation.time_step={steps.get(truncation, '15min')}",
        ),
        inner_loop=True,
    )
    line, experiment = Line(), Experiment(Document.read(case, request.settings))
    found = probes.measure(request, None, line)
    made: dict[str, Any] = {"levels": levels, "simulated": {}}
    made["measured"] = Prices.of(request, None, found, experiment).checked(line)
    for name in machines:
        prices = Prices.of(request, load(name), found, experiment)
        made["simulated"][name], made["refused"] = prices.simulated(line)
        made["alone"] = made.get("alone", {}) | {name: prices.alone}
    made["costs"] = prices.base.text()
    line.clear()
    return made


def moving(entry: dict[str, Any]) -> float:
    """The part of the time in which ranks do not compute: messages, and waiting for others."""
    spent = {
        k: sum(r[k] for r in entry["regions"].values()) for k in ("computing", "waiting", "moving")
    }
    return 1 - spent["computing"] / sum(spent.values())


def text(found: dict[str, Any]) -> list[str]:
    lines = []
    for truncation, of in found.items():
        lines += [f"T{truncation}L{of['levels']}, tangent and adjoint of a step", *of["costs"]]
        lines += [
            f"  here {c['ranks']:>5} ranks {c['measured']:9.3f} s measured,"
            f" {c['seconds']:9.3f} predicted"
            for c in of["measured"]
        ]
        for name, entries in of["simulated"].items():
            lines += [
                f"  {name:10}{s['ranks']:>5} ranks {1e3 * s['seconds']:10.2f} ms,"
                f" {of['alone'][name] / s['seconds']:7.1f} times one, messages and waiting"
                f" {100 * moving(s):3.0f} %"
                for s in entries
            ]
    return lines


@styled
def draw(found: dict[str, Any]) -> Any:
    """Speed-up and the part of communication against ranks, a row for each machine."""
    figure = new_figure(7.4, 2.9 * len(machines))
    axes = figure.subplots(len(machines), 2, squeeze=False)
    for row, name in zip(axes, machines):
        for n, (truncation, of) in enumerate(found.items()):
            entries = of["simulated"][name]
            ranks = [s["ranks"] for s in entries]
            style = {"color": phases[n], "label": f"T{truncation}", "ms": 3.5, "lw": 1.5}
            row[0].plot(ranks, [of["alone"][name] / s["seconds"] for s in entries], "o-", **style)
            row[1].plot(ranks, [100 * moving(s) for s in entries], "o-", **style)
        row[0].plot(ranks, ranks, "--", color=ink, lw=0.8, label="ranks")
        row[0].set(xscale="log", yscale="log", ylabel="times one rank", title=load(name).name)
        row[1].set(
            xscale="log", ylim=(0, 100), ylabel="messages and waiting [%]", title="simulated"
        )
        for axis in row:
            axis.set_xlabel("ranks")
            axis.set_xticks(ranks, [str(r) for r in ranks])
            axis.minorticks_off()
            axis.grid(True)
        row[0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    return figure


@click.command(help=__doc__)
@click.option("--levels", default=60)
@click.option("--ranks", default="1,2", help="Measured here.")
@click.option("--simulate", default="1,2,4,8,16,32,64,128,256")
@click.option("--json", "file", type=click.Path(path_type=Path))
@click.option("--picture", type=click.Path(path_type=Path))
def main(levels: int, ranks: str, simulate: str, file: Path | None, picture: Path | None) -> None:
    found = {n: priced(n, levels, ranks, simulate) for n in steps}
    click.echo("\n".join(text(found)))
    if file is not None:
        file.write_text(json.dumps(found, indent=1))
    if picture is not None:
        draw(found, path=picture)


if __name__ == "__main__":
    main()
