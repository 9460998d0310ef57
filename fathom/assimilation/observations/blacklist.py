"""The blacklist: rules as TOML, each a name, a where-clause of SQL on the columns of a base, and
the dates between which it holds. A clause is one expression, and reaches no file: blacklists come
from others.

    [thermometer-of-06610]
    where = "station = '06610' AND variable = 'air_temperature'"
    from = 2018-11-01
    until = 2018-12-01          # this day no more; both dates may be left out
    why = "reads 4 K too warm"
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from fathom.assimilation.observations import base
from fathom.assimilation.observations.reasons import code
from fathom.base.failure import InputError, MissingFileError
from fathom.base.near import near

keys = ("where", "from", "until", "why")


@dataclass(frozen=True)
class Rule:
    """Data of a clause are not used from a time on, until another [s since 1970]."""

    name: str
    where: str
    start: float
    end: float
    why: str = ""


def read(path: str | Path) -> list[Rule]:
    """Returns the rules of a file. FileNotFoundError; ValueError names the wrong rule and its
    fault.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingFileError(f"{path}: no such blacklist")
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from None
    return [_rule(name, rule, path) for name, rule in given.items()]


def _rule(name: str, given: Any, path: Path) -> Rule:
    if not isinstance(given, dict) or "where" not in given:
        raise InputError(f"{path}: rule '{name}' needs where = \"a clause of SQL\"")
    if wrong := [k for k in given if k not in keys]:
        raise InputError(f"{path}: rule '{name}' has '{wrong[0]}'{near(wrong[0], keys)}")
    start, end = (_seconds(given.get(key), name, path) for key in ("from", "until"))
    rule = Rule(
        name,
        str(given["where"]),
        -np.inf if start is None else start,
        np.inf if end is None else end,
        str(given.get("why", "")),
    )
    if not rule.start < rule.end:
        raise InputError(f"{path}: rule '{name}' ends ({given['until']}) before it begins")
    return rule


def _seconds(when: Any, name: str, path: Path) -> float | None:
    if when is None:
        return None
    if isinstance(when, datetime):
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    if isinstance(when, date):
        return datetime(when.year, when.month, when.day, tzinfo=UTC).timestamp()
    raise InputError(f"{path}: rule '{name}': {when!r} is not a date (2018-11-20)")


def apply(observations: base.Observations, rules: Sequence[Rule]) -> dict[str, int]:
    """Sets the reason of data that a rule excludes. Returns how many data each rule removed.

    ValueError: a clause that is no expression of SQL, that names a column that is not there, or
    that reaches for a file.
    """
    if not rules:
        return {}
    try:
        import duckdb
    except ImportError:
        raise InputError(f"a blacklist needs duckdb: {base.needed}") from None
    removed = {}
    alone: dict[str, Any] = {"enable_external_access": False, "python_enable_replacements": False}
    with duckdb.connect(config=alone) as session:
        session.execute("SET lock_configuration = true")
        data = session.from_arrow(base.as_table(observations))
        for rule in rules:
            try:
                found = data.select(duckdb.SQLExpression(rule.where)).to_arrow_table()[0]
            except duckdb.Error as error:
                raise InputError(
                    f"rule '{rule.name}': {str(error).splitlines()[0]}"
                    f"{base.column_meant(str(error))}"
                ) from None
            if str(found.type) != "bool":
                raise InputError(
                    f"rule '{rule.name}': {rule.where!r} is neither true nor false; a clause"
                    " compares, as station = '06610'"
                )
            true = np.array(found.fill_null(False).to_numpy(), bool)
            time = observations["time"]
            true &= (time >= rule.start) & (time < rule.end)
            removed[rule.name] = observations.remove(true, code["blacklist"])
    return removed
