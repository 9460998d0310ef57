"""Text files as other systems write them: line ends and the last line change nothing; what is not
plain text, or not in the form that is asked for, is an error with its line.
"""

import pytest

import box
from fathom.base.failure import InputError
from fathom.data.input.table import table
from fathom.run.experiment.experiment import Experiment
from fathom.run.experiment.toml import Document

rows = "".join(f"{x:.3f}\t{y:.3f}\t{100 + x:.3f}\n" for x in range(4) for y in range(3))
values = [[x, y, 100 + x] for x in range(4) for y in range(3)]


@pytest.mark.parametrize(
    "text",
    [
        box.text.rstrip("\n"),
        box.text.replace("\n", "\r\n"),
        box.text.replace("\n", "\r\n", 5),
    ],
    ids=["no end of the last line", "line ends of Windows", "mixed line ends"],
)
def test_line_ends_of_an_experiment(tmp_path, text):
    file = tmp_path / "box.toml"
    file.write_bytes(text.encode())
    expected = Experiment(Document(box.text, str(file))).resolved()
    assert Experiment(Document.read(file)).resolved() == expected


@pytest.mark.parametrize(
    "text, said",
    [
        (box.text.encode("utf-16"), "is not a text file"),
        (b"# \xfc\n" + box.text.encode(), r"is not a text file, so no experiment \(byte 2\)"),
        (box.text.replace("time_step =", "time_step\u00a0=").encode(), "not valid TOML.*line 23"),
        (box.text.replace('"1h"', "\u201c1h\u201d").encode(), "not valid TOML.*line 23"),
        (box.text.encode() + b"\0", "not valid TOML.*line"),
        (box.text.encode() + b"\n\x1a", "not valid TOML.*line"),
    ],
    ids=["UTF-16", "Latin-1", "no-break space", "curly quotes", "a zero byte", "control-Z"],
)
def test_other_signs_in_an_experiment(tmp_path, text, said):
    (tmp_path / "box.toml").write_bytes(text)
    with pytest.raises(InputError, match=said):
        Document.read(tmp_path / "box.toml")


@pytest.mark.parametrize(
    "text",
    [
        rows.replace("\n", "\r\n"),
        rows.rstrip("\n"),
        rows.replace("\t", ","),
        rows.replace("\t", ", "),
        "# from a ship\n" + rows,
        rows + "\n\n \n",
    ],
    ids=["line ends of Windows", "no last end", "commas", "commas, spaces", "comment", "blank"],
)
def test_forms_of_a_table(tmp_path, text):
    (tmp_path / "a.txt").write_bytes(text.encode())
    assert table(tmp_path / "a.txt").tolist() == values


@pytest.mark.parametrize(
    "text, said",
    [
        (rows.replace("\t", ";"), "a.txt, line 1: .* is not a number"),
        (rows.replace(".", ",").replace("\t", ";"), "a.txt, line 1: .* is not a number"),
        ("lon\tlat\tdepth\n" + rows, "a.txt, line 1: 'lon' is not a number"),
        (rows[:-12], "a.txt, line 12: 2 numbers, the lines before have 3"),
    ],
    ids=["semicolons", "decimal commas", "a line of names", "a row that is cut off"],
)
def test_a_table_that_would_be_misread(tmp_path, text, said):
    (tmp_path / "a.txt").write_bytes(text.encode())
    with pytest.raises(InputError, match=said):
        table(tmp_path / "a.txt")


def test_a_table_in_utf_16(tmp_path):
    (tmp_path / "a.txt").write_bytes(rows.encode("utf-16"))
    with pytest.raises(InputError, match="a.txt, line 1: .* is not a number"):
        table(tmp_path / "a.txt")
