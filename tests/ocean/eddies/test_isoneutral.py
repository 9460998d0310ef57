"""Isoneutral diffusion and eddy advection on triads: what they keep, what they lose, where they
converge to.
"""

import numpy as np
import pytest

from operators import order, run

nz, ny, nx = 6, 13, 18
thickness = np.array([30.0, 40.0, 60.0, 90.0, 120.0, 200.0])
alpha, beta = 2e-4, 8e-4
rng = np.random.default_rng(11)
tapers = ["TanhTaperedSlopes", "QuadraticTaperedSlopes", "ClippedSlopes"]
water = {
    "thermal_expansion": alpha,
    "haline_contraction": beta,
    "eddy_structure": 1.0,
    "mixed_layer_depth": 0.0,
    "coriolis": 1.0,
}  # the radius of deformation has its minimum


@pytest.fixture(scope="module")
def basin():
    """Random land, bottom, metrics and structure; stratified water with slopes from gentle to
    steep.
    """
    wet = np.zeros((ny, nx))
    wet[3:-3, 3:-3] = rng.integers(0, nz + 1, (ny - 6, nx - 6)) * (
        rng.random((ny - 6, nx - 6)) > 0.15
    )
    wet[5:8, 5:12] = nz
    metrics = {
        n: 1e5 * (0.5 + rng.random((ny, nx)))
        for n in ("length_north_face", "length_east_face", "dx_east_face", "dy_north_face")
    }
    g = (
        metrics
        | water
        | {
            "area_center": 1e10 * (0.5 + rng.random((ny, nx))),
            "thickness": thickness,
            "wet_levels": wet,
            "eddy_structure": 0.5 + rng.random((nz, ny, nx)),
        }
    )
    center = np.arange(nz)[:, None, None] < wet
    T = (20 - 2 * np.arange(nz)[:, None, None] + 2 * rng.standard_normal((nz, ny, nx))) * center
    S = (35 + 0.2 * rng.standard_normal((nz, ny, nx))) * center
    return g, T, S, center


def slopes(g, T, S, name="ClippedSlopes", **more):
    return run(
        name,
        g | {"temperature": T, "salinity": S},
        len(T),
        **({"maximum_slope": 0.01, "diffusivity": 1e-6, "step": 1.0} | more),
    )


def operator(g, found, kappa, kappa_gm):
    """tracer -> change of content [T m3 s-1], all terms forward, of plain arrays."""
    K33 = kappa * np.nan_to_num(found["squared_slope"])
    in_cells = "InCells" if "cell_thickness" in g else ""
    dz = g["cell_thickness"] if in_cells else np.asarray(g["thickness"])[:, None, None]
    clean = {k: np.nan_to_num(v) for k, v in found.items()}

    def of(tracer):
        given = g | clean | {"tracer": tracer}
        strengths = {"diffusivity": kappa_gm, "isoneutral_diffusivity": kappa}
        total = (
            run(f"IsoneutralFlux{in_cells}", given, len(tracer), **strengths)["tracer_tendency"]
            + run("SlopedFlux", given, len(tracer), **strengths)["tracer_tendency"]
        )
        down = (
            K33[1:-1] * (tracer[:-1] - tracer[1:]) / (0.5 * (dz[:-1] + dz[1:])) * g["area_center"]
        )
        total[:-1] -= down
        total[1:] += down
        return np.where(
            np.arange(len(tracer))[:, None, None] < g["wet_levels"], np.nan_to_num(total), 0
        )

    return of


def small(terms, magnitudes):
    return abs(np.sum(terms)) <= 1e-13 * np.sum(np.abs(magnitudes))


@pytest.mark.parametrize("taper", [*tapers, *(f"{taper}InCells" for taper in tapers)])
def test_content_variance_and_constants(basin, taper):
    """Diffusion is symmetric and never makes variance, advection is antisymmetric; both move
    content and leave a constant as it is. Cells as thick as their layer, or each as itself."""
    g, T, S, center = basin
    if taper.endswith("InCells"):
        g = g | {"cell_thickness": thickness[:, None, None] * rng.uniform(0.2, 1, (nz, ny, nx))}
    found = slopes(g, T, S, taper)
    a, b = (rng.standard_normal((nz, ny, nx)) * center for _ in "ab")
    redi, gm, both = (
        operator(g, found, 1000, 0),
        operator(g, found, 0, 700),
        operator(g, found, 1000, 700),
    )
    for L in (redi, gm, both):
        assert small(L(a), L(a)) and np.abs(L(a)).max() > 1e5
        assert np.all(L(np.ones_like(a) * center) == 0)
    assert small([(a * redi(b)).sum(), -(b * redi(a)).sum()], a * redi(b))
    assert small([(a * gm(b)).sum(), (b * gm(a)).sum()], a * gm(b))
    assert (a * redi(a)).sum() < 0 and small((a * gm(a)).sum(), a * gm(a))
    np.testing.assert_allclose(both(a), redi(a) + gm(a), atol=1e-12 * np.abs(both(a)).max())


