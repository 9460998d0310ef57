#!/usr/bin/env python3
"""Builds the site from docs/: `make docs`, or

    python tools/pages/build.py [--out build/site]     html/index.html there is the first page

The sections of docs/README.md are those of the site; pages made from the code come with them. Any
warning of Sphinx, and anything that a page would load from elsewhere, is an error.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

from generated import all_pages
from sphinx.cmd.build import main as sphinx

here = Path(__file__).resolve().parent
root = here.parents[1]
beside_docs = ("CONTRIBUTING.md", "CHANGELOG.md")  # of the root, which are pages too


def stage(source: Path) -> None:
    """The input of Sphinx, in one folder."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(root / "docs", source)
    for page in source.rglob("*.md"):
        page.write_text(set_apart(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name in beside_docs:
        text = (root / name).read_text(encoding="utf-8")
        (source / name).write_text(text.replace("](docs/", "]("), encoding="utf-8")
    for page in source.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("](README.md", "](index.md"), encoding="utf-8")
    for page, text in all_pages().items():
        file = source / page
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    front = (source / "README.md").read_text(encoding="utf-8").replace("](../", "](")
    (source / "README.md").unlink()
    (source / "index.md").write_text(front + contents(front, source), encoding="utf-8")


def set_apart(text: str) -> str:
    """Equations on separate lines get empty lines around them, which MyST needs."""
    return re.sub(r"^(\$\$.+?\$\$)$", r"\n\1\n", text, flags=re.M | re.S)


def contents(front: str, source: Path) -> str:
    """The table of contents: for each section of the front page the pages that it links to; all
    others, as those made from the code, below "Reference".
    """
    sections = {}
    for section in re.split(r"^## ", front, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        found = re.findall(r"\]\(([\w/.-]+)\.(?:md|ipynb)\)", body)
        sections[title] = list(dict.fromkeys(found))
    named = {"index", *(page for those in sections.values() for page in those)}
    there = sorted(str(page.relative_to(source).with_suffix("")) for page in source.rglob("*.md"))
    sections["Reference"] += [page for page in there if page not in named]
    return "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(those) + "\n```\n"
        for title, those in sections.items()
    )


def quiet_notebooks(folder: Path) -> None:
    """No messages about the connections of notebook kernels."""
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\n")
    os.environ["IPYTHONDIR"] = str(folder)


def from_elsewhere(html: Path) -> list[str]:
    """Links by which pages would load something from another host."""
    loads = re.compile(
        r"<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)=\"(?:https?:)?//[^\"]+"
    )
    return [
        f"{page.relative_to(html)}: {found}"
        for page in sorted(html.rglob("*.html"))
        for found in loads.findall(page.read_text(encoding="utf-8"))
    ]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--out", type=Path, default=root / "build" / "site")
    out = options.parse_args().out
    source, html = out / "source", out / "html"
    stage(source)
    quiet_notebooks(out / "ipython")
    shutil.rmtree(html, ignore_errors=True)
    arguments = ["-W", "--keep-going", "-q", "-E", "-c", str(here), "-d", str(out / "doctrees")]
    if status := sphinx([*arguments, "-b", "html", str(source), str(html)]):
        return status
    if loaded := from_elsewhere(html):
        print("pages that load something from elsewhere:", *loaded, sep="\n  ", file=sys.stderr)
        return 1
    print(f"{html / 'index.html'}: {len(list(html.rglob('*.html')))} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
