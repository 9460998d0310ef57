"""Runs the commands of docs/gallery.md, in build/gallery, and puts their pictures, reduced, into
docs/pictures/gallery.

make gallery
tools/pages/gallery.py [WORD ...]       only the parts whose titles have one of these words
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image

from fathom.commands.main import main as fathom

root = Path(__file__).resolve().parents[2]
page, pictures, work = (
    root / "docs" / "gallery.md",
    root / "docs" / "pictures" / "gallery",
    root / "build" / "gallery",
)
width, colours = 900, 96  # of the pictures that are kept


def parts() -> dict[str, tuple[list[str], list[str]]]:
    """Title -> its commands, and the names of its pictures."""
    found = {}
    for text in page.read_text().split("\n## ")[1:]:
        title, _, rest = text.partition("\n")
        blocks = re.findall(r"```sh\n(.*?)```", rest, re.S)
        commands = "".join(blocks).replace("\\\n", " ").splitlines()
        found[title] = (commands, re.findall(r"(?m)^\* .*: `([\w.-]+)`$", rest))
    return found


def put_into_page() -> None:
    """Puts the pictures that there are below the list of each part."""
    text = re.sub(r"\n!\[[^\n]*\]\(pictures/gallery/[^\n]*", "", page.read_text())
    shown = []
    for line in text.split("\n"):
        shown.append(line)
        found = re.match(r"\* (.*): `([\w.-]+)`$", line)
        if found and (pictures / found[2]).is_file():
            shown.append(f"![{found[1]}](pictures/gallery/{found[2]})")
    page.write_text("\n".join(shown))


def run(command: str) -> bool:
    """Runs a command of the page in the folder of work; whether it went well."""
    words = shlex.split(command)
    if words[:2] == ["fathom", "run"]:
        if (work / words[words.index("--out") + 1] / "summary.json").is_file():
            return True  # of an earlier call; `make clean` removes it
        words += ["--overwrite", "--no-report"]
    if words[0] == "fathom":  # in this process, which has loaded all that it needs
        try:
            fathom(words[1:])
        except SystemExit as end:
            if end.code:
                print(f"  {command}: status {end.code}", file=sys.stderr)
            return not end.code
    words = [sys.executable if words[0] == "python" else words[0], *words[1:]]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"  {command}\n  {(done.stderr or done.stdout).strip()[-400:]}", file=sys.stderr)
    return done.returncode == 0


def keep(name: str) -> bool:
    """Puts a picture beside the page, with fewer points and colours; whether it is there."""
    if not (work / name).is_file():
        print(f"  {name} was not drawn", file=sys.stderr)
        return False
    with Image.open(work / name) as made:
        height = round(made.height * width / made.width) if made.width > width else made.height
        small = made.convert("RGB").resize(
            (min(made.width, width), height), Image.Resampling.LANCZOS
        )
        none = Image.Dither.NONE
        small.quantize(colours, Image.Quantize.MEDIANCUT, dither=none).save(
            pictures / name, optimize=True
        )
    return True


def main(words: list[str]) -> int:
    for folder in (pictures, work):
        folder.mkdir(parents=True, exist_ok=True)
    os.chdir(work)
    for name in ("experiments", "tests"):
        if not (work / name).exists():
            (work / name).symlink_to(root / name)
    failed = []
    for title, (commands, names) in parts().items():
        if words and not any(word.lower() in title.lower() for word in words):
            continue
        print(title, flush=True)
        shutil.rmtree(work / "profile", ignore_errors=True)
        good = min([run(command) for command in commands], default=True)
        if not (min([keep(name) for name in names], default=True) and good):
            failed.append(title)
    put_into_page()
    if failed:
        print(f"not all was drawn: {'; '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
