"""`fathom new NAME` prints commands that work, for each name."""

import shlex
import sys
import tomllib
from pathlib import Path

import click
import pytest

import box
from fathom.commands import new
from fathom.commands.main import cli

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from test_experiments import period, small

without_output = {"resting-air", "rotating-air", "ocean-0.1deg"}


def printed(name, folder):
    """The commands that `fathom new NAME` prints, as words."""
    status, out, err = box.fathom("new", name, folder=folder)
    assert (status, err) == (0, ""), name
    return [shlex.split(line) for line in out.splitlines() if line.startswith("    ")]


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """name -> its commands; each name in its own folder."""
    folder = tmp_path_factory.mktemp("new")
    found = {}
    for name in new.names():
        (folder / name).mkdir()
        found[name] = printed(name, folder / name)
    return folder, found


def test_commands_are_those_that_there_are(everything):
    """Verbs and options exist; a file that is read lies there, or a command before it makes it."""
    folder, found = everything
    for name, commands in found.items():
        assert any(words[-1].endswith(f"{name}.toml") or "run" in words for words in commands), name
        made = {"FILES.bufr", "FILES.nc"}  # the user's
        for words in commands:
            if words[0] == "mpiexec":
                words = words[3:]
            assert words[0] == "fathom", words
            command, rest = cli, words[1:]
            while isinstance(command, click.Group):
                command, rest = command.commands[rest[0]], rest[1:]
            known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
            assert {word for word in rest if word.startswith("--")} <= known, words
            for word in rest:
                file = word.partition("=")[2] or word
                if file.endswith(".toml"):
                    assert (folder / name / file).is_file(), (name, words)
                elif file.endswith((".parquet", ".bufr")) or file == "qflux.nc":
                    assert file in made or "--out" in rest, (name, words)
                    made.add(file)
                elif file.startswith("runs/") and "--out" not in rest:
                    run = file.split("/")[1]
                    assert any(
                        "run" in w and (f"runs/{run}" in w or f"{run}.toml" in w) for w in commands
                    ), (name, words)


def test_show_run_plot(tmp_path):
    quick = {"williamson-1": ["grid.truncation=15"]}
    _run_all(printed("williamson-1", tmp_path), quick, "1d", tmp_path)


# small, its step does not fit that of the outer file; the q-flux is of a run of years
apart = ("arome-alps", "climate-slab-t31")


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({*small} - {*without_output, *apart}))
def test_each_is_shown_run_and_drawn(name, tmp_path):
    """At the size of tests, as long as its first output takes."""
    tables = tomllib.loads((new.shipped / f"{name}.toml").read_text())
    first = next(iter(tables["output"]))
    quick = small | {name: [*small[name], f"output.'{first}'.every={period(name)}"]}
    _run_all(printed(name, tmp_path), quick, period(name), tmp_path)


def _run_all(commands, small, period, folder):
    """small: settings of each file."""
    for _, verb, *rest in commands:
        name = next((Path(word).stem for word in rest if word.endswith(".toml")), "")
        settings = [word for setting in small.get(name, ()) for word in ("--set", setting)]
        if verb not in ("show", "run", "plot", "cycle"):
            continue
        more = {"run": [*settings, "--for", period, "--no-report"], "show": settings}.get(verb, [])
        status, _, err = box.fathom(verb, *rest, *more, folder=folder)
        assert status == 0, (verb, rest, err)
    assert list(folder.glob("*.png"))


@pytest.mark.long
@pytest.mark.parametrize("name", new.names())
def test_each_is_shown(name, everything):
    """`fathom show`, at its full size."""
    folder, found = everything
    for words in found[name]:
        if "show" in words:
            status, out, err = box.fathom(*words[1:], folder=folder / name)
            assert status == 0 and out, err
