"""TOML files: read with the place of every key, settings from the command line, and written
again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from fathom.base.failure import (
    FileError,
    InputError,
    MissingFileError,
    RoomError,
    file_error,
)
from fathom.base.home import at_home
from fathom.base.near import near, near_or_all
from fathom.base.renamed import tail

Path_ = tuple[str, ...]
_key = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
deepest = 32  # that tables and lists may lie in each other
_dotted = rf"{_key}(?:\s*\.\s*{_key})*"


class Document:
    """The tables of a TOML file with settings on top; `place` says where a value was written, for
    error messages.
    """

    def __init__(
        self, text: str, name: str = "configuration", settings: Iterable[str] = ()
    ) -> None:
        self.text, self.name = text, name
        try:
            self.tables: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{name} is not valid TOML: {error}") from None
        except RecursionError:
            raise InputError(_nested(name)) from None
        self._lines = _lines(text)
        self._set: dict[Path_, str] = {}
        for setting in _texts(settings):
            self._apply(setting)
        if _depth_of(self.tables) > deepest:
            raise InputError(_nested(name))

    @classmethod
    def read(cls, path: str | Path, settings: Iterable[str] = ()) -> Document:
        """Raises OSError, ValueError: no such file (with near names), not text, not TOML."""
        path = at_home(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (FileNotFoundError, IsADirectoryError):
            there = [p.name for p in path.parent.glob("*.toml")] if path.parent.is_dir() else []
            if path.is_dir():
                inside = path / "resolved.toml"
                hint = f"; its experiment is {inside}" if inside.exists() else ""
                raise InputError(f"{path} is a folder, not an experiment file{hint}") from None
            raise MissingFileError(f"there is no file {path}{near(path.name, there)}") from None
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path} is not a text file, so no experiment (byte {error.start})"
            ) from None
        return cls(text, str(path), settings)

    def changed(self, settings: Iterable[str]) -> Document:
        """Returns the document with further settings on top."""
        return type(self)(self.text, self.name, [*self._set.values(), *settings])

    def place(self, *path: str) -> str:
        """Returns "ocean.toml:12 [model.eddies]" of a key, or the setting that gave it."""
        for length in range(len(path), 0, -1):
            for given, setting in self._set.items():
                if given == path[:length] or (
                    length == len(path) and given[:length] == path and path not in self._lines
                ):
                    return f"--set {setting}"
            if path[:length] in self._lines:
                table = (
                    path[:length] if length < len(path) else path[:-1] or path
                )  # a key is in its table
                return f"{self.name}:{self._lines[path[:length]]} [{'.'.join(table)}]"
        return self.name

    def section(self, name: str) -> dict[str, Any]:
        """Returns the table of a section, {} where there is none. InputError: it is no table."""
        content = self.tables.get(name, {})
        if not isinstance(content, dict):
            raise InputError(f"{self.place(name)}: '{name}' is a section: write [{name}]")
        return content

    def beside(self, file: str) -> Path:
        """Returns a file that this one names: from where this one lies, else from here.
        InputError: it cannot be the name of a file.
        """
        beside = Path(self.name).parent / at_home(file)
        try:
            return (beside if beside.exists() else at_home(file)).resolve()
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"{file[:60]!r} is no name of a file: {why}") from None

    def check_key(
        self, key: str, allowed: Iterable[str], what: str, *path: str, owner: str = ""
    ) -> None:
        """Checks a key. InputError: it is not allowed there. owner: whose argument it would be."""
        known = list(allowed)
        if key not in known:
            told = tail(owner, key) if owner else ""
            raise InputError(
                f"{self.place(*path)}: unknown {what} '{key}'{told or near_or_all(key, known)}"
            )

    def at(self, path: Path_, make: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
        """Returns make(...), with the place in the file before the message of an error."""
        try:
            return make(*given, **named)
        except (ValueError, TypeError) as error:
            said = {key: re.search(rf"\b{re.escape(key)}\b", str(error)) for key in named}
            about = sorted((m.start(), key) for key, m in said.items() if m)  # the first one named
            kind = RoomError if isinstance(error, RoomError) else InputError
            raise kind(f"{self.place(*path, *(key for _, key in about[:1]))}: {error}") from error
        except FileError as error:
            text = error.strerror or str(error)
            raise file_error(error, f"{self.place(*path)}: {text}") from error

    def gives(self, path: Path_) -> bool:
        """Returns whether there is a value of that key, or a setting of a table that holds it."""
        if any(path[: len(given)] == given for given in self._set):
            return True
        held: Any = self.tables
        for part in path:
            if not isinstance(held, dict) or part not in held:
                return False
            held = held[part]
        return True

    def own_code(self) -> list[str]:
        """Returns the files of [extensions] that the text names, without those of settings."""
        given = tomllib.loads(self.text).get("extensions")
        lists = given.values() if isinstance(given, dict) else ()
        return [str(file) for files in lists if isinstance(files, list) for file in files]

    def _apply(self, setting: str) -> None:
        """Applies one "a.b.c=value"; the value is TOML, or else a plain text. "a.b.c+=value" adds
        to a list.
        """
        name, equals, value = setting.partition("=")
        adds, name = name.endswith("+"), name.removesuffix("+")
        if not equals or not re.fullmatch(rf"\s*{_dotted}\s*", name):
            raise InputError(
                f"--set {setting}: expected a.b.c=value, as in --set model.eddies.diffusivity=800"
            )
        path = _joined(split(name), self.tables)
        table = self.tables
        for part in path[:-1]:
            inner = table.setdefault(part, {})
            table[part] = table = inner if isinstance(inner, dict) else {"type": inner}
        given = _value(value.strip())
        if adds:
            before = table.get(path[-1], [])
            if not isinstance(before, list):
                raise InputError(f"--set {setting}: {before!r} is no list to add to")
            given = [*before, given]
        table[path[-1]] = given
        self._set[path] = setting


def _texts(settings: Any) -> list[str]:
    """Returns settings. InputError: they are no list of texts."""
    several = isinstance(settings, Iterable) and not isinstance(settings, str)
    given: list[Any] = list(settings) if several else [None]
    if not all(isinstance(one, str) for one in given):
        raise InputError(
            f"settings {settings!r} must be a list of texts, as ['model.eddies.diffusivity=800']"
        )
    return given


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text
    except RecursionError:
        raise InputError(_nested(f"--set ...={text[:40]}...")) from None


def _depth_of(tables: Any) -> int:
    """Returns the number of tables and lists that lie in each other."""
    depth, level = 0, [tables]
    while level := [
        part
        for whole in level
        for part in (whole.values() if isinstance(whole, dict) else whole)
        if isinstance(part, (dict, list))
    ]:
        depth += 1
    return depth


def _nested(where: str) -> str:
    return f"{where}: tables and lists lie more than {deepest} deep in each other"


def split(dotted: str) -> Path_:
    """Returns the keys of a dotted path."""
    return tuple(part.strip("\"'") for part in re.findall(_key, dotted))


def bare(key: str) -> str:
    """Returns a key as it stands in a dotted path, in quotes where it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key)


