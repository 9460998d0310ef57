"""`python -m fathom`: the command `fathom`."""

from fathom.commands.main import main

main()
