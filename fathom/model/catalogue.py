"""All schemes as attributes of one object: `fathom.schemes`.

>>> fm.schemes.BulkSensitivity(heat=40)
"""

from __future__ import annotations

from fathom.base.renamed import hint
from fathom.model.schemes import Scheme
from fathom.model.schemes import schemes as known


class Catalogue:
    """Has the class of each scheme of the core's catalogue, and of the headers that a user has
    loaded, by its name.
    """

    def __getattr__(self, name: str) -> type[Scheme]:
        """Returns the class of a scheme. AttributeError: there is none, with near names."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = known()
        if name not in found:
            raise AttributeError(f"fathom.schemes has no '{name}'{hint(name, found)}")
        return found[name]

    def __dir__(self) -> list[str]:
        return sorted(known())

    def __repr__(self) -> str:
        return f"fathom.schemes: {len(known())} schemes; dir(fathom.schemes) lists them"


schemes = Catalogue()