def _joined(path: Path_, tables: Any) -> Path_:
    """Returns the path where a key with a dot in it, as the name of an output file, may stand
    without quotes.
    """
    if not path or not isinstance(tables, dict):
        return path
    parts = next((n for n in range(len(path), 1, -1) if ".".join(path[:n]) in tables), 1)
    name = ".".join(path[:parts])
    return name, *_joined(path[parts:], tables.get(name))


def _lines(text: str) -> dict[Path_, int]:
    """Returns the line of each table and key; keys inside an inline table stand on the line of the
    table.
    """
    found: dict[Path_, int] = {}
    table: Path_ = ()
    for number, line in enumerate(text.splitlines(), 1):
        if heading := re.match(rf"\s*\[+\s*({_dotted})\s*\]+", line):
            table = split(heading[1])
            found.setdefault(table, number)
        elif key := re.match(rf"\s*({_dotted})\s*=", line):
            found.setdefault(table + split(key[1]), number)
    return found


def dumps(tables: Mapping[str, Any]) -> str:
    """Returns TOML text of sections; what lies deeper than a section (than a file, in `output`)
    becomes inline tables. None is left out.
    """
    parts = []
    for section, content in tables.items():
        if section == "output":
            parts += [_section(f"output.{bare(name)}", table) for name, table in content.items()]
        elif content:
            parts.append(_section(bare(section), content))
    return "\n".join(parts)


def _section(name: str, content: Mapping[str, Any]) -> str:
    return "".join(f"{line}\n" for line in (f"[{name}]", *_pairs(content)))


def _pairs(content: Mapping[str, Any]) -> list[str]:
    return [f"{bare(key)} = {inline(held)}" for key, held in content.items() if held is not None]


def inline(value: Any) -> str:
    """Returns a value as it stands behind a key: NumPy's numbers as numbers, what TOML has no word
    for as text.
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return "{" + ", ".join(_pairs(value)) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else _quoted(str(value))


_escapes = {
    "\b": r"\b",
    "\t": r"\t",
    "\n": r"\n",
    "\f": r"\f",
    "\r": r"\r",
    '"': r"\"",
    "\\": r"\\",
}


def _quoted(text: str) -> str:
    escaped = lambda found: _escapes.get(found[0], f"\\u{ord(found[0]):04x}")
    return '"' + re.sub(r'[\x00-\x1f\x7f"\\]', escaped, text) + '"'
