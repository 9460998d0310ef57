"""The spectral atmosphere of the globe: which processes, in which order, with which defaults.
docs/models.md lists what a simulation asks of a model.
"""

from typing import Self

from fathom.atmosphere.cases import classic as cases
from fathom.atmosphere.ground.orography import orography as orography_of
from fathom.atmosphere.products import diagnostics
from fathom.atmosphere.products.budget import Budget
from fathom.atmosphere.remap.change_of_geometry import ChangeOfGeometry
from fathom.atmosphere.spectral.hydrostatic import HydrostaticAtmosphere, check_air, seconds_of
from fathom.atmosphere.spectral.parameters import checked
from fathom.atmosphere.spectral.step import eulerian_step, semi_lagrangian_step
from fathom.base import constants, earth, mpi
from fathom.base.failure import InputError
from fathom.model.order import Order
from fathom.model.schemes import bytes_of


def _check(grid, scheme, tracers, precision, viscosity, diffusion_time, off_centring, energy, mass):
    """ValueError where arguments are wrong, or exclude each other."""
    if not hasattr(grid, "truncation"):
        raise InputError(f"SpectralAtmosphere needs a GaussianGrid, given {grid!r}")
    check_air("SpectralAtmosphere", grid, tracers, precision)
    if scheme not in ("semi-lagrangian", "eulerian"):
        raise InputError(f"scheme = {scheme!r} must be 'semi-lagrangian' or 'eulerian'")
    if viscosity and diffusion_time:
        raise InputError(
            f"viscosity = {viscosity!r} replaces the diffusion by diffusion_time:"
            " diffusion_time = 0"
        )
    if scheme == "eulerian":
        _check_eulerian(grid, off_centring)
    _check_energy(energy, scheme, mass)


def _budget_of(model, wanted):
    """The Budget of a model; None where none is wanted. ValueError: it has none."""
    if not wanted:
        return None
    if not model.moist or model.scheme == "eulerian":
        raise InputError(
            "budget = True needs moist air and scheme = 'semi-lagrangian', given scheme ="
            f" {model.scheme!r}{'' if model.moist else ' and dry air'}"
        )
    return Budget(model)


def _check_energy(energy, scheme, mass):
    if energy not in (True, False, "automatic"):
        raise InputError(f"fix_energy = {energy!r} must be true, false or 'automatic'")
    if energy is True and (scheme == "eulerian" or not mass):
        raise InputError("fix_energy = True needs scheme = 'semi-lagrangian' and fix_mass = True")


def _check_eulerian(grid, off_centring):
    if grid.stretching > 1:
        raise InputError(
            f"scheme = 'eulerian' needs an even sphere, given stretching = {grid.stretching:g};"
            " allowed there: scheme = 'semi-lagrangian'"
        )
    if off_centring:
        raise InputError(f"off_centring = {off_centring!r} belongs to scheme = 'semi-lagrangian'")


