"""Small seas with open edges: python open_seas.py NAME [key=value ...] prints one JSON object."""

import tempfile

import numpy as np

import fathom as fm

edges = ("west", "east", "south", "north")
size = 10e3  # of a cell [m]
f = 1e-4


def plane(nx, ny, nz=2, depth=100.0, **grid):
    levels = fm.ZLevels(nz=nz, depth=depth, spacing="uniform", **grid)
    return fm.CartesianGrid(nx=nx, ny=ny, extent=(nx * size, ny * size), levels=levels)


def sea(grid, sides, outside, coriolis=f, **ocean):
    """At rest outside, or as `outside` says."""
    usual = {"temperature": 10.0, "salinity": 35.0}
    given = fm.OpenEdges(sides, **(usual | outside)) if sides else None
    usual_parts = {
        "equation_of_state": fm.LinearEquationOfState(),
        "bottom_drag": 0.0,
        "open_edges": given,
    }
    model = fm.Ocean(grid, coriolis=(coriolis, 0), **(usual_parts | ocean))
    return model.set(**usual)


def start(model, step, surface=None, **how):
    surface = surface or fm.SurfaceForcing()
    return fm.Simulation(
        model, step, surface=surface, directory=tempfile.gettempdir(), overwrite=True, **how
    ).prepare()


def energy(sim, of_flow=(0.0, 0.0)):
    """Of the height and of the flow [m5 s-2], that of a given flow left out."""
    grid, (u, v) = sim.model.grid, of_flow
    center, corner = (np.asarray(a) for a in grid.areas)
    h = np.asarray(grid.vertical.thickness)[:, None, None]
    wet = np.arange(len(h))[:, None, None] < grid.levels_at("corner")
    moved = (sim.gather("velocity_x") - u) ** 2 + (sim.gather("velocity_y") - v) ** 2
    height = 9.80616 * center * sim.gather("sea_surface_height")[0] ** 2
    return 0.5 * (height.sum() + (wet * h * corner * moved).sum())


def stirred(
    sides=edges, precision="fp64", freshwater="salt", partial_cells=None, sponge=1.0, **parts
):
    """Everything alive at once: stratified, stirred, a slope, wind, dyes, flow in and out."""
    grid = fm.CartesianGrid(
        nx=20,
        ny=16,
        extent=(20 * size, 16 * size),
        levels=fm.ZLevels(nz=5, depth=500, partial_cells=partial_cells),
        bathymetry=lambda x, y: np.where(np.hypot(x - 6e4, y - 5e4) < 2e4, 0, 300 + y / 1e3),
    )
    outside = {
        "temperature": lambda x, y, z: 15 - z / 50,
        "velocity_x": lambda x, y, z: 0.1 * np.exp(-z / 200) + 0 * x,
        "velocity_y": 0.02,
        "sea_surface_height": lambda x, y: -1e-6 * (y - 8e4),
        "tracers": {"dye": 1.0},
        "sponge": sponge,
    }
    model = sea(
        grid,
        sides,
        outside if sides else {},
        tracers=["dye"],
        precision=precision,
        free_surface=fm.FreeSurface(freshwater=freshwater, tolerance=1e-9),
        friction=fm.LaplacianFriction(viscosity=100.0),
        diffusion=fm.LaplacianDiffusion(diffusivity=50.0),
        **parts,
    )
    return model.set(
        temperature=lambda x, y, z: (
            15 - z / 50 + np.sin(x / 3e4) * np.cos(y / 2e4) * np.exp(-z / 100)
        ),
        salinity=lambda x, y, z: 35 + 0.1 * np.cos(x / 4e4) * np.exp(-z / 200),
        velocity_x=0.1,
        dye=0.5,
    )


def bits(steps=6, blocks=None, **parts):
    """Checksum after some steps."""
    wind = fm.SurfaceForcing(stress_x=0.1, freshwater_flux=1e-5)
    sim = start(stirred(**parts), "10min", wind, parallel={"blocks": blocks})
    sim.advance(steps)
    return {"checksum": sim.checksum()}


def drawn(blocks=None):
    """Checksum with a sponge, and temperature and flow drawn to others near the edges."""
    flow = {"eastward_velocity": 0.1, "northward_velocity": 0.0}
    nudging = [
        fm.Nudging("temperature", 12.0, "2h", edges=5),
        fm.Nudging("velocity", flow, "2h", edges=5),
    ]
    sim = start(stirred(nudging=nudging, sponge=5.0), "10min", parallel={"blocks": blocks})
    sim.advance(4)
    return {"checksum": sim.checksum()}


if __name__ == "__main__":
    from small_atmospheres import main

    main(globals())
