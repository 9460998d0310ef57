"""Findings of published scaling studies, by the simulator (docs/results/scaling.md,
docs/results/platforms.md): fits and points left out, extrapolated points, statements; and the
figures.

    python docs/results/scaling_studies.py [FOLDER] [--json FILE]
"""

import argparse
import itertools
import json
from pathlib import Path

import numpy as np

from fathom.performance.scaling import load
from fathom.performance.scaling.studies import (
    arome,
    cgpop,
    cgpop_terms,
    k_computer,
    pop_phases,
    pop_x1,
    statements,
    sub_space_io,
    unified_model,
)
from fathom.plots.colours import faint, ink, phases
from fathom.plots.style import new_figure, styled

FAR = 16384  # cores, beyond all points of the solver
IN_POP = ("XE6/POP/PGI", "XT5/POP")
ALIKE = (
    ("XT5/CGPOP", "XT5/POP"),
    ("XE6/CGPOP/PGI", "XE6/POP/PGI"),
    ("XE6/CGPOP/Cray", "XE6/CGPOP/PGI"),
)  # curves of a machine, on the same cores


# numbers and terms of a study that were chosen when its figures were known, beside those fitted
BY_HAND = {
    "sub-space I/O": ("the root in the stall", "38 s of service"),
    "solver": ("the power 4 of the cache", "the gap as a term", "errors beyond 10 % by their size"),
    "POP on X1": ("cost of a point", "halos of a step", "rate of interrupts", "their length"),
    "K": ("time of a gate", "cost of a point", "speed-up of threads"),
    "UM departure points": ("bands",),
    "UM pairs": ("overhead",),
    "AROME": ("extension zone", "share of the physics", "barriers before messages", "steps"),
}


def panel(figure, place, title, note, **labels):
    axes = figure.add_axes(place)
    axes.set_title(title, fontsize=9.5, pad=18)
    axes.text(0, 1.03, note, transform=axes.transAxes, fontsize=7.5, color=faint)
    axes.set(**labels)
    axes.grid(True)
    axes.set_axisbelow(True)
    return axes


def ticks(axes, values):
    axes.set_xscale("log")
    axes.set_xticks(values, [str(v) for v in values])
    axes.minorticks_off()


@styled
def x1():
    machine, values = load("cray-x1"), pop_x1.fitted(False).values
    ranks = [16, 32, 64, 96, 128, 192, 256, 384, 512]
    figure = new_figure(9.6, 3.9)
    left = panel(
        figure,
        (0.07, 0.14, 0.4, 0.68),
        "POP 320×384×40 on the Cray X1",
        "s of a model day by phase; simulated, fitted to six estimates of ours",
        xlabel="processors",
        ylabel="s",
        yscale="log",
    )
    right = panel(
        figure,
        (0.57, 0.14, 0.4, 0.68),
        "What the operating system costs",
        "model years a day with interrupts of 1 % of the time (estimate); simulated",
        xlabel="processors",
        ylabel="years a day",
    )
    day = lambda phase, *variant: [
        pop_x1.day(machine, values, p, *variant).mean(phase) for p in ranks
    ]
    years = lambda machine, variant: [
        pop_x1.years_a_day(machine, values, p, variant) for p in ranks
    ]
    left.plot(ranks, day("baroclinic"), "o-", color=phases[0], ms=3.5, label="baroclinic")
    loose = machine.but({"noise.synchronised": False})
    for n, (variant, text) in enumerate((("mpi", "messages"), ("co-arrays", "a tree of stores"))):
        left.plot(
            ranks,
            day("barotropic", variant),
            "o-",
            color=phases[n + 1],
            ms=3.5,
            label=f"barotropic, {text}",
        )
        right.plot(
            ranks,
            years(machine, variant),
            "o-",
            color=phases[n + 1],
            ms=3.5,
            label=f"{text}, all at once",
        )
        right.plot(
            ranks,
            years(loose, variant),
            "o--",
            color=phases[n + 1],
            ms=3.5,
            mfc="white",
            label=f"{text}, each by itself",
        )
    left.set_yticks([0.3, 1, 3], ["0.3", "1", "3"])
    for axes in (left, right):
        ticks(axes, [16, 32, 64, 128, 256, 512])
        axes.legend(frameon=False, fontsize=7.5)
    return figure


