"""Standard tests of the field that Fathom ships: what each is, its source, the bar, the figure got,
the verdict, the command.

    python experiments/standard_tests.py --json tests.json                # what takes minutes
    python experiments/standard_tests.py --json tests.json --only schar rossby-wave
    python experiments/standard_tests.py --json tests.json --draw         # the page alone

The rows are docs/results/standard_tests.toml, the page is docs/results/standard_tests.md. Results
are kept in the JSON file. A test that takes longer is run only when it is named; its figure is that
of a page of results, with the commit at which it was measured.
"""

import sys

from shown_rows import Page, main

head = """# Standard tests

Each row is a case of the field that Fathom ships, with its source, its bar, what comes out and the
command that shows it. `python experiments/standard_tests.py --json tests.json` runs what takes
minutes and draws this page; `--only schar rossby-wave` runs some rows. The rows are
`docs/results/standard_tests.toml`.

* **works**: the bar is reached; **short**: it is missed; **partly**: something is missing;
  **fails**: the command or a test fails; **not here**: needs files that are not part of Fathom.
* A figure with a commit is that of a long run, from a page of results.
"""

page = Page(
    name="standard_tests",
    head=head,
    sections={
        name: name[0].upper() + name[1:]
        for name in (
            "shallow water",
            "dry air",
            "moist air",
            "columns and radiation",
            "ocean",
            "waves of the sea",
            "sea ice",
        )
    },
    section_of=lambda row: row.section,
    column="source",
    beside=lambda row: row.source,
)

if __name__ == "__main__":
    sys.exit(main(page, __doc__))
