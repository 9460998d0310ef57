"""README.md on the package page, where relative links lead nowhere.

    FATHOM_ADDRESS=https://example.org/fathom/blob/v0.1.0 pip wheel --no-deps -w dist .

FATHOM_ADDRESS is the place of the release's files: links lead below it. Without it a link leaves
its text, a picture its title. The build calls this file (`pyproject.toml`, tool.dynamic-metadata).
"""

import os
import re
from pathlib import Path

root = Path(__file__).resolve().parents[1]
relative = re.compile(r"(!?)\[([^]]*)\]\((?!https?:|#|mailto:)([^)\s]+)\)")


def absolute(text: str, address: str) -> str:
    """The text with its relative links below an address; "": without them."""

    def link(found: re.Match[str]) -> str:
        picture, title, path = found.groups()
        if not address:
            return title
        below = address.rstrip("/")
        if picture:  # the file itself, not the page that shows it
            below = below.replace("/blob/", "/raw/")
        return f"{picture}[{title}]({below}/{path})"

    return relative.sub(link, text)


def dynamic_metadata(settings: dict, project: dict) -> dict:
    """What scikit-build-core asks for: the readme of the package."""
    text = (root / "README.md").read_text(encoding="utf-8")
    made = absolute(text, os.environ.get("FATHOM_ADDRESS", ""))
    return {"readme": {"content-type": "text/markdown", "text": made}}
