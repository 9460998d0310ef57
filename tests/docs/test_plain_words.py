"""Pages and sources use plain English: no word that a reader must look up or read twice, and no
line of prose that is wider than a page of code.
"""

import re

import pytest

from test_pages import each_page, prose, root

this_file = "test_plain_words.py"  # it has the words
widest = 100  # characters
# Each is easy to avoid: next to, heat, separate, "the time of ...".
riddles = re.compile(
    r"\bbeside (?:it|its|them|the|an?|each|any|that|this|other)\b|\b(?:whither|whence|nought)\b"
    r"|\bof (?:its|their|his|one's) own\b|\b(?:is|are) had\b|\bthe same of\b"
    r"|\bwhat (?:\w+ ){1,2}takes\b"
)
warmth = re.compile(r"\b(?:beside|warmth)\b")  # names in code, but not on pages
# "continue", "except for", "relaxed to", "expensive", "with any", a noun in place of "what it".
old_words = re.compile(
    r"\b(?:to and fro|at hand|whoever|oftener|go(?:es)? on|but for|drawn to|dear(?:er|est))\b"
    r"|\bwhat (?:it|they) (?:adds?|costs?|gave|gives?|has|have|had|holds?|makes?|needs?|says?"
    r"|said|takes?|took|writes?|wrote)\b",
    re.IGNORECASE,
)
unbroken = re.compile(r"\$\$.*|!?\[[^]]*\]\([^)]*\)|`[^`]*`|\S{40,}")  # formulae, links, code


@each_page
def test_pages_have_plain_words(page):
    for line in re.sub(r"`[^`\n]*`|^    .*$", "", prose(page), flags=re.M).splitlines():
        found = riddles.search(line) or warmth.search(line) or old_words.search(line)
        assert not found, f"{page.name}: '{found[0]}' in: {line}"


@each_page
def test_lines_of_pages_are_short(page):
    for line in prose(page).splitlines():
        of_code_or_table = line.startswith("    ") or line.lstrip().startswith(("|", "$$"))
        if len(line) > widest and not of_code_or_table and not unbroken.search(line):
            pytest.fail(f"{page.name}: {len(line)} characters in: {line}")


@pytest.mark.parametrize(
    "folder",
    ["core", "fathom", "experiments", "docs/results", "examples", "bench", "tools", "tests"],
)
def test_sources_have_plain_words(folder):
    for file in sorted((root / folder).rglob("*")):
        if file.suffix in (".cpp", ".hpp", ".py", ".toml", ".md") and file.name != this_file:
            text = file.read_text(encoding="utf-8")
            found = riddles.search(text) or old_words.search(text)
            if found:
                line = text.count("\n", 0, found.start()) + 1
                pytest.fail(f"{file.relative_to(root)}:{line}: '{found[0]}'")
