"""Arguments of a limited area that are not valid, alone or together."""

from collections.abc import Mapping, Sequence
from typing import Any

from fathom.atmosphere.spectral.hydrostatic import check_air
from fathom.base.failure import InputError
from fathom.base.near import unknown
from fathom.grids.cartesian import CartesianGrid
from fathom.grids.grid import Grid
from fathom.grids.limited_area import LimitedAreaGrid
from fathom.grids.transform.plane import orders

kinds = ["hydrostatic", "non-hydrostatic"]


def is_compressible(dynamics: str) -> bool:
    """Returns whether dynamics of this kind are those of compressible air. InputError: there is no
    such kind.
    """
    if dynamics not in kinds:
        raise InputError(unknown("dynamics", str(dynamics), kinds))
    return dynamics == "non-hydrostatic"


def check_kept(periodic: bool, **kept: Any) -> None:
    """Raises InputError where a quantity that should be kept passes through the edges."""
    for name, asked in kept.items():
        if asked not in (True, False) or (asked and not periodic):
            raise InputError(
                f"{name} = {asked!r}: allowed is false"
                + ("" if not periodic else " or true")
                + (", for air passes through the edges of an area" if not periodic else "")
            )


def check_compressible(
    corrections: int, extrapolation: str, parameters: Mapping[str, float], fix_energy: Any
) -> None:
    """Raises InputError where numbers do not fit compressible air.

    parameters : acoustic_temperature and reference_temperature [K], by name.
    """
    if corrections < 0:
        raise InputError(f"corrections = {corrections} must not be negative")
    if corrections and extrapolation == "settls":
        raise InputError(
            f"corrections = {corrections}: extrapolation = 'settls' has none, 'nesc' has"
        )
    sound, waves = (parameters[f"{kind}_temperature"] for kind in ("acoustic", "reference"))
    if not 0 < sound <= waves:
        raise InputError(
            f"acoustic_temperature = {sound:g} K must be positive, and no more than"
            f" reference_temperature = {waves:g} K"
        )
    if fix_energy:
        raise InputError("fix_energy: the energy of compressible air is not conserved")


def check_area(
    grid: Any,
    waves: Any,
    tracers: Sequence[str],
    precision: str,
    viscosity: Any,
    diffusion_time: Any,
) -> None:
    """Raises InputError where arguments are wrong, or exclude each other."""
    if not (isinstance(grid, (LimitedAreaGrid, CartesianGrid)) and grid.staggering == "A"):
        raise InputError(
            "LimitedAreaAtmosphere needs a LimitedAreaGrid, or a CartesianGrid with"
            f" staggering = 'A', given {grid!r}"
            + (f" with staggering = {grid.staggering!r}" if isinstance(grid, Grid) else "")
        )
    if waves not in orders:
        raise InputError(unknown("waves", str(waves), list(orders)))
    check_air("LimitedAreaAtmosphere", grid, tracers, precision)
    if grid.levels.nz < 4:
        raise InputError(
            f"LimitedAreaAtmosphere needs four layers or more; the grid has {grid.levels.nz}"
        )
    if viscosity and diffusion_time:
        raise InputError(
            f"viscosity = {viscosity!r} replaces the diffusion by diffusion_time:"
            " diffusion_time = 0"
        )