class SpectralAtmosphere(HydrostaticAtmosphere):
    """Hydrostatic primitive equations on hybrid levels by spherical harmonics, semi-implicit.

    Parameters
    ----------
    grid : GaussianGrid with HybridLevels or SigmaLevels; also on a stretched or rotated grid, winds
        in input and output are eastward and northward on earth.
    physics : list of schemes (or their names) that add to tendencies, in order: [HeldSuarez()],
        FirstPhysics(); by default none.
    scheme : "semi-lagrangian" (default; two time levels, SETTLS) or "eulerian" (leapfrog, vorticity
        and divergence; steps as short as dt N |v| < a).
    orography : surface geopotential [m2 s-2]: a number, an array (ny, nx) or a function of
        (longitude, latitude) in degrees; "earth": that of the earth, with its land and the
        sub-grid orography (fathom.atmosphere.ground.orography).
    tracers : names of further tracers. specific_humidity and the kinds of water that the physics
        changes are always there.
    diffusion_time : e-folding time of the smallest waves [s, or "2.4h"]; 0: no horizontal
        diffusion.
    diffusion_order : power of the Laplacian; 4 is the eighth derivative.
    divergence_damping : diffusion of divergence over that of vorticity.
    viscosity : nu of a plain Laplacian on the model's levels [m2 s-1], with diffusion_time = 0, in
        place of the above.
    sponge : number of uppermost levels in which diffusion doubles from level to level.
    off_centring : weight of the linear terms moved to the new time, in [0, 1]; only
        "semi-lagrangian".
    reference_temperature, reference_pressure : of the linear terms [K, Pa].
    iterations : interpolations of the wind to the departure point; only "semi-lagrangian".
    filter, williams : of the leapfrog: strength of the filter of Robert and Asselin, and the share
        of it that the old time gets (Williams 2009).
    rotation : angular velocity [s-1].
    gas_constant, heat_capacity : of dry air [J kg-1 K-1]; by default those of the physics.
    fix_mass : whether advection conserves the mean surface pressure and the mass of each tracer
        that trajectories carry.
    fix_energy : whether advection and diffusion conserve energy, by one number a step for all
        temperatures; by default if the air is moist; only "semi-lagrangian".
    budget : whether the budget of water, energy and momentum is computed for each scheme of the
        physics, for the summary and the report of a run (fathom.atmosphere.products.budget); needs
        moist air and
        "semi-lagrangian".
    placed : list of Placed: the user's processes in the order of a step.
    precision : "fp64" (default) or "fp32".
    """

    def __init__(
        self,
        grid,
        *,
        physics=(),
        scheme="semi-lagrangian",
        orography=0.0,
        tracers=(),
        diffusion_time="2.4h",
        diffusion_order=4,
        divergence_damping=1.0,
        viscosity=0.0,
        sponge=0,
        off_centring=0.0,
        reference_temperature=constants.usual["reference_temperature"],
        reference_pressure=constants.usual["reference_pressure"],
        iterations=2,
        filter=0.05,
        williams=0.53,
        rotation=earth.ROTATION,
        gas_constant=constants.dry_air_gas_constant,
        heat_capacity=constants.spectral_heat_capacity,
        fix_mass=True,
        fix_energy="automatic",
        budget=False,
        placed=(),
        precision="fp64",
    ) -> None:
        _check(
            grid,
            scheme,
            tracers,
            precision,
            viscosity,
            diffusion_time,
            off_centring,
            fix_energy,
            fix_mass,
        )
        self._hold(grid, physics, tracers, orography, precision, placed)
        self.scheme = scheme
        if fix_energy == "automatic":
            fix_energy = self.moist
        semi_lagrangian = scheme != "eulerian"
        self.parameters = checked(
            "SpectralAtmosphere",
            {
                "diffusion_time": seconds_of(diffusion_time),
                "diffusion_order": diffusion_order,
                "divergence_damping": divergence_damping,
                "splitting": float(semi_lagrangian and not grid.sphere.plain),
                "viscosity": viscosity,
                "filter": filter,
                "williams": williams,
                "sponge": sponge,
                "off_centring": off_centring,
                "reference_temperature": reference_temperature,
                "reference_pressure": reference_pressure,
                "iterations": iterations,
                "rotation": rotation,
                "gas_constant": gas_constant,
                "heat_capacity": heat_capacity,
                "fix_mass": fix_mass,
                "fix_energy": float(fix_mass and semi_lagrangian and fix_energy),
            },
        )
        self.budget = _budget_of(self, budget)
        self.given_before: dict[str, float] = {}
        if isinstance(orography, str):
            self._lie_on(orography)

    def earth_below(self):
        """The surface below (fathom/atmosphere/ground/orography.py)."""
        return orography_of(self.grid, self.grid.truncation)

    def set(self, case=None, analysis=None, digital_filter=None, **values) -> Self:
        """Initial state by field: a number, an array (nz, ny, nx) or (ny, nx), or a function of
        (longitude, latitude, pressure) in degrees and Pa.

        Allowed: eastward_wind, northward_wind, air_temperature, log_surface_pressure (ln of Pa) or
        surface_air_pressure [Pa], tracers, and what the physics reads of ground and sea.

        Parameters
        ----------
        case : name of a published test case, all of these and the orography
            (fathom.atmosphere.cases.classic).
        analysis : "gfs", "era5", "ecmwf" or a file: all of these, and the orography, from a state
            of the atmosphere (fathom.data.atmosphere). Or a Simulation of another
            SpectralAtmosphere, or the path of its restart: all of these, brought to this grid
            (docs/post.md); an orography of this model's own stays.
        digital_filter : span of the filter that removes the gravity waves of the start, "6h"; 0:
            none.
        """
        if case is not None:
            values = cases.apply(self, case, cases.primitive_equations) | values
        return self._put(values, analysis, digital_filter)

    # ---- what the simulation asks for ------------------------------------------------------------

    def processes(self, step, surface=None):
        """The sequence of one step [s], in order."""
        do = Order(bytes_of[self.precision], step, offered=self.parameters)
        one = eulerian_step if self.scheme == "eulerian" else semi_lagrangian_step
        one(self, self.dynamics(step), do)
        return do.place(self.placed)

    def profiles_of_step(self, first):
        """The weights of the scheme of two time levels."""
        return {} if self.scheme == "eulerian" else super().profiles_of_step(first)

    def dynamics(self, step):
        """The processes that need communication (core/atmosphere/spectral/dynamics.hpp)."""
        levels = self.grid.levels
        return mpi.core.SpectralDynamics(
            self.scheme,
            self.grid.rows,
            self.grid.truncation,
            list(map(float, levels.a)),
            list(map(float, levels.b)),
            self.parameters | {"step": float(step), "radius": float(self.grid.radius)},
            self.temperature,
            [(name, "any") for name in self.tracers],
            bytes_of[self.precision],
        )

    def arrive(self, simulation):
        """Takes ground and sea of another atmosphere, once blocks are known; the air follows in
        `initialise`.
        """
        if self.given is None:
            return
        self.change = self.changed_by(ChangeOfGeometry, simulation)
        ground = dict(self.change.ground)
        self.orography = ground.pop("surface_geopotential", self.orography)
        self.initial |= ground

    def initialise(self, simulation):
        """The initial state into the fields. True: it is truncated already, with its gradients."""
        if self.change is None:
            return super().initialise(simulation)
        simulation.changed = True
        return self.change.fill()

    def settle(self, simulation):
        """Filters the initial state, once it is truncated, and begins to count its energy."""
        self.change = None
        super().settle(simulation)
        self.given_before = self._given_back(simulation)

    @staticmethod
    def _given_back(simulation):
        """The energy given back by the fixer since the model was made, and the heat of truncation
        and diffusion [J m-2].
        """
        fixer = simulation.find(mpi.core.EnergyFixer)
        if fixer is None:
            return {}
        return {"energy_fixer": fixer.returned, "diffusion_heating": fixer.heat_of_diffusion}

    def watch(self, simulation):
        """Present numbers: name -> (value, units), and words for the line of progress."""
        if self.budget is not None and not self.budget.started:
            self.budget.begin(simulation)
        return diagnostics.watch(self, simulation)

    def account(self, simulation):
        """Entries in the summary of a run that only this model has: the energy fixer and the heat
        of diffusion [W m-2], and the budget if it is kept; complete on rank 0, all ranks call it.
        """
        found, steps = {}, simulation.count - simulation.start_steps
        if steps:
            found = {
                name: (now - self.given_before.get(name, 0.0)) / (steps * simulation.step)
                for name, now in self._given_back(simulation).items()
            }
        if self.budget is not None:
            found["budget"] = self.budget.table(simulation)
        return found
