"""Runs the Python code of README.md, and updates its picture: some minutes.

make readme
"""

import re
import shutil
from pathlib import Path

root = Path(__file__).parents[2]
block = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


def main():
    for code in block.findall((root / "README.md").read_text()):
        exec(compile(code, "README.md", "exec"), {})
    shutil.move("ocean-1deg.png", root / "docs" / "ocean-1deg.png")


if __name__ == "__main__":
    main()
