"""The rows of the five studies of performance on which Fathom stands: what each is, the command
that shows it, the figure wanted, the figure got, the verdict, the limit.

    python experiments/studies.py --json studies.json                 # what takes minutes here
    python experiments/studies.py --json studies.json --only MF49 PX25
    python experiments/studies.py --json studies.json --draw          # the page alone

The rows are docs/results/studies.toml, the page is docs/results/studies.md. Results are kept in the
JSON file: a row that is not run keeps its last one, or what the page says of it. Tests need the
packages of `make test`.
"""

import sys

from shown_rows import Page, Row, main

studies = {
    "MF": "ARPEGE, ALADIN, AROME, observations and post-processing on the NEC SX8R",
    "PX": "the Parallel Ocean Program on the Cray X1",
    "UM": "the Unified Model on the NEC SX-6",
    "SS": "sub-space I/O for AROME",
    "KC": "the solver of POP (CGPOP) on the K computer",
}
head = """# The five studies, row by row

Fathom stands on five performance studies. Each row below is a feature or a figure of one of them:
what it is, what is wanted, what Fathom gives, and the command that shows it. `python
experiments/studies.py --json studies.json` runs the commands and draws this page; `--only MF49
PX25` runs some rows. The rows are `docs/results/studies.toml`.

* **measured**: by the command, on the machine named; **simulated**: another machine is needed, and
  the simulator prices it from what is measured here; **fitted**: parameters come from the study
  itself, so that agreement is no prediction.
* **works**: all of the row is there and its figure is reached; **short**: the figure is missed;
  **partly**: something of the row is missing; **fails**: the command or a test fails; **not here**:
  needs what this machine does not have; **context**: no feature.
"""


def known(row: Row) -> str:
    """Returns how the figure of a row is known."""
    return "" if row.by == "context" else row.by


page = Page(
    name="studies",
    head=head,
    sections={key: f"{key}: {title}" for key, title in studies.items()},
    section_of=lambda row: row.id[:2],
    column="how known",
    beside=known,
)

if __name__ == "__main__":
    sys.exit(main(page, __doc__))
