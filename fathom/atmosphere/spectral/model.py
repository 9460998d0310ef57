"""The spectral atmosphere of the globe: which processes, in which order, with which defaults.
docs/models.md lists what a simulation asks of a model.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from fathom.atmosphere.cases import classic as cases
from fathom.atmosphere.ground.orography import orography as orography_of
from fathom.atmosphere.physics.columns import ColumnPhysics, PhysicsOfLeapfrog
from fathom.atmosphere.physics.packages import Physics
from fathom.atmosphere.physics.stochastic import Stochastic, checked_parts
from fathom.atmosphere.products import diagnostics
from fathom.atmosphere.products.budget import Budget
from fathom.atmosphere.remap.change_of_geometry import ChangeOfGeometry
from fathom.atmosphere.spectral import step
from fathom.atmosphere.spectral.dynamics import Dynamics, Leapfrog, SemiLagrangian
from fathom.atmosphere.spectral.hydrostatic import HydrostaticAtmosphere, check_air
from fathom.atmosphere.spectral.parameters import checked
from fathom.base import constants, earth, mpi
from fathom.base.clock import seconds_if_any
from fathom.base.failure import InputError
from fathom.grids.gaussian import GaussianGrid
from fathom.model.component import Given, Series
from fathom.model.order import Insertion
from fathom.model.schemes import bytes_of


def _check(
    grid: Any,
    scheme: Any,
    tracers: Sequence[str],
    precision: str,
    viscosity: Any,
    diffusion_time: Any,
    off_centring: Any,
    energy: Any,
    mass: Any,
) -> None:
    """Raises ValueError where arguments are wrong, or exclude each other."""
    if not isinstance(grid, GaussianGrid):
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


def _budget_of(model: Any, wanted: Any) -> Any:
    """Returns the Budget of a model; None where none is wanted. ValueError: it has none."""
    if not wanted:
        return None
    if not model.moist or model.scheme == "eulerian":
        raise InputError(
            "budget = True needs moist air and scheme = 'semi-lagrangian', given scheme ="
            f" {model.scheme!r}{'' if model.moist else ' and dry air'}"
        )
    return Budget(model)


def _check_energy(energy: Any, scheme: Any, mass: Any) -> None:
    if energy not in (True, False, "automatic"):
        raise InputError(f"fix_energy = {energy!r} must be true, false or 'automatic'")
    if energy is True and (scheme == "eulerian" or not mass):
        raise InputError("fix_energy = True needs scheme = 'semi-lagrangian' and fix_mass = True")


def _check_eulerian(grid: Any, off_centring: Any) -> None:
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
        BasicPhysics(); by default none.
    scheme : "semi-lagrangian" (default; two time levels, SETTLS) or "eulerian" (leapfrog, vorticity
        and divergence; steps as short as dt N |v| < a).
    orography : surface geopotential [m2 s-2]: a number, an array (ny, nx) or a function of
        (longitude, latitude) in degrees; "earth": that of the earth, with its land and the
        sub-grid orography (fathom.atmosphere.ground.orography); default 0, or that of an analysis.
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
    robert_asselin : strength of the filter of Robert and Asselin, of the leapfrog.
    williams_factor : share of that filter that the old time gets (Williams 2009).
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
    stochastic : list of PerturbedTendencies() and Backscatter(): errors of the physics
        (docs/ensembles.md); by default none.
    extra_processes : list of Insertion: the user's processes in the order of a step.
    precision : "fp64" (default) or "fp32".
    """

    def __init__(
        self,
        grid: GaussianGrid,
        *,
        physics: Physics = (),
        scheme: str = "semi-lagrangian",
        orography: Given | None = None,
        tracers: Sequence[str] = (),
        diffusion_time: float | str = "2.4h",
        diffusion_order: int = 4,
        divergence_damping: float = 1.0,
        viscosity: float = 0.0,
        sponge: int = 0,
        off_centring: float = 0.0,
        reference_temperature: float = constants.usual["reference_temperature"],
        reference_pressure: float = constants.usual["reference_pressure"],
        iterations: int = 2,
        robert_asselin: float = 0.05,
        williams_factor: float = 0.53,
        rotation: float = earth.ROTATION,
        gas_constant: float = constants.dry_air_gas_constant,
        heat_capacity: float = constants.spectral_heat_capacity,
        fix_mass: bool = True,
        fix_energy: bool | str = "automatic",
        budget: bool = False,
        stochastic: Sequence[Stochastic] = (),
        extra_processes: Sequence[Insertion] = (),
        precision: str = "fp64",
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
        self._hold(grid, physics, tracers, orography, precision, extra_processes)
        self.scheme = scheme
        if fix_energy == "automatic":
            fix_energy = self.moist
        semi_lagrangian = scheme != "eulerian"
        self.parameters = checked(
            "SpectralAtmosphere",
            {
                "diffusion_time": seconds_if_any(diffusion_time, "diffusion_time"),
                "diffusion_order": diffusion_order,
                "divergence_damping": divergence_damping,
                "splitting": float(semi_lagrangian and not grid.sphere.plain),
                "viscosity": viscosity,
                "robert_asselin": robert_asselin,
                "williams_factor": williams_factor,
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
        self._fix(*(bool(self.parameters.pop(name)) for name in ("fix_mass", "fix_energy")))
        self.budget = _budget_of(self, budget)
        self.given_before: dict[str, float] = {}
        self.stochastic = checked_parts(stochastic)
        for one in self.stochastic:
            one.on(grid.truncation, grid.radius, self.air)
        if isinstance(orography, str):
            self._lie_on(orography)

    def earth_below(self) -> dict[str, Any]:
        """Returns the surface below (fathom/atmosphere/ground/orography.py)."""
        return orography_of(self.grid, self.grid.truncation)

    def set(
        self,
        case: str | None = None,
        analysis: Any = None,
        digital_filter: float | str | None = None,
        **values: Given,
    ) -> Self:
        """Sets the initial state by field: a number, an array (nz, ny, nx) or (ny, nx), or a
        function of (longitude, latitude, pressure) in degrees and Pa.

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
        result: Self = self._put(values, analysis, digital_filter)
        return result

    # ---- what the simulation asks for ------------------------------------------------------------

    @property
    def phases(self) -> Sequence[str]:
        """Returns those of a step, in order."""
        return step.leapfrog if self.scheme == "eulerian" else step.semi_lagrangian

    @property
    def columns(self) -> ColumnPhysics:
        """Returns its physics, as a component."""
        if self.scheme == "eulerian":
            return PhysicsOfLeapfrog(self.physics, self.air, self.grid, self.budget)
        return super().columns

    @property
    def dynamics(self) -> Dynamics:
        """Returns its dynamics, as a component."""
        kind = Leapfrog if self.scheme == "eulerian" else SemiLagrangian
        return kind(self.air, self.parameters["rotation"], self.splitting)

    def profiles_of_step(self, first: bool) -> Mapping[str, Sequence[float]]:
        """Returns the weights of the scheme of two time levels."""
        return {} if self.scheme == "eulerian" else super().profiles_of_step(first)

    def core_dynamics(self, time_step: float) -> Any:
        """Returns the processes of a step [s] that need communication
        (core/atmosphere/spectral/dynamics.hpp).
        """
        levels = self.grid.levels
        return mpi.core.SpectralDynamics(
            self.scheme,
            self.grid.rows,
            self.grid.truncation,
            list(map(float, levels.a)),
            list(map(float, levels.b)),
            self.numbers | {"step": float(time_step), "radius": float(self.grid.radius)},
            self.temperature,
            [(name, "any") for name in self.tracers],
            bytes_of[self.precision],
        )

    def receive_state(self, simulation: Any) -> None:
        """Takes ground and sea of another atmosphere, once blocks are known; the air follows in
        `initialise`; of an analysis the record of the date.
        """
        self.take_record_of_date(simulation)
        if self.given is None:
            return
        self.change = self.changed_by(ChangeOfGeometry, simulation)
        ground = dict(self.change.ground)
        self.orography = ground.pop("surface_geopotential", self.orography)
        self.initial |= ground

    def initialise(self, simulation: Any) -> bool | None:
        """Puts the initial state into the fields. True: it is truncated already, with its
        gradients.
        """
        if self.change is None:
            return super().initialise(simulation)
        simulation.changed = True
        result: bool | None = self.change.fill()
        return result

    def finish_initialisation(self, simulation: Any) -> None:
        """Filters the initial state, once it is truncated, and begins to count its energy."""
        self.change = None
        super().finish_initialisation(simulation)
        self.given_before = self._given_back(simulation)

    @staticmethod
    def _given_back(simulation: Any) -> dict[str, Any]:
        """Returns the energy given back by the fixer since the model was made, and the heat of
        truncation and diffusion [J m-2].
        """
        fixer = simulation.find(mpi.core.EnergyFixer)
        if fixer is None:
            return {}
        return {"energy_fixer": fixer.returned, "diffusion_heating": fixer.heat_of_diffusion}

    def watch(self, simulation: Any) -> tuple[Series, str]:
        """Returns present numbers: name -> (value, units), and words for the line of progress."""
        if self.budget is not None and not self.budget.started:
            self.budget.begin(simulation)
        return diagnostics.watch(self, simulation)

    def account(self, simulation: Any) -> dict[str, Any]:
        """Returns entries in the summary of a run that only this model has: the energy fixer and
        the heat of diffusion [W m-2], and the budget if it is kept; complete on rank 0, all ranks
        call it.
        """
        found, steps = {}, simulation.count - simulation.start_steps
        if steps:
            found = {
                name: (now - self.given_before.get(name, 0.0)) / (steps * simulation.time_step)
                for name, now in self._given_back(simulation).items()
            }
        if self.budget is not None:
            found["budget"] = self.budget.table(simulation)
        return found
