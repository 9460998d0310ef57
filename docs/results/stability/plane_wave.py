"""Stability of the ocean's time step by plane waves: one internal mode on an f plane, carried by an
even current, on the B grid.

    python docs/results/stability/plane_wave.py

Unknowns of a wave exp(i (kx x + ky y)): u, v at corners, p = the mode's pressure / rho0 at centers,
and from the previous step: the advection of u, v and p itself. One step, in units of tau
and Delta (c1 = c tau / Delta, U = u tau / Delta, F = f tau, N = nu tau / Delta^2):

    G        = -i U.A u
        A = sin(kx), sin(ky): centred; U.A summed over both directions
    du       = [(3/2 + e) G - (1/2 + e) G_before - F k x u - i c1 g p - N L u] / (1 + i theta F)
        u + i v as one number
    u(after) = u + du
    p(after) = p - i U.A [(3/2 + e) p - (1/2 + e) p_before] - i c1 g . u(after) - K L p
        g = 2 sin(kx/2) cos(ky/2), ...

The greatest modulus of an eigenvalue over all wavenumbers is the growth a step. The barotropic mode
is implicit: see the second table.
"""

import numpy as np

waves = np.linspace(0, np.pi, 25)
kx, ky = (
    k.ravel() for k in np.meshgrid(np.r_[-waves[:0:-1], waves], waves)
)  # half of the plane: the other half is conjugate
tolerance = 1e-6  # growth a step that is allowed: e-folding in a million steps


def symbols():
    """Gradient (x, y), centred advection (x, y), Laplacian (positive), all times Delta^n."""
    gradient = 2 * np.sin(kx / 2) * np.cos(ky / 2), 2 * np.sin(ky / 2) * np.cos(kx / 2)
    laplacian = 4 * (np.sin(kx / 2) ** 2 + np.sin(ky / 2) ** 2)
    return gradient, (np.sin(kx), np.sin(ky)), laplacian


def growth(c1, U, F, N=0.0, K=0.0, theta=0.6, epsilon=0.1):
    """Greatest modulus over all waves for a current U in both directions (the worst), its wave."""
    (gx, gy), (ax, ay), L = symbols()
    a, b = 1.5 + epsilon, -0.5 - epsilon
    n = len(kx)
    M = np.zeros((n, 6, 6), complex)  # u, v, p, G_u before, G_v before, p before
    advection = -1j * U * (ax + ay)
    inverse = np.array([[1, theta * F], [-theta * F, 1]]) / (1 + (theta * F) ** 2)
    tendency = np.zeros((n, 2, 6), complex)
    tendency[:, 0, 0] = tendency[:, 1, 1] = a * advection - N * L
    tendency[:, 0, 1], tendency[:, 1, 0] = F, -F
    tendency[:, 0, 2], tendency[:, 1, 2] = -1j * c1 * gx, -1j * c1 * gy
    tendency[:, 0, 3] = tendency[:, 1, 4] = b
    M[:, :2] = inverse @ tendency
    M[:, 0, 0] += 1
    M[:, 1, 1] += 1
    M[:, 2] = -1j * c1 * (gx[:, None] * M[:, 0] + gy[:, None] * M[:, 1])
    M[:, 2, 2] += 1 + a * advection - K * L
    M[:, 2, 5] += b * advection
    M[:, 3, 0] = M[:, 4, 1] = advection
    M[:, 5, 2] = 1
    modulus = np.abs(np.linalg.eigvals(M)).max(1)
    worst = modulus.argmax()
    return modulus[worst], (kx[worst], ky[worst])


def limit(of, least=0.0, most=3.0):
    """Greatest x in [least, most] with growth(x) - 1 <= tolerance, by bisection; 0 if there is
    none.
    """
    if of(least + 1e-3)[0] > 1 + tolerance:
        return 0.0
    for _ in range(12):
        middle = (least + most) / 2
        least, most = (middle, most) if of(middle)[0] <= 1 + tolerance else (least, middle)
    return least


