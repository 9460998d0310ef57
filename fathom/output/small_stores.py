"""Stores of few numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fathom.output.stores import Store


class SmallStore(Store):
    """A store of few numbers, which root alone writes, also in a run with I/O servers."""

    travels = False

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.shared = False

    def open(self) -> None:
        s = self.simulation
        self._open_file()
        self.count = s.comm.bcast(len(self.file.times) if s.is_root else None)

    def _write(self, name: str, value: np.ndarray) -> None:
        """Writes a value of the time that is under way, on root."""
        for j0, j1, i0, i1 in self.file.regions(name):
            self.file.write(
                name,
                self.count,
                (j0, j1, i0, i1),
                value[..., j0:j1, i0:i1] if value.ndim > 1 else value[i0:i1],
            )

    def bytes_here(self) -> int:
        return 0
