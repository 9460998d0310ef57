"""A year of a surface over a sea at rest, at its observed temperature: the implied transports
(fathom/ocean/surface/implied.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from fathom.base.failure import InputError
from fathom.data import surface as climatology
from fathom.data.forcings import accepted
from fathom.data.input.records import Points, Records
from fathom.grids import TripolarGrid, ZLevels
from fathom.ocean.products.circulation import basins
from fathom.ocean.surface.forcing import BulkForcing, of_rivers
from fathom.ocean.surface.given_fluxes import SurfaceForcing
from fathom.ocean.surface.implied import Implied, SeaAtRest, seen
from fathom.run.simulation import Simulation

if TYPE_CHECKING:
    from fathom.grids.grid import Grid


def usual_grid(resolution: str = "1deg") -> Any:
    """Returns the sea on which forcings are compared: the globe at a named resolution, full
    depth."""
    levels = {
        "1deg": ZLevels(nz=40, depth=5500, surface=10),
        "3deg": ZLevels(nz=25, depth=5500),
    }
    return TripolarGrid(resolution=resolution, levels=levels[resolution], bathymetry="etopo5")


def of_surface(surface: Any, grid: Any, samples: int = 100) -> Implied:
    """Returns annual means of the fluxes of a surface (BulkForcing, SurfaceForcing) on the sea of a
    grid.

    samples : instants of the year, evenly; a number that does not divide its days covers all hours.
    Errors are those of the input of the surface.
    """
    sim = Simulation(
        SeaAtRest(grid).set(salinity=34.7, temperature=10.0),
        time_step=f"{365 * 86400 / samples:.0f}s",
        start=f"{_year_of(surface, grid)}-01-01",
        calendar="noleap",
        surface=surface,
        beyond_stability=True,
    )
    points, name = Points(grid), "sea_surface_temperature"
    observed = climatology.on_points(points.latitude, points.longitude, name)[name]
    total: dict[str, Any] = dict.fromkeys(seen, 0.0)
    sim.prepare()
    for n in range(samples):
        if sim.fields.has("temperature"):  # that the fluxes depend on
            sim.fields.set("temperature", _at(observed, n / samples), 0)
        sim.advance(1)
        for flux in filter(sim.fields.has, seen):
            total[flux] = total[flux] + sim.gather(flux)[0] / samples
    wet = np.asarray(grid.wet_levels) > 0
    return Implied(grid, {flux: np.where(wet, held, 0.0) for flux, held in total.items()})


def surface_of(data: Any) -> Any:
    """Returns the surface made from the user's files: SurfaceForcing of net fluxes and stress, else
    BulkForcing of the air, in the names of CF, CMIP, ECMWF, CORE-II or JRA55-do; missing variables
    of the air come from the embedded climatology.

    ValueError: the names in the files, and the known names.
    """
    records: Any = Records(data)
    fluxes: dict[str, Any] = {
        name: Records(data, found[0].name)
        for name, called in net.items()
        if (found := records.matches(called, only=False))
    }
    if fluxes:
        return SurfaceForcing(**fluxes)
    if any(records.matches((name, *accepted[name]), only=False) for name in BulkForcing.air):
        has_rivers = records.matches(of_rivers, only=False)
        return BulkForcing(records, missing="coads", runoff=records if has_rivers else 0.0)
    raise InputError(
        f"{records!r} has {', '.join(records.variables) or 'no field on latitudes and longitudes'};"
        f" known are net fluxes ({', '.join(called[0] for called in net.values())}) or the air"
        f" ({', '.join(BulkForcing.air)}), by these names, CF standard names or those of CMIP,"
        " ECMWF, CORE-II and JRA55-do"
    )


net = {
    "stress_eastward": ("surface_downward_eastward_stress", "tauuo", "stress_eastward"),
    "stress_northward": ("surface_downward_northward_stress", "tauvo", "stress_northward"),
    "heat_flux": ("surface_downward_heat_flux_in_sea_water", "hfds", "surface_heat_flux"),
    "freshwater_flux": ("water_flux_into_sea_water", "wfo", "surface_freshwater_flux"),
}


def _year_of(surface: Any, grid: Grid) -> int:
    """Returns a year of which all records have something: the first one."""
    axes = [source.axis for source in surface.over(grid).records()]
    begins = [a.begin[0][0] for a in axes if not a.repeated and not a.constant]
    return max(begins, default=2001)


def _at(monthly: np.ndarray, share: float) -> np.ndarray:
    """Returns monthly values, linear between the middles of two months; share: of the year that is
    past.
    """
    middles, day = climatology.day_of_year(), 365 * share
    n = int(np.searchsorted(middles, day)) - 1
    begin, end = middles[n] - (365 if n < 0 else 0), middles[(n + 1) % 12]
    weight = (day - begin) / ((end - begin) % 365)
    found = (1 - weight) * monthly[n] + weight * monthly[(n + 1) % 12]
    return np.ascontiguousarray(found, float)


published = {
    # (quantity, basin, latitude): text, value, error
    ("heat", "atlantic", 26.5): ("1.2 to 1.3 (RAPID, Johns et al. 2011)", 1.25, 0.1),
    ("heat", "atlantic", -30.0): ("0.35 to 0.5 (Ganachaud & Wunsch 2003)", 0.42, 0.1),
    ("heat", "global", 20.0): ("1.5 to 2", 1.75, 0.25),
    ("heat", "global", -30.0): ("-0.5 to -1", -0.75, 0.25),
}
waters = (("atlantic", 26.5), ("atlantic", -30.0), ("global", 26.5), ("global", -30.0))
westerlies = {"50 to 54 S": (-54.0, -50.0, "0.15 to 0.2"), "40 to 48 N": (40.0, 48.0, "")}


def figures(found: Implied) -> dict[str, float]:
    """Returns the figures of a forcing, by name [PW, Sv, W m-2, kg m-2 s-1, N m-2]."""
    heat = {
        f"implied_{basin}_{_place(latitude)}_pw": found.heat(basin, latitude)
        for _, basin, latitude in published
    }
    water = {
        f"implied_water_{basin}_{_place(latitude)}_sv": found.water(basin, latitude)
        for basin, latitude in waters
    }
    stress = {
        f"stress_{name.replace(' to ', '_').replace(' ', '').lower()}": found.zonal(
            "stress_eastward", south, north
        )
        for name, (south, north, _) in westerlies.items()
    }
    means = {f"mean_{name}": found.over_the_sea(name) for name in seen}
    return heat | water | stress | means


def _place(latitude: float) -> str:
    return f"{abs(int(latitude))}{'n' if latitude > 0 else 's'}"


def table(forcings: dict[str, Implied]) -> str:
    """Returns the figures of forcings next to those that are published, in Markdown."""
    rows = [["implied", *forcings, "published"], ["---"] * (len(forcings) + 2)]

    def row(what: str, value: Callable[..., str], text: str = "") -> None:
        rows.append([what, *(value(one) for one in forcings.values()), text])

    for (_, basin, latitude), (text, *_) in published.items():
        row(
            f"heat northward, {_called(basin)}, {_degrees(latitude)} [PW]",
            lambda one, at=(basin, latitude): f"{one.heat(*at):+.2f}",
            text,
        )
    for basin, latitude in waters:
        row(
            f"fresh water northward, {_called(basin)}, {_degrees(latitude)} [Sv]",
            lambda one, at=(basin, latitude): f"{one.water(*at):+.2f}",
        )
    for name, (south, north, text) in westerlies.items():
        row(
            f"eastward stress, {name} [N m-2]",
            lambda one, at=(south, north): f"{one.zonal('stress_eastward', *at):.3f}",
            text,
        )
    for name, what, scale in (
        ("surface_heat_flux", "mean heat, taken away [W m-2]", 1.0),
        ("surface_freshwater_flux", "mean fresh water, taken away [mm/day]", 86400.0),
    ):
        row(what, lambda one, n=name, s=scale: f"{one.over_the_sea(n) * s:+.2f}", "0")
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _called(basin: str) -> str:
    return {"atlantic": "Atlantic", "indo_pacific": "Indo-Pacific"}.get(basin, basin)


def _degrees(latitude: float) -> str:
    return f"{abs(latitude):g}° {'N' if latitude > 0 else 'S'}"


def picture(forcings: dict[str, Implied], title: str = "") -> Any:
    """Returns heat and fresh water by basin, stress by latitude: a figure."""
    from fathom import plots  # start-up time

    panels = {}
    for n, basin in enumerate(basins):
        panels[f"Heat northward, {_called(basin)} [PW]"] = plots.Profile(
            "PW",
            {
                name: (one.latitudes, one.northward("surface_heat_flux")[n] / 1e15)
                for name, one in forcings.items()
            },
            {
                text: (latitude, value, error)
                for (_, of, latitude), (text, value, error) in published.items()
                if of == basin
            },
        )
    for n, basin in enumerate(basins[:2]):
        panels[f"Fresh water northward, {_called(basin)} [Sv]"] = plots.Profile(
            "Sv",
            {
                name: (one.latitudes, one.northward("surface_freshwater_flux")[n] / 1e9)
                for name, one in forcings.items()
            },
        )
    bands = np.arange(-78.0, 90, 4)
    panels["Eastward stress, mean over the sea [N m⁻²]"] = plots.Profile(
        "N m⁻²",
        {
            name: (bands, np.array([one.zonal("stress_eastward", a - 2, a + 2) for a in bands]))
            for name, one in forcings.items()
        },
    )
    return plots.by_latitude(panels, title=title)