@styled
def k():
    figure = new_figure(9.6, 3.6)
    left = panel(
        figure,
        (0.07, 0.12, 0.4, 0.68),
        "The solver on 7545 nodes of K",
        "µs of an iteration, simulated; the study: sums about ×2 faster, ×1.84 in all",
        ylabel="µs",
    )
    right = panel(
        figure,
        (0.57, 0.12, 0.4, 0.68),
        "Shape of the job",
        "mean hops between nodes of a torus, computed",
        xlabel="nodes",
        ylabel="hops",
        yscale="log",
    )
    runs = {step: k_computer.iteration(step) for step in k_computer.steps}
    bottom = np.zeros(len(runs))
    for n, (region, text) in enumerate(
        (("calc", "computing"), ("halo", "halo"), ("sum", "sum, waiting included"))
    ):
        height = np.array([1e6 * t.mean(region) for t in runs.values()])
        left.bar(range(len(runs)), height, bottom=bottom, width=0.62, color=phases[n], label=text)
        bottom += height
    for n, (total, gain) in enumerate(zip(bottom, k_computer.gains().values())):
        left.text(n, total + 1.2, f"×{gain:.2f}", ha="center", fontsize=8, color=ink)
    left.set_xticks(
        range(len(runs)), ["as it was", "sums by\nhardware", "halo by\nRDMA", "eight\nthreads"]
    )
    left.set_ylim(0, 1.28 * bottom.max())
    left.grid(False, axis="x")
    left.legend(frameon=False, fontsize=7.5, ncols=3, loc="upper right")
    from fathom.performance.scaling.network import Network, shape_of

    nodes = [64, 512, 4096, 32768]
    for n, dimensions in enumerate((1, 2, 3)):
        right.plot(
            nodes,
            [Network("torus", p, shape_of(p, dimensions)).mean_hops for p in nodes],
            "o-",
            color=phases[n],
            ms=3.5,
            label=f"{dimensions}-D",
        )
    ticks(right, nodes)
    right.legend(frameon=False, fontsize=7.5)
    return figure


@styled
def output():
    values, _ = sub_space_io.fitted()
    cells, seconds = sub_space_io.figures()
    tasks = np.unique(np.round(np.geomspace(288, 2304, 40)).astype(int))
    figure = new_figure(9.6, 3.9)
    left = panel(
        figure,
        (0.07, 0.14, 0.4, 0.68),
        "AROME with 96 outputs, Cray XE6",
        "s of a forecast of 24 hours; points: study, lines: simulated, fitted",
        xlabel="tasks that compute",
        ylabel="s",
    )
    right = panel(
        figure,
        (0.57, 0.14, 0.4, 0.68),
        "Outputs that found no set free",
        "of 96; simulated, 38 s of service estimated",
        xlabel="tasks that compute",
        ylabel="outputs",
    )
    for n, (sets, text) in enumerate(
        (
            (None, "no output"),
            (0, "written by the tasks"),
            (1, "one set"),
            (2, "two sets"),
            (4, "four sets"),
        )
    ):
        left.plot(
            tasks,
            [sub_space_io.elapsed(values, int(t), sets) for t in tasks],
            color=phases[n],
            lw=1.5,
            label=text,
        )
        there = [(c[0], s) for c, s in zip(cells, seconds) if c[1] == sets and c[1] != 2]
        left.plot(*zip(*there), "o", color=phases[n], ms=4.5) if there else None
        if sets:
            right.plot(
                tasks,
                [sub_space_io.forecast(values, int(t), sets)["fallback"] for t in tasks],
                color=phases[n],
                lw=1.5,
                label=text,
            )
    left.set_ylim(0)
    for axes in (left, right):
        ticks(axes, [288, 576, 1152, 2304])
        axes.legend(frameon=False, fontsize=7.5)
    return figure


