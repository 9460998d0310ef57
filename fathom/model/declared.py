"""Columns of the blocks of a rank as rows of arrays, and what a learned scheme declares of them.

at = Columns.of_blocks(blocks, fields, wet=None)
at.values(use)                  # (columns, levels), 32-bit numbers
at.put(name, values, add=True)  # back into the fields
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from fathom.base.failure import InputError, RunError
from fathom.base.near import unknown
from fathom.model.schemes import Use

places = (
    *("center layer", "center interface", "center column", "layer profile", "interface profile"),
)
written_places = places[:3]
Blocks = Sequence[Mapping[str, Any]]


# ---- what is declared ----------------------------------------------------------------------------


def fields_of(
    side: str, given: Any, said: Any, name: str = "", known: Mapping[str, Any] | None = None
) -> dict[str, list[Use]]:
    """Returns the fields of each input or output. InputError: they are none, or others than the
    file says.

    side : "inputs" or "outputs".
    said : what the file declares, or None.
    known : inputs or outputs of the net, or None.
    """
    made, declared = _by_name(side, given, known), _by_name(side, said, known)
    if made and declared and _plain(made) != _plain(declared):
        raise InputError(
            f"{name}: {side} = {_text(made)} differ from those of the file, {_text(declared)}"
        )
    made = made or declared
    if not made and name:
        these = f" {', '.join(known)}" if known else ""
        raise InputError(
            f'{name}: which fields are its {side}{these}? Give {side} = {{"x":'
            f" [reads(NAME, PLACE, UNITS), ...]}}"
        )
    if known is not None and {*made} != {*known}:
        raise InputError(
            f"{name}: {side} are {', '.join(made)}; those of the net are {', '.join(known)}"
        )
    _check_places(side, name, [use for uses in made.values() for use in uses])
    return made


def _check_places(side: str, name: str, uses: Sequence[Use]) -> None:
    """Raises InputError: a field lies elsewhere than in columns, or is an output twice."""
    allowed = places if side == "inputs" else written_places
    for use in uses:
        if use.place not in allowed:
            raise InputError(
                f"{name}: {use.name} lies at {use.place!r}; {side} lie at {', '.join(allowed)}"
            )
    names = [use.name for use in uses]
    if side == "outputs" and (twice := [n for n in names if names.count(n) > 1]):
        raise InputError(f"{name}: two outputs are {twice[0]}")


def _by_name(side: str, given: Any, known: Mapping[str, Any] | None) -> dict[str, list[Use]]:
    if isinstance(given, Mapping):
        return {str(name): _uses(side, fields) for name, fields in given.items()}
    uses = _uses(side, given or [])
    if uses and known is not None and len(known) == 1 and [u.name for u in uses] != [*known]:
        return {next(iter(known)): uses}
    return {use.name: [use] for use in uses}


def _uses(side: str, given: Any) -> list[Use]:
    return [_use(side, one) for one in ([given] if _is_field(given) else given)]


def _is_field(given: Any) -> bool:
    return isinstance(given, Use) or (
        isinstance(given, (tuple, list)) and bool(given) and isinstance(given[0], str)
    )


def _use(side: str, given: Any) -> Use:
    """Returns a field that is declared by a Use or by its words: name, place, units[, access]."""
    if isinstance(given, Use):
        use = given
    elif _is_field(given) and len(given) in (3, 4) and all(isinstance(x, str) for x in given):
        usual = "updates" if given[0].endswith("_tendency") else "writes"
        access = (given[3:] or [usual if side == "outputs" else "reads"])[0]
        use = Use(given[0], given[1], given[2], access)
    else:
        raise InputError(
            f"{side}: {given!r} declares no field; give reads(NAME, PLACE, UNITS) or [NAME, PLACE,"
            " UNITS]"
        )
    allowed = ("reads",) if side == "inputs" else ("writes", "updates")
    if use.access not in allowed:
        raise InputError(f"{side}: {use.name} is one that it {use.access}; allowed: {allowed}")
    return use


def _plain(fields: Mapping[str, Sequence[Use]]) -> dict[str, list[tuple[str, ...]]]:
    return {name: [tuple(use) for use in uses] for name, uses in fields.items()}


def _text(fields: Mapping[str, Sequence[Use]]) -> str:
    return "; ".join(
        f"{name}: {', '.join(f'{u.name} [{u.units}] at {u.place}' for u in uses)}"
        for name, uses in fields.items()
    )


def ranges_of(
    side: str, given: Any, said: Any, known: Mapping[str, Use]
) -> dict[str, tuple[float, float]]:
    """Returns the ranges of fields, those given before those of the file. InputError: no range."""
    made: dict[str, tuple[float, float]] = {}
    for name, pair in {**(said or {}), **(given or {})}.items():
        if name not in known:
            raise InputError(unknown(f"field of {side}", name, known))
        try:
            least, most = map(float, pair)
        except (TypeError, ValueError):
            least, most = np.nan, np.nan
        if not least < most:
            raise InputError(f"{side}: {name} = {pair!r} must be (least, most), least below most")
        made[name] = least, most
    return made


def cut(
    scheme: Any, use: Use, x: np.ndarray, within: tuple[float, float], there: np.ndarray | None
) -> np.ndarray | None:
    """Cuts numbers to a range, and sets those below the sea floor to 0. Returns which columns had
    numbers beyond it or not finite; None: no column. RunError: one had, and the scheme has no
    fall-back.
    """
    least, most = within
    lowest, highest = x.min(), x.max()
    if lowest >= least and highest <= most and np.isfinite(highest - lowest):
        if there is not None:
            np.copyto(x, 0.0, where=~there)
        return None
    outside = ~((x >= least) & (x <= most) & np.isfinite(x))
    if there is not None:
        outside &= there
    bad: np.ndarray = outside.any(1)
    if scheme.fallback == "stop" and bad.any():
        raise RunError(
            f"{scheme.name}: {use.name} = {x[outside][0]:g} {use.units} in"
            f" {int(bad.sum())} columns; it knows {least:g} to {most:g}; a fall-back would take"
            " them"
        )
    np.clip(x, least, most, out=x)
    if there is not None:
        np.copyto(x, 0.0, where=~there)
    return bad


# ---- columns -------------------------------------------------------------------------------------


class Columns:
    """Columns of some blocks, one after another, each block row by row; without those of land."""

    count = 0

    def __init__(self, levels: int) -> None:
        self.levels = levels
        self.blocks: Blocks = ()
        self.parts: list[tuple[int, int, Any]] = []  # first, end, which of the block's columns
        self.wet: np.ndarray | None = None  # layers above the sea floor, (columns)

    @classmethod
    def of_blocks(cls, blocks: Blocks, fields: Sequence[Use], wet: str | None) -> Self:
        """Returns the columns of blocks; wet: a field of columns, the number of their layers."""
        made = cls(next((_levels(b, use) for b in blocks for use in fields if _levels(b, use)), 1))
        made.blocks = blocks
        flat = next(use.name for use in fields if use.place.startswith("center"))
        for block in blocks:
            if wet is None:
                which: Any = slice(None)
                size = int(np.prod(block[flat].shape[-2:]))
            else:
                which = np.flatnonzero(block[wet].reshape(-1) > 0)
                size = len(which)
            made.parts.append((made.count, made.count + size, which))
            made.count += size
        if wet is not None and made.count:
            made.wet = np.rint(made.values_of(wet)[:, 0]).astype(int)
        return made

    def size_of(self, use: Use) -> int:
        """Returns how many numbers of a field a column has."""
        vertical = use.place.split()
        if "column" in vertical:
            return 1
        return self.levels + ("interface" in vertical)

    def values_of(self, name: str, kind: Any = np.float64) -> np.ndarray:
        """Returns a field (columns, numbers)."""
        made: np.ndarray | None = None
        for (first, end, which), block in zip(self.parts, self.blocks):
            x = block[name]
            rows = np.moveaxis(x.reshape(-1, *x.shape[-2:]), 0, -1) if x.ndim > 1 else x
            rows = rows.reshape(-1, rows.shape[-1])
            if made is None:
                made = np.empty((self.count, rows.shape[-1]), kind)
            made[first:end] = rows[which] if len(rows) > 1 or x.ndim > 1 else rows
        return np.empty((0, 1), kind) if made is None else made

    def values(self, use: Use) -> np.ndarray:
        """Returns a field (columns, numbers), 32-bit."""
        return self.values_of(use.name, np.float32)[:, : self.size_of(use)]

    def there(self, use: Use) -> np.ndarray | None:
        """Returns which numbers of a field lie in water, (columns, numbers); None: all."""
        size = self.size_of(use)
        if self.wet is None or size == 1:
            return None
        made: np.ndarray = np.arange(size) < (self.wet + (size > self.levels))[:, None]
        return made

    def volume(self, thickness: str) -> np.ndarray:
        """Returns the volume of cells (columns, levels) [m3]; 0 below the sea floor."""
        depth = self.values_of(thickness)[:, : self.levels]
        made = depth * self.values_of("area_center")
        inside = self.there(Use(thickness, "center layer", "m", "reads"))
        return made if inside is None else np.where(inside, made, 0.0)

    def fill(self, name: str, value: float) -> None:
        """Sets a field everywhere."""
        for block in self.blocks:
            block[name][...] = value

    def put(self, name: str, values: np.ndarray, *, add: bool) -> None:
        """Sets a field from (columns, numbers), or adds them to it."""
        for (first, end, which), block in zip(self.parts, self.blocks):
            x = block[name]
            rows = values[first:end]
            if not isinstance(which, slice):
                rows = np.zeros((x.shape[-2] * x.shape[-1], values.shape[1]))
                rows[which] = values[first:end]
            there = np.moveaxis(rows.reshape(*x.shape[-2:], -1), -1, 0).reshape(x.shape)
            if add:
                x += there.astype(x.dtype, copy=False)
            else:
                x[...] = there

    def zeros(self, use: Use, count: int) -> np.ndarray:
        """Returns zeros as the core has a field of so many columns in a row."""
        size = () if use.place.endswith("column") else (self.size_of(use),)
        return np.zeros((*size, 1, count), self._kind)

    def as_core_has(self, use: Use, which: np.ndarray) -> np.ndarray:
        """Returns a field of some columns in a row: (numbers, 1, columns), (1, columns), or the
        profile.
        """
        if use.place.endswith("profile"):
            return np.array(self.blocks[0][use.name])
        rows = self.values_of(use.name, self._kind)[which]
        return np.ascontiguousarray(rows.T[:, None, :] if rows.shape[1] > 1 else rows.T)

    @property
    def _kind(self) -> Any:
        return next(x.dtype for x in self.blocks[0].values())

    # ---- what the function takes and gives -------------------------------------------------------

    def together(
        self, name: str, one: str, uses: Sequence[Use], parts: Sequence[np.ndarray], wanted: Any
    ) -> np.ndarray:
        """Returns the fields of an input beside each other, (columns, features), or (columns,
        fields, levels) if the function wants that. InputError: its shape is another.
        """
        sizes = [self.size_of(use) for use in uses]
        if wanted is not None and len(wanted) == 2:
            made_shape: tuple[int, ...] = (len(uses), sizes[0])
            if len({*sizes}) > 1:
                raise InputError(
                    f"{name}: input {one!r} has fields of {sizes} levels; its net wants (columns,"
                    " fields, levels)"
                )
            made = np.stack(parts, 1)
        else:
            made_shape = (sum(sizes),)
            made = np.concatenate(parts, 1) if len(parts) > 1 else parts[0]
        self._check(name, f"input {one!r}", uses, made_shape, wanted)
        return made.astype(np.float32, copy=False)

    def check_output(self, name: str, one: str, uses: Sequence[Use], made: np.ndarray) -> None:
        """Raises InputError: an output has not the numbers of its fields."""
        sizes = [self.size_of(use) for use in uses]
        shape = made.shape[1:]
        wanted: tuple[int, ...] = (len(uses), sizes[0]) if len(shape) == 2 else (sum(sizes),)
        if len(shape) == 2 and len({*sizes}) > 1:
            wanted = (sum(sizes),)
        self._check(name, f"output {one!r}", uses, wanted, shape)

    def _check(
        self, name: str, what: str, uses: Sequence[Use], fields: tuple[int, ...], net: Any
    ) -> None:
        fits = net is None or (
            len(net) == len(fields) and all(n in (None, m) for n, m in zip(net, fields))
        )
        if not fits:
            these = ", ".join(f"{use.name} {self.size_of(use)}" for use in uses)
            raise InputError(
                f"{name}: {what} of the net has {_shape(net)} numbers a column; its fields have"
                f" {_shape(fields)} with {self.levels} levels ({these})"
            )

    def apart(
        self, uses: Sequence[Use], made: np.ndarray, kind: Any
    ) -> Iterator[tuple[str, np.ndarray]]:
        """Yields each field of an output, (columns, numbers), in 64 bits where they are summed."""
        rows, first = made.reshape(len(made), -1), 0
        for use in uses:
            size = self.size_of(use)
            yield use.name, rows[:, first : first + size].astype(kind)
            first += size


def _shape(numbers: Sequence[int | None]) -> str:
    return " x ".join("any" if n is None else str(n) for n in numbers)


def _levels(block: Mapping[str, Any], use: Use) -> int:
    """Returns the number of layers that a field tells; 0: none."""
    words, x = use.place.split(), block[use.name]
    if "column" in words:
        return 0
    more = words[-1] == "profile" or "interface" in words  # profiles have room for interfaces
    return int(x.shape[0]) - more
