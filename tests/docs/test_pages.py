"""What pages say is there: links, pictures, commands with their options, scripts, tests, files."""

import re
import shlex
import tomllib
import unicodedata
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from runpy import run_path

import click
import pytest

import fathom as fathom_package
from fathom.commands.main import cli

root = Path(__file__).parents[2]
pages = [
    *(root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((root / "docs").rglob("*.md")),
]
each_page = pytest.mark.parametrize("page", pages, ids=lambda path: str(path.relative_to(root)))
fence = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.M | re.S)


@cache
def text_of(page):
    return page.read_text(encoding="utf-8")


def blocks(page, language):
    return [found[3] for found in fence.finditer(text_of(page)) if found[2] == language]


def prose(page):
    """A page without its blocks of code."""
    return fence.sub("", text_of(page))


# ---- links ---------------------------------------------------------------------------------------


@cache
def anchors(page):
    """Of the headings of a page, as GitHub and the site make them."""
    made = {}
    for heading in re.findall(r"^#+ (.+)$", prose(page), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        kept = "".join(
            sign
            for sign in plain.lower()
            if sign in " -_" or unicodedata.category(sign)[0] in "LNM"
        )
        slug = kept.strip().replace(" ", "-")
        made[slug] = made.get(slug, -1) + 1
    return {
        slug if not n else f"{slug}-{n}" for slug, most in made.items() for n in range(most + 1)
    }


@each_page
def test_links_lead_somewhere(page):
    outside_code = re.sub(r"`[^`\n]*`", "", prose(page))
    for target in re.findall(r"\]\(([^)\s]+)\)", outside_code):
        if "://" in target or "/p" in target[1:3]:  # (…)[1 − κ](p/p₀) is no link
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        assert file.is_file(), f"{target}: no such file"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{target}: no such heading"


def test_readme_of_a_package_page():
    absolute = run_path(str(root / "packaging/readme.py"))["absolute"]
    made = absolute(text_of(root / "README.md"), "https://example.org/f/blob/v1/")
    assert "](https://example.org/f/blob/v1/docs/first-hour.md)" in made
    assert "](https://example.org/f/raw/v1/docs/ocean-1deg.png)" in made
    assert not re.search(r"\]\((?!https://)", made)
    assert "](" not in absolute(text_of(root / "README.md"), "")


def test_readme_shows_what_its_code_draws():
    readme = root / "README.md"
    (drawn,) = re.findall(r'path="([\w.-]+)"', "".join(blocks(readme, "python")))
    assert re.findall(r"!\[[^]]+\]\((\S+)\)", text_of(readme)) == [f"docs/{drawn}"]


def test_a_link_leads_to_every_page():
    linked = {
        (page.parent / target).resolve()
        for page in pages
        for target in re.findall(r"\]\(([\w/.-]+)[)#]", text_of(page))
    }
    for page in [*(root / "docs").rglob("*.md"), *(root / "docs").rglob("*.ipynb")]:
        assert page in linked, f"no page leads to {page.relative_to(root)}"


def test_every_picture_is_on_a_page():
    said = "".join(map(text_of, pages))
    for picture in (root / "docs").rglob("*.png"):
        assert picture.name in said, f"no page shows {picture.name}"


# ---- commands ------------------------------------------------------------------------------------

runs = ("fathom", "python", "make", "pytest", "pip")
alone = re.compile(r"(?:tools|bench|experiments|examples)/[\w/]+\.py")  # started by itself


def commands(page):
    """All that a page says to type: lines of blocks and of indented text, and what stands between
    backticks, if it begins with a program that we know.
    """
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    lines += re.findall(
        r"^    +((?:fathom|python|pytest|[a-z]+/[\w/]+\.py) .*)$", text_of(page), re.M
    )
    lines += re.findall(r"`([^`\n]+)`", prose(page))
    for line in lines:
        for part in re.split(r"&&|\||;|, then ", re.sub(r"\s#.*$", "", line)):
            words = split(part)
            while words and (re.fullmatch(r"[A-Z_]+=\S*", words[0]) or words[0] in launchers):
                words = words[launchers.get(words[0], 1) :]
            if len(words) > 1 and (words[0] in runs or alone.fullmatch(words[0])):
                yield words


launchers = {"mpiexec": 3, "srun": 3, "nice": 1}  # number of words before the started command


def split(text):
    try:
        return shlex.split(text)
    except ValueError:  # an apostrophe: prose between backticks
        return text.split()


@each_page
def test_commands_are_there(page):
    for words in commands(page):
        checks = {"fathom": fathom, "python": python, "make": make, "pytest": paths_of_tests}
        check = python if alone.fullmatch(words[0]) else checks.get(words[0])
        if check:
            check(words)


def fathom(words):
    said, command, rest = " ".join(words), cli, words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        if rest[0].isupper() or rest[0] == "...":  # a placeholder: fathom VERB --help
            return
        usual = getattr(command, "usual", None)
        rest = [usual, *rest] if usual and rest[0] not in command.commands else rest
        assert rest[0] in command.commands, f"`{said}`: no command {rest[0]}"
        command, rest = command.commands[rest[0]], rest[1:]
    allowed = {name for option in command.params for name in option.opts + option.secondary_opts}
    for word in rest:
        option = word.split("=")[0].strip("[]")
        if option.startswith("--"):
            assert option in allowed | {"--help", "--version"}, f"`{said}`: no option {option}"
        if word.startswith("experiments/"):
            assert (root / word).is_file(), f"`{said}`: no file {word}"


def python(words):
    said = " ".join(words)
    scripts = [word for word in words if re.fullmatch(r"(\w+/)+\w+\.py", word)]
    for script in scripts:
        assert (root / script).is_file(), f"`{said}`: no file {script}"
        text = text_of(root / script)
        if "from shown_rows import" in text:
            text += text_of(root / "experiments/shown_rows.py")
        for option in (word.split("=")[0] for word in words if word.startswith("--")):
            there = f'"{option}"' in text or f'"{option[2:]}"' in text  # or composed from its name
            assert there, f"`{said}`: no option {option}"
        if script.endswith("_figures.py") and "drawn = {" in text:  # FOLDER NAME ...
            for name in words[words.index(script) + 2 :]:
                assert f'"{name}": ' in text, f"`{said}`: no picture {name}"


def make(words):
    if "and" in words:  # a region of the profile, `make and write`
        return
    targets = re.findall(r"^([\w-]+):", text_of(root / "Makefile"), re.M)
    assert words[1] in targets or "=" in words[1], f"`{' '.join(words)}`: no target {words[1]}"


def paths_of_tests(words):
    for word in words[1:]:
        if word.startswith("tests/"):
            assert (root / word.split("::")[0]).exists(), f"no {word}"


@each_page
def test_files_of_the_project_are_there(page):
    """Paths between backticks, as `fathom/names.py`, `core/ocean/` or `tests/io/test_x.py`."""
    rooms = "core|fathom|tests|tools|bench|examples|experiments|docs"
    for path in re.findall(rf"`((?:{rooms})/[\w./-]*)`", prose(page)):
        assert (root / path).exists() or list(root.glob(f"{path}.*")), f"no {path}"


@each_page
def test_names_in_python_are_there(page):
    """Modules and their names, between backticks, as `fathom.output.post.regular(...)`."""
    for name in re.findall(r"`(fathom(?:\.[a-z_]\w*)+)", prose(page)):
        entry_points = ("fathom.formats", "fathom.data", "fathom.diagnostics", "fathom.operators")
        if name in entry_points:
            continue
        thing = fathom_package
        for part in name.split(".")[1:]:
            if not hasattr(thing, part) and hasattr(thing, "__path__"):
                with suppress(ModuleNotFoundError):
                    import_module(f"{thing.__name__}.{part}")
            assert hasattr(thing, part), f"no {name}"
            thing = getattr(thing, part)


# ---- blocks --------------------------------------------------------------------------------------


@each_page
def test_toml_is_toml(page):
    for block in blocks(page, "toml"):
        once = re.sub(r"^(balance = .*)\n(?=balance = )", "", block, flags=re.M)
        tomllib.loads(once)


def test_the_command_line_page_names_all_commands():
    said = text_of(root / "docs" / "cli.md")
    for name, command in cli.commands.items():
        these = command.commands if name == "bench" else [None]
        for part in these:
            full = f"fathom {name}" + (f" {part}" if part else "")
            assert re.search(rf"^{full}\b", said, re.M), f"cli.md does not name `{full}`"
