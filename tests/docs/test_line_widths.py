"""Pages have no line of prose that is wider than a page of code."""

import re

import pytest

from test_pages import each_page, prose

widest = 100  # characters
unbroken = re.compile(r"\$\$.*|!?\[[^]]*\]\([^)]*\)|`[^`]*`|\S{40,}")  # formulae, links, code


@each_page
def test_lines_of_pages_are_short(page):
    for line in prose(page).splitlines():
        of_code_or_table = line.startswith("    ") or line.lstrip().startswith(("|", "$$"))
        if len(line) > widest and not of_code_or_table and not unbroken.search(line):
            pytest.fail(f"{page.name}: {len(line)} characters in: {line}")
