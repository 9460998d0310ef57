"""Levels: the division of a column, by depth in the ocean, by pressure in the atmosphere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.data.input.table import table
from fathom.grids import hybrid
from fathom.grids.arguments import choice, core, integer, number_of, numbers, span


def _least_share(partial_cells: float | bool | None) -> float | None:
    """Returns the least share of its layer that a bottom cell has; None: bottom cells are whole."""
    if partial_cells is None or partial_cells is False:
        return None
    share = 0.2 if partial_cells is True else number_of("partial_cells", partial_cells, "1")
    if not 0 < share <= 1:
        raise InputError(
            f"partial_cells = {partial_cells}, the least share of its layer that a bottom cell"
            " has, must lie in (0, 1]"
        )
    return share


class ZLevels(Configurable):
    """Levels of fixed depth.

    Parameters
    ----------
    nz : int, default 40
    depth : float [m], default 5500. Depth of the last interface.
    surface : float [m], default 10 (at most depth / nz). Thickness of the first layer;
        thickness grows smoothly downward.
    spacing : "stretched" (default) or "uniform".
    thickness : list of float [m], or the file of a text table of them. The layers themselves, in
        place of nz, depth, surface and spacing.
    partial_cells : float, in (0, 1], or True for 0.2. The bottom cell of a column ends at the sea
        floor, and has this share of its layer or more.
        None (default): whole cells, to the interface nearest to the floor.
    """

    def __init__(
        self,
        nz: int | None = None,
        depth: float | None = None,
        surface: float | None = None,
        spacing: str | None = None,
        thickness: Sequence[float] | np.ndarray | str | None = None,
        partial_cells: float | bool | None = None,
    ) -> None:
        self.least_share = _least_share(partial_cells)
        if thickness is not None:
            if (nz, depth, surface, spacing) != (None,) * 4:
                raise InputError(
                    "ZLevels takes either thickness, or nz, depth, surface and spacing"
                )
            if isinstance(thickness, str):
                thickness = table(thickness).ravel()
            layers = np.atleast_1d(np.asarray(thickness, object))
            self.vertical = core().levels_from_thickness(
                [number_of("thickness", t, "m") for t in layers]
            )
            return
        nz = integer("nz", 40 if nz is None else nz, most=10_000)
        depth = number_of("depth", 5500 if depth is None else depth, "m")
        uniform = choice("spacing", spacing or "stretched", ["stretched", "uniform"]) == "uniform"
        if uniform and surface is not None:
            raise InputError(
                f"surface = {surface} m belongs to stretched levels; these are uniform"
            )
        if surface is None:
            surface = min(10.0, depth / max(nz, 1))
        self.vertical = (
            core().uniform_levels(nz, depth)
            if uniform
            else core().stretched_levels(nz, depth, number_of("surface", surface, "m"))
        )

    @property
    def nz(self) -> int:
        """Returns the number of levels."""
        result: int = self.vertical.levels
        return result

    @property
    def middles(self) -> np.ndarray:
        """Returns depth of the middle of each layer [m]."""
        return np.cumsum(self.weights) - self.weights / 2

    @property
    def weights(self) -> np.ndarray:
        """Returns thickness [m]: the weight of a layer in means."""
        return np.asarray(self.vertical.thickness)

    def text(self, k: int) -> str:
        """Returns where layer k is, in words."""
        return f"{self.middles[k]:.0f} m"

    def __repr__(self) -> str:
        v = self.vertical
        partial = f", partial_cells={self.least_share:g}" if self.least_share is not None else ""
        return f"ZLevels({v.levels} of {span(v.thickness, 'm')}, to {v.depth:g} m{partial})"


class _PressureLevels(Configurable):
    """Layers between p = a + b p_s, k = 0 at the top."""

    surface = 1e5  # pressure [Pa] for which levels are described and weighed

    def _finish(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b = np.asarray(a, float), np.asarray(b, float)
        if a.shape != b.shape or a.size < 2:
            raise InputError(
                f"a has {a.size} values, b {b.size}: both are at the interfaces, one more than"
                " layers"
            )
        if abs(a[-1]) > 1e-6 or abs(b[-1] - 1) > 1e-12:
            raise InputError(
                f"the lowest interface is the ground, a = 0 Pa and b = 1; it is a = {a[-1]:g} Pa, b"
                f" = {b[-1]:g}"
            )
        if not (np.diff(self.reference_pressure) > 0).all():
            k = int(np.argmin(np.diff(self.reference_pressure)))
            raise InputError(
                f"interface {k + 1} lies at {self.reference_pressure[k + 1]:g} Pa, the one above it"
                f" at {self.reference_pressure[k]:g} Pa: pressure must grow from the top down"
            )

    @property
    def nz(self) -> int:
        """Returns the number of layers."""
        return len(self.a) - 1

    @property
    def reference_pressure(self) -> np.ndarray:
        """Returns pressure of the interfaces [Pa], where the surface is at 1000 hPa."""
        return self.a + self.b * self.surface

    @property
    def middles(self) -> np.ndarray:
        """Returns pressure of the middle of each layer [Pa], where the surface is at 1000 hPa."""
        result: np.ndarray = (self.reference_pressure[1:] + self.reference_pressure[:-1]) / 2
        return result

    @property
    def weights(self) -> np.ndarray:
        """Returns thickness [Pa]: the weight of a layer in means."""
        return np.diff(self.reference_pressure)

    def text(self, k: int) -> str:
        """Returns where layer k is, in words."""
        return f"level {k + 1} of {self.nz} ({self.middles[k] / 100:.3g} hPa)"

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.nz} layers, the highest around"
            f" {self.middles[0] / 100:.3g} hPa, the lowest {self.weights[-1] / 100:.3g} hPa thick)"
        )


class HybridLevels(_PressureLevels):
    """Levels of pressure aloft that follow the ground below: p = a + b p_s at the interfaces.

    Parameters
    ----------
    nz : int, default 24, of a smooth set (fathom.grids.hybrid); or the name of a set: "L8",
        "L19", "L24", "L26", "L31", "L40", "L60", "L91".
    top : float [Pa], default 1000. Pressure in the middle of the highest layer.
    lowest : float [m], default 1200 m / nz. Thickness of the lowest layer.
    a, b : lists of float [Pa, 1], nz + 1 from the top down, instead of all else.
    """

    written: dict[str, object]  # the arguments

    def __init__(
        self,
        nz: int | str | None = None,
        top: float | None = None,
        lowest: float | None = None,
        a: Sequence[float] | np.ndarray | None = None,
        b: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        if a is not None or b is not None:
            if a is None or b is None or (nz, top, lowest) != (None,) * 3:
                raise InputError("HybridLevels takes either a and b, or nz, top and lowest")
            self.written = {"a": list(a), "b": list(b)}
            self._finish(numbers("a", a, "Pa"), numbers("b", b, "1"))
        elif isinstance(nz, str):
            if (top, lowest) != (None, None):
                raise InputError(f"the set {nz!r} has its own top and lowest layer")
            self.written = {"nz": nz}
            self._finish(*hybrid.named(nz))
        else:
            nz = integer("nz", 24 if nz is None else nz, most=10_000)
            if nz < 1:
                raise InputError(f"nz = {nz} levels: at least 4 are needed")
            self.written = {"nz": nz, "top": top, "lowest": lowest}
            self._finish(
                *hybrid.smooth(
                    nz,
                    number_of("top", 1000.0 if top is None else top, "Pa"),
                    None if lowest is None else number_of("lowest", lowest, "m"),
                )
            )


class SigmaLevels(_PressureLevels):
    """Levels of sigma = p / p_s.

    Parameters
    ----------
    nz : int, default 20. Layers of equal thickness.
    interfaces : list of float, from 0 to 1, instead of nz.
    """

    def __init__(
        self, nz: int | None = None, interfaces: Sequence[float] | np.ndarray | None = None
    ) -> None:
        if interfaces is not None and nz is not None:
            raise InputError("SigmaLevels takes either nz or interfaces")
        if interfaces is None:
            nz = integer("nz", 20 if nz is None else nz, most=10_000)
            if nz < 1:
                raise InputError(f"nz = {nz} must be 1 or more")
            self.written: dict[str, Any] = {"nz": nz}
            interfaces = np.arange(nz + 1) / nz
        else:
            self.written = {"interfaces": list(interfaces)}
        sigma = numbers("interfaces", interfaces, "1")
        self._finish(0 * np.array(sigma), sigma)


def _even(nz: int | None, top: float | None) -> list[float]:
    """Returns the interfaces of so many layers of one thickness, below a top [m]."""
    nz = integer("nz", 40 if nz is None else nz, most=10_000)
    top = number_of("top", 20e3 if top is None else top, "m")
    if nz < 4 or not 0 < top < 1e7:
        raise InputError(f"nz = {nz} layers below top = {top:g} m: 4 or more, below 1e7 m")
    return [top * k / nz for k in range(nz + 1)]


def _named_heights(name: str, top: float | None) -> list[float]:
    """Returns heights of the interfaces of a named set [m]."""
    choice("nz", name, ["L38"])
    if top is not None:
        raise InputError(f"the set {name!r} has its own top, not {top!r}")
    k = np.arange(39.0)
    return list(20.0 * k**2 + 10.3748 * np.maximum(k - 28, 0) ** 3)


class HeightLevels(Configurable):
    """Levels of height that follow the ground: z = eta + ground (1 - eta / top)^decay, eta the
    heights over flat ground.

    Parameters
    ----------
    nz : int, default 40. Layers; or "L38": 20 m k^2 to k = 28, then wider to 39.25 km, as the
        Unified Model has them nearly.
    top : float [m], default 20e3. Height of the last interface: a rigid lid.
    heights : list of float [m], of the interfaces over flat ground, from 0 up, instead of nz
        and top.
    decay : float, default 1. How fast levels become flat: 1 straight, 2 or 3 sooner.
    """

    def __init__(
        self,
        nz: int | str | None = None,
        top: float | None = None,
        heights: Sequence[float] | np.ndarray | str | None = None,
        decay: float = 1.0,
    ) -> None:
        if heights is not None and (nz, top) != (None, None):
            raise InputError("HeightLevels takes either heights, or nz and top")
        if heights is None:
            heights = _named_heights(nz, top) if isinstance(nz, str) else _even(nz, top)
        heights = np.asarray(numbers("heights", heights, "m"))
        if heights.size < 5 or heights[0] != 0 or not (np.diff(heights) > 0).all():
            raise InputError(
                f"heights = {heights.tolist()} must grow from 0 m, 5 interfaces or more"
            )
        self.decay = number_of("decay", decay, "1")
        if not 1 <= self.decay <= 10:
            raise InputError(f"decay = {decay} must lie in [1, 10]")
        self.interfaces = heights[::-1].copy()  # from the top down

    @property
    def nz(self) -> int:
        """Returns the number of layers."""
        return len(self.interfaces) - 1

    @property
    def top(self) -> float:
        """Returns the height of the uppermost interface [m]."""
        return float(self.interfaces[0])

    @property
    def middles(self) -> np.ndarray:
        """Returns height of the middle of each layer over flat ground [m], from the top down."""
        result: np.ndarray = (self.interfaces[1:] + self.interfaces[:-1]) / 2
        return result

    @property
    def weights(self) -> np.ndarray:
        """Returns thickness [m]: the weight of a layer in means."""
        return -np.diff(self.interfaces)

    def over(self, ground: np.ndarray) -> np.ndarray:
        """Returns height of the interfaces over the ground (ny, nx) [m]: (levels + 1, ny, nx).
        ValueError: the ground is so high that layers vanish.
        """
        eta = self.interfaces[:, None, None]
        z = eta + ground[None] * (1 - eta / self.top) ** self.decay
        if not (np.diff(z, axis=0) < 0).all():
            raise InputError(
                f"the ground is up to {np.max(ground):g} m high: layers vanish over it; take a"
                f" higher top than {self.top:g} m, or a smaller decay than {self.decay:g}"
            )
        return z

    def text(self, k: int) -> str:
        """Returns where layer k is, in words."""
        return f"{self.middles[k]:.0f} m above flat ground"

    def __repr__(self) -> str:
        return f"HeightLevels({self.nz} of {span(self.weights, 'm')}, to {self.top:g} m)"
