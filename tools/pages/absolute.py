"""README.md with absolute links, for the package page of a release: relative ones lead nowhere
there.

    python tools/pages/absolute.py https://example.org/fathom/blob/main > build/README.md

Put the result in place of README.md before `pip wheel` or cibuildwheel.
"""

import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
relative = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s]+)\)")


def absolute(text: str, address: str) -> str:
    """The text with its links below an address."""
    return relative.sub(lambda link: f"]({address.rstrip('/')}/{link[1]})", text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(absolute((root / "README.md").read_text(encoding="utf-8"), sys.argv[1]), end="")