def test_equal_diffusivities_need_no_slopes_of_neighbours(basin):
    """What slopes add along levels is exactly nothing."""
    g, T, S, _center = basin
    found = {k: np.nan_to_num(v) for k, v in slopes(g, T, S).items()}
    assert np.all(
        np.nan_to_num(
            run(
                "SlopedFlux",
                g | found | {"tracer": T},
                nz,
                diffusivity=900,
                isoneutral_diffusivity=900,
            )["tracer_tendency"]
        )
        == 0
    )


@pytest.mark.parametrize("taper", tapers)
def test_tapers(taper):
    """The remaining share of a slope, compared with the formulae; near the surface the sine of
    Large et al. (1997).
    """
    most, width, n = 0.01, 0.001, 7
    for slope in (1e-4, 5e-3, 9.5e-3, 1.05e-2, 3e-2):
        x = np.arange(n) * 1e4
        z = np.cumsum(thickness) - 0.5 * thickness
        T = np.broadcast_to(
            20 - 0.01 * z[:, None, None] - 0.01 * slope * x, (nz, 5, n)
        )  # warmer at a given depth where isotherms are deeper
        g = (
            water
            | {
                n_: 1e4
                for n_ in ("length_north_face", "length_east_face", "dx_east_face", "dy_north_face")
            }
            | {"area_center": 1e8, "thickness": thickness, "wet_levels": float(nz)}
        )
        found = slopes(g, T, np.full_like(T, 35.0), taper, maximum_slope=most, taper_width=width)
        kept = {
            "TanhTaperedSlopes": 0.5 * (1 - np.tanh((slope - most) / width)),
            "QuadraticTaperedSlopes": min(1, (most / slope) ** 2),
            "ClippedSlopes": min(1, most / slope),
        }[taper]
        r = np.minimum(1, np.cumsum(thickness)[:-1] / (15e3 * slope))
        exact = slope * kept * 0.5 * (1 + np.sin(np.pi * (r - 0.5)))
        got = np.sqrt(
            found["squared_slope"][1:-1, 2, n // 2]
            * 2
            / (thickness[1:] + thickness[:-1])
            * 0.5
            * (thickness[1:] + thickness[:-1])
        )
        np.testing.assert_allclose(got, exact, rtol=1e-9, atol=1e-15)
        c = found["conductance_west_of_upper"][1:-1, 2, n // 2] / (
            0.25 * 1e4 * thickness[:-1] / (0.5 * (thickness[1:] + thickness[:-1]))
        )
        np.testing.assert_allclose(
            c, -exact, rtol=1e-9, atol=1e-15
        )  # denser, and so shallower, to the east: falls westward


def test_steps_limit_slopes():
    """|S'| <= distance_e distance_v / (4 kappa step)."""
    z = np.cumsum(thickness) - 0.5 * thickness
    T = np.broadcast_to(20 - 0.01 * z[:, None, None] - 0.01 * 5e-3 * np.arange(7) * 1e4, (nz, 5, 7))
    g = (
        water
        | {
            n_: 1e4
            for n_ in ("length_north_face", "length_east_face", "dx_east_face", "dy_north_face")
        }
        | {"area_center": 1e8, "thickness": thickness, "wet_levels": float(nz)}
    )
    found = slopes(g, T, np.full_like(T, 35.0), diffusivity=1000, step=86400)
    between = 0.5 * (thickness[1:] + thickness[:-1])
    slope = found["conductance_east_of_upper"][1:-1, 2, 3] / (0.25 * 1e4 * thickness[:-1] / between)
    np.testing.assert_allclose(
        slope, np.minimum(5e-3, 1e4 * between / (4 * 1000 * 86400)), rtol=1e-9
    )


def random_water(n, smooth):
    """Temperature and salinity on wide cells: gentle slopes, compensated anomalies along them that
    know nothing of density.
    """
    z = (np.cumsum(thickness) - 0.5 * thickness)[:, None, None]
    density = 1e-5 * z + 2e-5 * smooth + np.zeros((nz, n, n))
    spice = rng.standard_normal((nz, n, n))
    return 15 - 0.5 * density / alpha + spice, 35 + 0.5 * density / beta + alpha / beta * spice


def test_no_density_flows_along_neutral_surfaces():
    """Temperature and salinity of any compensated pattern are mixed, their density is not: alpha
    and beta are those of each triad's cell.
    """
    n = 12
    T, S = random_water(n, np.sin(np.arange(n) / 2) * np.cos(np.arange(n) / 3)[:, None])
    g = (
        water
        | {
            n_: 1e5
            for n_ in ("length_north_face", "length_east_face", "dx_east_face", "dy_north_face")
        }
        | {"area_center": 1e10, "thickness": thickness, "wet_levels": float(nz)}
    )
    found = slopes(g, T, S, maximum_slope=1.0)
    L = operator(g, found, 1000, 0)
    inside = (
        slice(1, -1),
        slice(2, -2),
        slice(2, -2),
    )  # half of the triads of first and last layer have no interface: mixing is horizontal there
    of_T, of_S = L(T)[inside], L(S)[inside]
    assert np.abs(of_T).max() > 1e5
    assert np.abs(beta * of_S - alpha * of_T).max() < 1e-11 * np.abs(alpha * of_T).max()


def section(n):
    """A smooth section in x and z: density, a tracer, and the exact convergence of its fluxes,
    diffusive and skew.
    """
    length, depth = 1e6, 1000.0
    L, D = 2 * np.pi / length, np.pi / depth
    rho = lambda x, z: 1e-5 * z + 3e-4 * np.cos(L * x) * np.sin(D * z) * z / depth  # z downward
    tracer = lambda x, z: np.sin(L * x + 0.3) * np.cos(1.5 * D * z) + z / depth
    by = lambda f, x, z, dx, dz: np.imag(f(x + 1j * dx, z + 1j * dz)) / max(dx, dz)
    e = 1e-20
    slope = lambda x, z: by(rho, x, z, e, 0) / by(rho, x, z, 0, e)  # rise towards dense water
    step = 1e-3

    def fluxes(x, z):  # z downward: d/d(up) = -d/dz
        S, Tx, Tz = slope(x, z), by(tracer, x, z, e, 0), -by(tracer, x, z, 0, e)
        return (Tx + S * Tz, S * Tx + S * S * Tz), (-S * Tz, S * Tx)

    def divergence(which, x, z):
        hx, hz = length * step, depth * step
        d = lambda component, dx, dz, h: (
            (
                8
                * (
                    fluxes(x + dx, z + dz)[which][component]
                    - fluxes(x - dx, z - dz)[which][component]
                )
                - (
                    fluxes(x + 2 * dx, z + 2 * dz)[which][component]
                    - fluxes(x - 2 * dx, z - 2 * dz)[which][component]
                )
            )
            / (12 * h)
        )
        return d(0, hx, 0, hx) - d(1, 0, hz, hz)

    x, dz = (np.arange(n) + 0.5) * length / n, depth / n
    z = ((np.arange(n) + 0.5) * dz)[:, None, None]
    field = lambda f: np.broadcast_to(f(x, z), (n, 5, n))
    dx = length / n
    g = (
        water
        | {
            n_: dx
            for n_ in ("length_north_face", "length_east_face", "dx_east_face", "dy_north_face")
        }
        | {
            "area_center": dx * dx,
            "thickness": np.full(n, dz),
            "wet_levels": float(n),
            "coriolis": 1e3,
        }
    )
    return (
        g,
        field(lambda x, z: -rho(x, z) / alpha),
        field(tracer),
        [divergence(which, x, z[:, 0, 0][:, None]) * dx * dx * dz for which in (0, 1)],
    )


def test_second_order():
    """Both operators on smooth slopes of up to 0.02, away from boundaries."""
    errors = {0: [], 1: []}
    for n in (24, 48):
        g, T, tracer, exact = section(n)
        found = slopes(g, T, np.full_like(T, 35.0), maximum_slope=1.0)
        for which, strengths in ((0, (1.0, 0.0)), (1, (0.0, 1.0))):
            got = operator(g, found, *strengths)(tracer)[:, 2]
            inside = (slice(n // 6, -n // 6), slice(n // 6, -n // 6))
            errors[which].append(
                np.sqrt(
                    ((got - exact[which])[inside] ** 2).mean() / (exact[which][inside] ** 2).mean()
                )
            )
    for which in (0, 1):
        assert errors[which][-1] < 0.02 and order(errors[which]) > 1.8, errors


def test_gravity_gives_energy_to_eddies():
    """The centre of mass sinks in every step, until isopycnals are level: a slope between walls."""
    n, dx = 16, 2e4
    z = (np.cumsum(thickness) - 0.5 * thickness)[:, None, None]
    wet = np.zeros((7, n))
    wet[2:-2, 2:-2] = nz
    g = (
        water
        | {
            n_: dx
            for n_ in ("length_north_face", "length_east_face", "dx_east_face", "dy_north_face")
        }
        | {"area_center": dx * dx, "thickness": thickness, "wet_levels": wet}
    )
    T = np.broadcast_to(20 - 0.01 * z - 0.5 * np.tanh((np.arange(n) - n / 2) / 2), (nz, 7, n)) * (
        wet > 0
    )
    S = np.full_like(T, 35.0) * (wet > 0)
    step, volume = 40 * 3600.0, dx * dx * thickness[:, None, None]
    heights = []
    for _ in range(60):
        change = operator(g, slopes(g, T, S, diffusivity=1000, step=step), 1000, 1000)(T)
        heights.append((T * -z * volume).sum())  # heat rises as mass sinks
        T = T + step * change / volume * (wet > 0)
    heights = np.diff(heights)
    assert np.all(heights > 0) and heights[-1] < 0.5 * heights[0]


def test_eddies_do_not_pass_walls(basin):
    """The stream function is 0 on walls and on the steps of the bottom: no transport where either
    cell is land.
    """
    g, T, S, center = basin
    found = {k: np.nan_to_num(v) for k, v in slopes(g, T, S).items()}
    flow = run("BolusTransport", g | found, nz, diffusivity=1.0)
    for name, shifted in (
        ("bolus_transport_east", np.roll(center, -1, 2)),
        ("bolus_transport_north", np.roll(center, -1, 1)),
    ):
        inside = (slice(None), slice(1, -1), slice(1, -1))
        open_, transport = (center & shifted)[inside], flow[name][inside]
        assert np.abs(transport[open_]).max() > 0 and np.all(transport[~open_] == 0)


def test_transports_are_those_of_the_skew_flux():
    """They close in every column, and height is lifted where they come together: the skew flux does
    the same, within the square of the spacing.
    """
    n = 48
    g, T, _, _ = section(n)
    found = {
        k: np.nan_to_num(v)
        for k, v in slopes(g, T, np.full_like(T, 35.0), maximum_slope=1.0).items()
    }
    to_east = run("BolusTransport", g | found, n, diffusivity=1.0)["bolus_transport_east"][
        :, 2, 1:-1
    ]
    assert np.abs(to_east.sum(axis=0)).max() < 1e-12 * np.abs(to_east).max()
    height = np.broadcast_to(-(np.arange(n) + 0.5)[:, None, None] * 1000 / n, T.shape)
    rise = np.cumsum((to_east[:, :-1] - to_east[:, 1:])[::-1], axis=0)[
        ::-1
    ]  # through the top of a cell, from below
    inside = (slice(n // 6, -n // 6), slice(n // 6, -n // 6))
    exact = -0.5 * (rise[:-1] + rise[1:])[inside] * 1000 / n
    got = operator(g, found, 0.0, 1.0)(height)[:-1, 2, 2:-1][inside]
    assert np.sqrt(((got - exact) ** 2).mean()) < 0.01 * np.sqrt((exact**2).mean())


@pytest.mark.parametrize("cut", [False, True])
def test_transports_lift_what_the_skew_flux_lifts(basin, cut):
    """Height in each column, over random land, layers of any thickness and cut cells: the sum of
    height x transport through its sides, to round-off.
    """
    g, T, S, _center = basin
    own = (
        {
            "cell_thickness": (
                thickness[:, None, None]
                * np.where(
                    np.arange(nz)[:, None, None] == g["wet_levels"] - 1,
                    0.2 + 0.8 * rng.random((ny, nx)),
                    1.0,
                )
            )
        }
        if cut
        else {}
    )
    in_cells = "InCells" if cut else ""
    found = {
        k: np.nan_to_num(v)
        for k, v in slopes(g | own, T, S, name="ClippedSlopes" + in_cells).items()
    }
    moved = run("BolusTransport", g | own | found, nz, diffusivity=700.0)
    to_east, to_north = (
        np.nan_to_num(moved[f"bolus_transport_{side}"]) for side in ("east", "north")
    )
    height = -(np.cumsum(thickness) - 0.5 * thickness)[:, None, None] * np.ones((ny, nx))
    lifted = (operator(g | own, found, 0.0, 700.0)(height)).sum(0)[4:-4, 4:-4]
    work = lambda transport: (height * transport).sum(0)
    sides = (
        (work(to_east) - np.roll(work(to_east), 1, 1))
        + (work(to_north) - np.roll(work(to_north), 1, 0))
    )[4:-4, 4:-4]
    assert np.abs(lifted).max() > 1e3
    np.testing.assert_allclose(lifted, -sides, atol=1e-11 * np.abs(lifted).max())
