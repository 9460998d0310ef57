"""Profiles with the columns of the study of AROME and ARPEGE: its totals, and those of similar runs
here: a forecast of six hours, AROME, a minimisation. Drawn by measured_figures.py.
"""

import sys
from functools import cache

from fathom.base.regions import exclusive
from fathom.plots.colours import faint, ink
from fathom.plots.style import new_figure, styled
from stored_measurements import here, measured

# columns of the study: processor seconds, MFLOPS, part in vectors, their length, seconds in
# conflicts of banks
studied = {
    "6-h forecast (ARPEGE)": ("1950.3", "4684", "98.77 %", "141.0", "37.1"),
    "minimisation T224": ("8823.4", "4004", "", "216.1", "457.8"),
    "AROME, 64 tasks": ("91584.7", "2703", "", "200.7", "5167"),
}
# of AROME's 1745.4 s elapsed, and idle
studied_messages = {
    "barrier": (410.0, 41.3),
    "alltoallv": (165.3, 115.0),
    "recv": (141.3, 109.4),
    "send": (114.5, 37.1),
}
runs = {
    "forecast": (
        "A forecast of six hours at T106",
        ("forecast-t106.toml", "--ranks", "2", "--steps", "24", "--spin-up", "4"),
    ),
    "arome": (
        "AROME, 125 × 101 × 40 points",
        ("arome-europe.toml", "--ranks", "2", "--steps", "30", "--spin-up", "4"),
    ),
}


@styled
def profiles():
    """The study's totals; the longest regions of a forecast and of AROME; a minimisation by its
    maps; and elapsed seconds by kind of message.
    """
    held = {
        name: measured(f"profile-{name}", "profile", here / case, *words)
        for name, (_, (case, *words)) in runs.items()
    }
    figure = new_figure(9.6, 13.5)
    head = ("", "processor s", "MFLOPS", "in vectors", "mean length", "bank conflicts, s")
    rows = [(name, *values) for name, values in studied.items()]
    _table(figure, 0.965, "The study's profiles on the SX-8R", head, rows)
    for top, (name, (title, _)) in zip((0.865, 0.62), runs.items()):
        found = held[name]
        about = (
            f"{title}, {found['steps']} steps, {found['ranks']} ranks, seconds of a rank of"
            f" {found['profile'][0]['elapsed']:.1f} elapsed; {_mflops(found):.0f} MFLOPS; measured"
        )
        _table(figure, top, about, *by_processor(found))
    _table(
        figure,
        0.375,
        "Minimisations at T107 and T224 with 10 levels, one iteration by map, measured",
        *by_map(),
    )
    title = "Elapsed by kind of message: AROME in the study, and here (a rank), measured"
    _table(figure, 0.265, title, *by_message(held["arome"]))
    return figure


def by_processor(found, most=12):
    """Head and rows: the longest regions."""
    wall, known = found["profile"][0]["elapsed"], vectors(found["precision"])
    head = ("region", "frequency", "exclusive s", "%", "average ms", "MFLOPS")
    rows = []
    for r in exclusive(found["profile"])[:most]:
        rate, kernel = found["rates"].get(r["region"]), known.get(r["region"].partition(" of ")[0])
        rows.append(
            (
                r["region"],
                f"{r['calls']:.0f}",
                f"{r['seconds']:.3f}",
                f"{100 * r['seconds'] / wall:.1f}",
                f"{1e3 * r['seconds'] / max(r['calls'], 1):.3f}",
                f"{1e3 * rate['gflops']:.0f}" if rate else "",
                f"{100 * kernel.part:.0f} %" if kernel else "",
                f"{kernel.lanes:.1f}" if kernel else "",
                f"{100 * rate['fraction']:.0f} %, {rate['limit']}" if rate else "",
            )
        )
    return (*head, "in vectors", "lanes", "of the limit"), rows


def _mflops(found):
    """Of the regions whose operations are known, over all elapsed time."""
    seconds = {r["region"]: r["seconds"] for r in exclusive(found["profile"])}
    done = sum(r["gflops"] * seconds.get(name, 0.0) for name, r in found["rates"].items())
    return 1e3 * done / found["profile"][0]["elapsed"]


@cache
def vectors(precision):
    """By scheme, the vector code of its kernel (tools/check_vectors.py); {}: no build."""
    sys.path.append(str(here.parent / "tools"))
    import check_vectors

    build = check_vectors.newest_build()
    return {
        k.scheme.partition("<")[0].split("::")[-1]: k
        for k in (check_vectors.catalogue(build) if build else ())
        if k.precision == precision
    }


def by_map():
    """Head and rows: processor seconds of an iteration of 4D-Var at T107 and T224."""
    head, found = ["map"], {}
    for truncation, window, *only in ((107, 4), (224, 2, "--only", "minimisation")):
        words = ("--truncation", truncation, "--levels", 10, "--window", window, *only)
        held = measured(
            f"assimilation-{truncation}", "bench", "assimilation", *words, "--repetitions", 1
        )
        maps = held["minimisation"]["by_map"]
        head += [f"T{truncation}, {window} steps: processor s", "%"]
        for name, seconds in maps.items():
            share = 100 * seconds / sum(maps.values())
            found.setdefault(name, []).extend((f"{seconds:.3f}", f"{share:.1f}"))
    longest = sorted(found.items(), key=lambda one: -float(one[1][0]))
    return head, [(name, *cells) for name, cells in longest[:5]]


def by_message(found, most=8):
    """Head and rows: communication and waiting of each kind, without inner regions."""
    head = ("kind", "elapsed s", "% of the run", "of it waiting s", "messages", "mean kB")
    rows = [
        (f"study: {name}", f"{taken:.1f}", f"{100 * taken / 1745.4:.1f}", f"{idle:.1f}", "", "")
        for name, (taken, idle) in studied_messages.items()
    ]
    wall, kinds = found["profile"][0]["elapsed"], {}
    names = ("communication", "waiting", "messages", "bytes")
    for r in found["profile"]:
        within = [c for c in found["profile"] if c["path"][:-1] == r["path"]]
        held = kinds.setdefault(r["region"], dict.fromkeys(names, 0.0))
        for name in names:
            held[name] += r[name] - sum(c[name] for c in within)
    longest = sorted(kinds.items(), key=lambda one: -one[1]["communication"])[:most]
    for name, k in longest:
        rows.append(
            (
                name,
                f"{k['communication']:.3f}",
                f"{100 * k['communication'] / wall:.1f}",
                f"{k['waiting']:.3f}",
                f"{k['messages']:.0f}",
                f"{1e-3 * k['bytes'] / max(k['messages'], 1):.1f}",
            )
        )
    return head, rows


def _table(figure, top, title, head, rows):
    """With its title at that height of the figure, and as tall as it needs."""
    height = 0.0155 * (len(rows) + 1)
    axes = figure.add_axes((0.02, top - 0.008 - height, 0.96, height))
    axes.axis("off")
    figure.text(0.02, top, title, fontsize=9, fontweight="bold", color=ink)
    widths = [0.26] + [0.68 / (len(head) - 1)] * (len(head) - 1)
    widths[-1] += 0.06
    made = axes.table(
        rows,
        colLabels=head,
        colWidths=widths,
        bbox=(0, 0, 1, 1),
        cellLoc="right",
        edges="horizontal",
    )
    made.auto_set_font_size(False)
    made.set_fontsize(7.5)
    for (row, column), cell in made.get_celld().items():
        cell.set_linewidth(0.4)
        cell.set_edgecolor(faint)
        if row == 0:
            cell.get_text().set_color(ink)
        if column == 0:
            cell.get_text().set_ha("left")
