"""Run under mpiexec: an ocean and an atmosphere with every exchange and every sum, or (argument
`few`) with some, with kept choices and none. Rank 0 prints their checksums as JSON: all of a model
are the same.
"""

import json
import sys
import tempfile
from pathlib import Path

from mpi4py import MPI

import cases
import fathom as fm
import small_atmospheres
from fathom.run import parallel
from fathom.run.choices import Choices

steps = 3
few = sys.argv[1:] == ["few"]


def ways(what):
    """Exchanges or sums: all, or every twelfth; on one rank nothing travels, and one is enough."""
    names = list(parallel.ways(what))
    if few and MPI.COMM_WORLD.size == 1:
        return names[:1]
    return names[:: 12 if few else 1]


def ocean(**settings):
    surface = fm.FreeSurface(
        preconditioner="evp", solver="pcsi", tolerance=1e-6
    )  # sums and halos of all sorts
    return fm.Simulation(
        cases.stirred(cases.box(free_surface=surface)),
        time_step="1800s",
        surface=cases.wind(),
        parallel=settings,
        directory=tempfile.gettempdir(),
    )


def atmosphere(**settings):
    simulation = small_atmospheres.held_suarez(levels=4)
    simulation.parallel.update(settings)
    return simulation


def checksum(simulation):
    simulation.advance(steps)
    return simulation.checksum()


def put_away():
    """An output that comes between the steps: its fields go through a file into a new sequence."""
    simulation = ocean()
    simulation.directory = Path(tempfile.gettempdir()) / "fathom-later"
    simulation.advance(1)
    simulation.output("later.nc", ["vertical_diffusivity"], statistic="mean")
    simulation.advance(steps - 1)
    return simulation.checksum()


def kept():
    """Settings from the cache: not the usual ones, except where they are named."""
    first = ocean().prepare()
    named = ocean(exchange="datatypes").prepare()
    settings = {
        "exchange": "put-flags",
        "sum": "one-sided-tree",
        "distribution": "space-filling",
        "blocks": [11, 9],
        "tile": {"MomentumAdvection": 16},
        "synchronise": True,
    }
    if first.is_root:
        first.choices.keep(
            {
                name: {
                    "value": value,
                    "default": parallel.usual[name],
                    "how": "tuned",
                    "date": "2001-02-03",
                    "gain": 0.05,
                    "noise": 0.01,
                }
                for name, value in settings.items()
            }
        )
    first.comm.barrier()
    tuned = ocean().prepare()
    assert all(tuned.parallel[name] == value for name, value in settings.items()), tuned.parallel
    assert (
        tuned.why["sum"]
        == "tuned on this machine on 2001-02-03: 5.0 % faster (± 1.0) than allreduce"
    )
    assert named.why["exchange"] == "given"
    named = ocean(exchange="datatypes", blocks=[20, 16]).prepare()
    assert (
        named.parallel["exchange"],
        named.parallel["blocks"],
        named.parallel["distribution"],
        named.parallel["sum"],
    ) == ("datatypes", [20, 16], "auto", "one-sided-tree")
    off = ocean(automatic=False).prepare()
    assert {name: off.parallel[name] for name in parallel.chosen} == {
        name: parallel.usual[name] for name in parallel.chosen
    } and all(why.startswith("default") for why in off.why.values())
    plain = fm.Simulation(
        cases.box(free_surface=fm.FreeSurface(reproducible=False)),
        time_step="1800s",
        directory=tempfile.gettempdir(),
    ).prepare()
    if plain.is_root:
        Choices(plain.choices.of).keep(
            {"sum": {"value": "tree", "default": "allreduce", "how": "tuned", "date": "2001-02-03"}}
        )
    plain.comm.barrier()
    plain = fm.Simulation(plain.model, time_step="1800s", directory=tempfile.gettempdir()).prepare()
    assert plain.parallel["sum"] == "allreduce" and "other bits" in plain.why["sum"]
    simulations = {"first": first, "tuned": tuned, "named": named, "off": off}
    return {f"ocean {what}": checksum(simulation) for what, simulation in simulations.items()} | {
        "ocean with a later output": put_away()
    }


if MPI.COMM_WORLD.size > 1:
    groups = ocean(automatic=False, exchange="overlapped").prepare().sequence.groups
    assert any(0.3 < g["overlapped"] < 1 for g in groups) and all(
        g["overlapped"] == 0 or g["exchange"] for g in groups
    )
found = {
    f"ocean {way}": checksum(ocean(automatic=False, **{what: way}))
    for what in ("exchange", "sum")
    for way in ways(what)
}
found |= {
    f"atmosphere {way}": checksum(atmosphere(automatic=False, exchange=way))
    for way in ways("exchange")
}
found |= {
    f"ocean, at most {words} words": checksum(ocean(automatic=False, sum_words=words))
    for words in ((1,) if few else (1, 4, "probed"))
}
for name, make in (("ocean", ocean), ("atmosphere", atmosphere)):
    backwards = make(automatic=False)
    backwards._order = list(range(MPI.COMM_WORLD.size))[::-1]  # as if ranks lay so on nodes
    found[f"{name}, ranks backwards"] = checksum(backwards)
found |= kept() if MPI.COMM_WORLD.size > 1 else {"ocean first": checksum(ocean())}
if MPI.COMM_WORLD.rank == 0:
    print(json.dumps(found))
