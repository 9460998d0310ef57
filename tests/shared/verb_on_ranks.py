"""A command of `fathom` on the ranks of a launcher."""

import os
import sys

from fathom.commands.main import main

if __name__ == "__main__":
    folder, *words = sys.argv[1:]
    os.chdir(folder)
    sys.argv = ["fathom", *words]
    main(words)
