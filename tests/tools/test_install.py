"""The build shows its progress, and the reason of a failure."""

from pathlib import Path
from runpy import run_path

root = Path(__file__).resolve().parents[2]
tell = run_path(str(root / "tools/install.py"))["tell"]


def test_a_log_has_a_line_for_each_tenth(capsys):
    for number in range(1, 171):
        tell(number, 170)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert lines[0] == "compiled: 17 of 170 files" and lines[-1] == "compiled: 170 of 170 files"


def test_a_failure_is_shown(tmp_path, capsys):
    main = run_path(str(root / "tools/install.py"))["main"]
    assert main(["--no-index", str(tmp_path / "nowhere")]) != 0
    assert "nowhere" in capsys.readouterr().out