@styled
def solver():
    figure = new_figure(9.6, 3.9)
    for place, name, text in (
        ((0.07, 0.14, 0.4, 0.68), "XE6/POP/PGI", "Cray XE6"),
        ((0.57, 0.14, 0.4, 0.68), "XT5/POP", "Cray XT5"),
    ):
        axes = panel(
            figure,
            place,
            f"The 0.1° solver on the {text}",
            "s of a model day; points: study, lines: simulated",
            xlabel="cores",
            ylabel="s",
            yscale="log",
        )
        machine, program = cgpop.known(name)
        cores, seconds = cgpop.series(name)
        ranks = np.unique(np.round(np.geomspace(96, 32768, 60)).astype(int))
        axes.plot(
            ranks,
            [cgpop.day(machine, program, int(p)) for p in ranks],
            color=phases[0],
            lw=1.5,
            label="as it is",
        )
        free = machine.but({"network.gap": 0.0, "sum.hardware": 1.2e-5, "sum.elements": 32})
        axes.plot(
            ranks,
            [cgpop.day(free, program, int(p), "hardware") for p in ranks],
            color=phases[1],
            lw=1.5,
            label="an adapter without gap, sums by the network",
        )
        axes.plot(cores, seconds, "o", color=ink, ms=3.5)
        ticks(axes, [96, 384, 1536, 6144, 24576])
        axes.legend(frameon=False, fontsize=7.5)
    return figure


def say_points(name, errors, left_out):
    print(
        "   cores: error (left out), %  "
        + ", ".join(
            f"{c}: {100 * e:+.0f} ({100 * left:+.0f})"
            for c, e, left in zip(cgpop.series(name)[0], errors, left_out)
        )
    )


def fits():
    """(name, fit or errors, of figures left out)."""
    values, _ = sub_space_io.fitted()
    yield "sub-space I/O", len(values), sub_space_io.errors(values), sub_space_io.left_out()
    yield (
        "sub-space I/O, rows left out",
        len(values),
        sub_space_io.errors(values),
        sub_space_io.left_out("tasks"),
    )
    fit, done = cgpop.together(hold_out=True), 0
    for name in itertools.chain.from_iterable(cgpop.crays.values()):
        part = slice(done, done + len(cgpop.series(name)[0]))
        yield f"solver, {name}", len(fit.names), fit.errors[part], fit.left_out[part]
        say_points(name, fit.errors[part], fit.left_out[part])
        done = part.stop
    fit = cgpop.fitted("BGL/CGPOP")
    yield "solver, BGL/CGPOP", len(fit.names), fit.errors, fit.left_out
    say_points("BGL/CGPOP", fit.errors, fit.left_out)
    for name, fit in (
        ("POP on X1", pop_x1.fitted()),
        ("K", k_computer.fitted()),
        ("UM departure points", unified_model.departure_fit()),
        ("UM pairs", unified_model.pairs_fit()),
        ("SURFEX", arome.surfex_fit()),
        ("AROME", arome.forecast_fit()),
    ):
        yield name, len(fit.names), fit.errors, fit.left_out


def say_outputs(rows):
    """As a table: study / simulated."""
    for row in rows:
        both = [
            f"{row['study'][key]:.{n}f} / {row['simulated'][key]:.{n}f}"
            for key, n in (("seconds", 0), ("an_output", 1), ("days_a_day", 1), ("core_hours", 0))
        ]
        sets = {None: "no output", 0: "by the tasks", 1: "one set"}.get(row["sets"], "four sets")
        print("| " + " | ".join([str(row["tasks"]), sets, *both]) + " |")


def tried():
    """Other terms of the solver, and what no model can explain."""
    return {
        "terms": {
            name: {
                most: {
                    series: {
                        int(far): float(error)
                        for far, error in zip(*cgpop.beyond(series, most, term))
                    }
                    for series in cgpop.six
                }
                for most in (1500, 2300, 2900)
            }
            for name, term in cgpop_terms.terms.items()
        },
        "far": {
            name: {of: cgpop.day(*cgpop.known(of, priced=term), FAR, priced=term) for of in IN_POP}
            for name, term in {"as it is": cgpop.iteration, **cgpop_terms.terms}.items()
        },
        "apart": {f"{a} less {b}": cgpop_terms.apart(a, b) for a, b in ALIKE if a[-3:] != "PGI"},
        "alike": {f"{a} and {b}": cgpop_terms.alike(a, b) for a, b in ALIKE},
        "between": {name: cgpop_terms.between(name) for name in cgpop.six},
    }