def surface_growth(q, F, theta=0.6):
    """Barotropic mode, q = (omega tau)^2: prediction with the old slope, then the increment's
    gradient without Coriolis, backward continuity."""
    r = np.sqrt(q)  # wave along x: height h, velocities u, v, scaled to r u, r h
    inverse = np.array([[1, theta * F], [-theta * F, 1]]) / (1 + (theta * F) ** 2)
    predicted = np.eye(2, 3) + inverse @ np.array([[0, F, -1j * r], [-F, 0, 0]])
    # h' = h - i r u', u' = u* - i theta r (h' - h)  =>  u' (1 + theta q) = u*
    after = predicted.copy()
    after[0] = predicted[0] / (1 + theta * q)
    height = np.array([0, 0, 1]) - 1j * r * after[0]
    return np.abs(np.linalg.eigvals(np.vstack([after, height]))).max()


def admissible(c, u, f, spacing, nu, kappa, **scheme):
    """Longest step [s] for internal waves c, a current u in each direction [m s-1], f [s-1],
    spacing [m], coefficients [m2 s-1].
    """
    return limit(
        lambda tau: growth(
            c * tau / spacing,
            u * tau / spacing,
            f * tau,
            nu * tau / spacing**2,
            kappa * tau / spacing**2,
            **scheme,
        ),
        0.0,
        40000.0,
    )


def main():
    print(
        "largest c tau/Delta without growth (> 1e-6 a step); u tau/Delta in each direction, theta ="
        " 0.6, damping 0.1"
    )
    print("f tau   nu tau/Delta^2   u = 0     0.02     0.05      0.1      0.2")
    for F in (0.0, 0.1, 0.3, 0.5, 1.0):
        for N in (0.0, 0.002, 0.01, 0.05):
            row = [limit(lambda c: growth(c, U, F, N, N / 4)) for U in (0.0, 0.02, 0.05, 0.1, 0.2)]
            print(f"{F:5.1f}   {N:14.3f}   " + "   ".join(f"{x:6.3f}" for x in row))
    print(
        "\nlargest u tau/Delta in each direction, no waves, no rotation, by damping of the"
        " extrapolation and friction"
    )
    print("damping   nu = 0    0.002     0.01     0.05")
    for e in (0.0, 0.05, 0.1, 0.2):
        print(
            f"{e:7.2f}   "
            + "   ".join(
                f"{limit(lambda U: growth(0, U, 0, N, N / 4, epsilon=e), most=1.0):6.3f}"
                for N in (0.0, 0.002, 0.01, 0.05)
            )
        )
    print(
        "\nbarotropic mode: greatest modulus over (omega tau)^2 in [1e-4, 1e4], by f tau and theta"
    )
    print("f tau    theta = 0.5      0.55      0.6      1.0")
    q = np.logspace(-4, 4, 161)
    for F in (0.0, 0.1, 0.5, 1.0, 2.0):
        print(
            f"{F:5.1f}   "
            + "  ".join(
                f"{max(surface_growth(x, F, t) for x in q):9.6f}" for t in (0.5, 0.55, 0.6, 1.0)
            )
        )
    print(
        "\nadmissible step [s] where it is shortest: c = 3 m/s; nu, kappa = what the grid has there"
    )
    for name, spacing, u, latitude, nu, kappa in (
        (
            "1 degree, smallest cell of the cap, 21 km, u 0.3 m/s",
            21e3,
            0.3,
            75,
            1e4 * 21 / 111,
            1e3 * 21 / 111,
        ),
        ("1 degree, equator, 34 km rows, u 1 m/s", 34e3, 1.0, 0, 1e4 * 0.55, 1e3 * 0.55),
        ("1 degree, 111 km, u 1.5 m/s", 111e3, 1.5, 35, 1e4, 1e3),
        ("x1, smallest cell 9 km, u 0.1 m/s", 9.1e3, 0.1, 75, 1e4 * 0.14, 1e3 * 0.14),
        ("x1, equator, 31 km rows, u 1 m/s", 31e3, 1.0, 0, 1e4 * 0.55, 1e3 * 0.55),
        ("x1, 60 km, u 1 m/s", 60e3, 1.0, 50, 1e4 * 0.54, 1e3 * 0.54),
    ):
        f = 1.4584e-4 * np.sin(np.deg2rad(latitude))
        print(f"{admissible(3.0, u, f, spacing, nu, kappa):8.0f}   {name}")


if __name__ == "__main__":
    main()