def figures():
    """All that is printed, as plain data: fits, extrapolations, phases, statements."""
    cores, shares = pop_phases.studied()
    return tried() | {
        "fits": {
            name: {
                "parameters": parameters,
                "by_hand": sum(name.startswith(key) * len(set_) for key, set_ in BY_HAND.items()),
                "figures": len(errors),
                "rms": float(np.sqrt(np.mean(np.square(errors)))),
                "largest": float(np.abs(errors).max()),
                "left_out": float(np.abs(left_out).max()),
            }
            for name, parameters, errors, left_out in fits()
        },
        "beyond": {
            most: {
                name: {int(far): float(error) for far, error in zip(*cgpop.beyond(name, most))}
                for name in cgpop.six
            }
            for most in (1500, 2300, 2900)
        },
        "straight": {
            most: {
                name: {int(far): float(error) for far, error in zip(*cgpop.straight(name, most))}
                for name in cgpop.six
            }
            for most in (1500, 2300, 2900)
        },
        "outputs": sub_space_io.tabled(),
        "phases": float(np.abs(pop_phases.shares(pop_phases.fitted(), cores) - shares).max()),
        "statements": [
            statement._asdict()
            | {
                "check": statement.check.__name__,
                "holds": bool(found.holds),
                "figures": found.figures,
            }
            for statement, found in statements.found()
        ],
    }


def say_what_was_tried(found):
    for name, by_cores in found["terms"].items():
        for most, series in by_cores.items():
            shown = "; ".join(
                f"{of} " + ", ".join(f"{100 * e:+.0f}" for e in errors.values())
                for of, errors in series.items()
            )
            print(f"{name:<10} from up to {most} cores, % beyond: {shown}")
    for name, by_cores in found["apart"].items():
        shown = ", ".join(f"{cores}: {s:+.2f} of {own:.2f}" for cores, (s, own) in by_cores.items())
        print(f"{name}, s, and all computing of the slower: {shown}")
    for name, (few, many) in found["alike"].items():
        print(f"{name}: apart by {100 * few:.1f} % rms up to 1000 cores, {100 * many:.1f} % beyond")
    for name, by_cores in found["between"].items():
        shown = ", ".join(f"{cores}: {100 * e:+.0f}" for cores, e in by_cores.items())
        print(f"{name}, % of a line between neighbours: {shown}")
    for name, days in found["far"].items():
        shown = ", ".join(f"{of} {seconds:.1f} s" for of, seconds in days.items())
        print(f"{name:<10} on {FAR} cores: {shown}")


def say_the_line_beside(found):
    """The points held out, by the model and by a straight line."""
    for most, series in found["beyond"].items():
        for text, those in (("model", series), ("straight line", found["straight"][most])):
            errors = np.abs([e for of in those.values() for e in of.values()])
            print(
                f"beyond {most} cores, {text}: {np.sum(errors <= 0.15)} of {len(errors)} points"
                f" within 15 %, rms {100 * np.sqrt(np.mean(errors**2)):.0f} %"
            )


def say(found):
    for name, f in found["fits"].items():
        print(
            f"{name:<30}{f['parameters']:2} parameters fitted, {f['by_hand']:2} set by hand,"
            f" {f['figures']:2} figures: rms {100 * f['rms']:.0f} %, largest"
            f" {100 * f['largest']:.0f} %; left out {100 * f['left_out']:.0f} %"
        )
    for most, series in found["beyond"].items():
        for name, errors in series.items():
            shown = ", ".join(f"{cores}: {100 * e:+.1f}" for cores, e in errors.items())
            print(f"{name:<16} from up to {most} cores, % beyond: {shown}")
        of_pop = [e for name, errors in series.items() if "/POP" in name for e in errors.values()]
        print(f"POP beyond {most} cores: rms {100 * np.sqrt(np.mean(np.square(of_pop))):.2f} %")
    say_the_line_beside(found)
    say_what_was_tried(found)
    say_outputs(found["outputs"])
    print(f"phases of POP: largest error {100 * found['phases']:.1f} points")
    for s in found["statements"]:
        print(f"{'holds' if s['holds'] else 'FAILS'}  {s['study']}: {s['text']}: {s['figures']}")


def main():
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("folder", nargs="?", type=Path, help="of pictures; none: none is drawn")
    ask.add_argument("--json", type=Path, help="all figures")
    given = ask.parse_args()
    found = figures()
    say(found)
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
        for name, draw in (("x1", x1), ("k", k), ("output", output), ("solver", solver)):
            draw(path=given.folder / f"scaling-{name}.png")


if __name__ == "__main__":
    main()
