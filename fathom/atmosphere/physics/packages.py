"""The first physics of the atmosphere: which column schemes, in which order.
docs/physics-atmosphere.md has equations, fields and cost.
"""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any

from fathom.atmosphere.radiation import RRTMGP
from fathom.base.clock import Period
from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.model import parts
from fathom.model.schemes import Scheme, scheme, schemes

Part = Scheme | type[Scheme] | str | None  # a scheme as a user gives it
Physics = Part | Iterable[Any]  # schemes as a user gives them: a suite, one, or a list

# A scheme for a part does this to that field.
makes = {
    "sunlight": ("writes", "cosine_zenith"),
    "ozone": ("writes", "ozone"),
    "clouds": ("writes", "cloud_fraction"),
    "radiation": ("writes", "longwave_flux"),
    "surface": ("writes", "surface_temperature"),
    "exchange": ("writes", "momentum_conductance"),
    "mixing": ("writes", "air_diffusivity"),
    "shallow": ("writes", "shallow_mass_flux"),
    "convection": ("writes", "convective_precipitation"),
    "condensation": ("writes", "stratiform_precipitation"),
    "land": ("updates", "ground_temperature"),
    "lake": ("updates", "lake_ice_amount"),
    "drag": ("writes", "gravity_wave_stress"),
    "blocking": ("writes", "blocking_height"),
}
helping = ("LocalAlbedo", "GivenSurfaceFluxes")  # of RRTMGP, of a ForcedColumn
changes = {("updates", "air_temperature_tendency"), ("updates", "specific_humidity_tendency")}


def allowed(part: str) -> dict[str, type]:
    """Returns allowed classes by name."""
    found = parts.makers((*makes[part], ""), own_too=True)
    return found | ({"RRTMGP": RRTMGP} if part == "radiation" else {})


def listed(physics: Any) -> list[Scheme]:
    """Returns the schemes of a model's physics, in order: of a suite, one scheme, or a list of
    them, each an object, a class or a name.
    """
    suites = {one.__name__: one for one in (BasicPhysics, ForecastPhysics, AromePhysics, RRTMGP)}
    found = parts.listed("physics", physics, suites)
    refused = parts.of_fathom() - {*(known := {*of_columns(), *suites})}
    if strange := [one.name for one in found if one.name in refused]:
        raise InputError(
            f"physics: {strange[0]} does not act on columns of air{near(strange[0], known)};"
            f" allowed: {', '.join(suites)} and {', '.join(sorted(known - {*suites}))}"
        )
    return found


def of_columns() -> set[str]:
    """Returns names of the schemes that act on columns of air: those of the suites; those that
    change temperature or humidity; and others that use no other fields than these.
    """
    uses = {
        name: {(f["access"], f["name"]) for f in s.entry["fields"]} for name, s in schemes().items()
    }
    acting = {name for part in makes for name in allowed(part)} & {*uses}
    acting |= {name for name in uses if uses[name] & changes} | {*helping}
    fields = {field for name in acting for _, field in uses[name]} | {*surface_defaults}
    return acting | {name for name in uses if {field for _, field in uses[name]} <= fields}


def _as_often(what: Any, every: str | None) -> Any:
    """Returns a scheme; one without its own interval is computed at the interval `every`."""
    if what is None or every is None or what.every:
        return what
    what = copy(what)
    what.every = Period(every, "radiation_every").text
    return what


def _as_sparse(radiation: Any, spacing: int) -> RRTMGP:
    """Returns RRTMGP; without its own spacing it is computed in one column of about n x n, n =
    spacing. InputError: another scheme.
    """
    if not isinstance(radiation, RRTMGP):
        raise InputError(
            f'radiation_spacing = {spacing!r} needs radiation = "RRTMGP"; given {radiation!r}'
        )
    return radiation.spaced(spacing)


class BasicPhysics(Configurable):
    """Radiation, surface, boundary layer, convection, condensation and mountain drag, in the order
    of a step.

    A list of schemes: `SpectralAtmosphere(grid, physics=BasicPhysics(radiation_every="1h"))`. Each
    scheme is a name, a class, an object with its parameters, or None (no such scheme).

    Parameters
    ----------
    radiation_every : how often ozone, clouds and radiative fluxes are computed, "3h", unless a
        scheme of them has another `every`; between calls sun and surface scale their results.
    ozone : StandardOzone, or None: the field `ozone` is given.
    radiation_spacing : n: RRTMGP is computed in one column of about n x n (1: in all), unless it
        has another `spacing`. Fluxes of the others are interpolated and adapted to the ground of
        each (docs/radiation.md).
    clouds : DiagnosticCloud; StratocumulusCloud, which adds clouds below inversions over the sea;
        or None: radiation sees the fields `cloud_fraction` and `cloud_water` as given, by default
        none.
    sunlight : Sunlight; Sunlight(fixed_season=1) keeps the season of the start.
    radiation : Radiation, or RRTMGP (docs/radiation.md).
    surface, exchange : SurfaceState, BulkExchange.
    land : LandSurface, a slab with a bucket of water; SoilLayers, four layers of soil for heat and
        water; or TiledLand, plants, bare ground, snow in three layers and ice, each with a
        separate temperature, over such a soil. TiledLand uses TileState, TileExchange and
        TileDiffusion, which get the parameters of `surface` and `exchange`.
    lake : None; or MixedLake: open water is a lake where `lake_depth` > 0. Needs SoilLayers or
        TiledLand.
    shallow : None; or ShallowMassFlux, an updraught in addition to the diffusion of `mixing`, with
        MassFluxConvection(shallow=0) for the deep clouds.
    convection : BettsMiller, or MassFluxConvection.
    mixing : KProfileDiffusion; or TKE, which keeps a turbulent kinetic energy; or
        CloudyTKE, the same with the buoyancy of saturated air in clouds.
    condensation : LargeScaleCondensation, whose rain falls at once; or WarmMicrophysics,
        IceMicrophysics, GraupelMicrophysics, with prognostic cloud and precipitation. Radiation
        gets their clouds by PrognosticCloud, or PrognosticLiquidCloud without ice.
    drag : OrographicDrag, which needs the field `orography_deviation`; or None.
    blocking : None; or OrographicBlocking, the drag of air that flows around sub-grid mountains.
    """

    surface: Any
    sunlight: Any
    ozone: Any
    clouds: Any
    radiation: Any
    exchange: Any
    mixing: Any
    shallow: Any
    convection: Any
    condensation: Any
    land: Any
    lake: Any
    drag: Any
    blocking: Any

    def __init__(
        self,
        *,
        radiation_every: str | None = "3h",
        radiation_spacing: int | None = None,
        sunlight: Part = "Sunlight",
        ozone: Part = "StandardOzone",
        clouds: Part = "DiagnosticCloud",
        radiation: Part = "Radiation",
        surface: Part = "SurfaceState",
        exchange: Part = "BulkExchange",
        mixing: Part = "KProfileDiffusion",
        shallow: Part = None,
        convection: Part = "BettsMiller",
        condensation: Part = "LargeScaleCondensation",
        land: Part = "LandSurface",
        lake: Part = None,
        drag: Part = "OrographicDrag",
        blocking: Part = None,
    ) -> None:
        self.radiation_every = radiation_every
        seldom = {"ozone": ozone, "clouds": clouds, "radiation": radiation}
        given = {
            "surface": surface,
            "sunlight": sunlight,
            **seldom,
            "exchange": exchange,
            "mixing": mixing,
            "shallow": shallow,
            "convection": convection,
            "condensation": condensation,
            "land": land,
            "lake": lake,
            "drag": drag,
            "blocking": blocking,
        }
        for name, what in given.items():
            every = radiation_every if name in seldom else None
            setattr(self, name, _as_often(parts.one_or_none(name, what, allowed(name)), every))
        if radiation_spacing is not None:
            self.radiation = _as_sparse(self.radiation, radiation_spacing)
        if isinstance(self.radiation, RRTMGP) and "ozone" in self.radiation.fields_in_time:
            self.ozone = None  # records give it
        if self.lake and not (
            self.land and {"ice_base_flux", "sea_surface_temperature"} <= {*self.land.field_names}
        ):
            raise InputError(
                f'lake = {self.lake!r} needs the heat that passes the ice: land = "SoilLayers"'
                ' or "TiledLand"'
            )
        self.diffusion = scheme("VerticalDiffusion")
        if self.land and "surface" in self.land.entry.get("companions", {}):
            self._tile()

    def _tile(self) -> None:
        """Makes sea and ground by schemes with tiles."""
        for name in ("surface", "exchange", "diffusion"):
            what, tiled = getattr(self, name), self.land.companion(name)
            if what is None or what.name == tiled.name:
                continue
            if strange := [p for p in what.parameters if p not in tiled.parameter_names]:
                raise InputError(
                    f"{name} = {what!r}: {tiled.name}, which land = {self.land.name!r} needs, has"
                    f" no parameter '{strange[0]}'{near(strange[0], tiled.parameter_names)}"
                )
            setattr(self, name, type(tiled)(every=what.every, **what.parameters))
        if self.lake and "under tiles" in self.lake.entry["companions"]:
            self.lake = self.lake.companion("under tiles")

    @property
    def _local_albedo(self) -> Scheme | None:
        """Returns the scheme that adapts interpolated radiation to the albedo of each column."""
        if self.radiation is None or (self.radiation.spacing or 1) == 1:
            return None
        return scheme("LocalAlbedo", every=self.radiation.every)

    def __iter__(self) -> Iterator[Scheme]:
        order = (
            self.surface,
            self.sunlight,
            self.ozone,
            self.clouds,
            self.radiation,
            self._local_albedo,
            "RadiativeHeating",
            self.land and self.land.companion("response"),
            self.exchange,
            self.mixing,
            self._diffusion_of_cloud,
            self.diffusion,
            "PositiveHumidity",
            self.shallow,
            self.convection,
            self.condensation,
            "SnowfallOfConvection" if self._says_snow else "Snowfall",
            self.land,
            self.lake,
            self.drag,
            self.blocking,
        )
        return (scheme(s) if isinstance(s, str) else s for s in order if s is not None)

    @property
    def _diffusion_of_cloud(self) -> str | None:
        """Returns the scheme by which turbulence mixes the cloud that a scheme carries."""
        if self.mixing is None or self.condensation is None:
            return None
        changed = self.condensation.field_names
        if "cloud_ice_tendency" in changed:
            return "CloudDiffusion"
        return "LiquidDiffusion" if "cloud_liquid_water_tendency" in changed else None

    @property
    def _says_snow(self) -> bool:
        """Returns whether the scheme of clouds gives the frozen part of its precipitation."""
        return self.condensation is not None and (
            "stratiform_snowfall" in self.condensation.field_names
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(s.name for s in self)})"


class ForecastPhysics(BasicPhysics):
    """BasicPhysics with the schemes of a forecast: RRTMGP in one column of nine, a prognostic
    turbulent energy, convection by mass flux, prognostic clouds of six kinds of water.

    Parameters
    ----------
    radiation_spacing : "automatic" (default): 3 of RRTMGP, none of other schemes.
    condensation : "automatic" (default): GraupelMicrophysics with cloud_rate = 3e-4 s-1 and
        cloud_threshold = 3e-4: the rain of layer clouds over a hundred kilometres; its own defaults
        are those of single clouds.

    The others are those of BasicPhysics.
    """

    def __init__(
        self,
        *,
        radiation_every: str | None = "1h",
        radiation_spacing: int | str | None = "automatic",
        sunlight: Part = "Sunlight",
        ozone: Part = "StandardOzone",
        clouds: Part = "PrognosticCloud",
        radiation: Part = "RRTMGP",
        surface: Part = "SurfaceState",
        exchange: Part = "BulkExchange",
        mixing: Part = "TKE",
        shallow: Part = None,
        convection: Part = "MassFluxConvection",
        condensation: Part = "automatic",
        land: Part = "LandSurface",
        lake: Part = None,
        drag: Part = "OrographicDrag",
        blocking: Part = None,
    ) -> None:
        of_columns = parts.one_or_none("radiation", radiation, allowed("radiation"))
        if radiation_spacing == "automatic":
            radiation_spacing = 3 if isinstance(of_columns, RRTMGP) else None
        if condensation == "automatic":
            condensation = scheme("GraupelMicrophysics", cloud_rate=3e-4, cloud_threshold=3e-4)
        super().__init__(
            radiation_every=radiation_every,
            radiation_spacing=radiation_spacing,  # type: ignore[arg-type]  # checked there
            sunlight=sunlight,
            ozone=ozone,
            clouds=clouds,
            radiation=of_columns,
            surface=surface,
            exchange=exchange,
            mixing=mixing,
            shallow=shallow,
            convection=convection,
            condensation=condensation,
            land=land,
            lake=lake,
            drag=drag,
            blocking=blocking,
        )


class AromePhysics(BasicPhysics):
    """Physics for spacings of a few km, at which the dynamics resolves deep clouds: prognostic
    cloud, ice, rain, snow and graupel, turbulence with a prognostic energy, shallow clouds by an
    updraught, tiles of plants, ground, snow and ice over four layers of soil, and RRTMGP.

    A list of schemes, as BasicPhysics: `LimitedAreaAtmosphere(grid, dynamics="non-hydrostatic",
    physics=AromePhysics())`. Clouds are those of each step.

    Parameters
    ----------
    radiation_every : how often ozone and radiative fluxes are computed, unless a scheme of them
        says `every` itself.
    critical_humidity : relative humidity at which a layer begins to be in cloud, of the
        microphysics and of the clouds that radiation and turbulence see, where they are by default.

    The others are those of BasicPhysics.
    """

    def __init__(
        self,
        *,
        radiation_every: str | None = "15min",
        critical_humidity: float = 0.95,
        sunlight: Part = "Sunlight",
        ozone: Part = "StandardOzone",
        clouds: Part = "PrognosticCloud",
        radiation: Part = "RRTMGP",
        surface: Part = "SurfaceState",
        exchange: Part = "BulkExchange",
        mixing: Part = "CloudyTKE",
        shallow: Part = "ShallowMassFlux",
        convection: Part = None,
        condensation: Part = "GraupelMicrophysics",
        land: Part = "TiledLand",
        lake: Part = None,
        drag: Part = None,
        blocking: Part = None,
    ) -> None:
        self.critical_humidity = critical_humidity
        super().__init__(
            radiation_every=radiation_every,
            sunlight=sunlight,
            ozone=ozone,
            clouds=self._with_humidity(clouds, every="1s"),
            radiation=radiation,
            surface=surface,
            exchange=exchange,
            mixing=mixing,
            shallow=shallow,
            convection=convection,
            condensation=self._with_humidity(condensation),
            land=land,
            lake=lake,
            drag=drag,
            blocking=blocking,
        )

    def _with_humidity(self, what: Part, **more: Any) -> Part:
        """Returns a scheme that is named without parameters."""
        if not isinstance(what, str):
            return what
        made = scheme(what, **more)
        if "critical_humidity" not in made.parameter_names:
            return made
        return scheme(what, critical_humidity=self.critical_humidity, **more)

    def __repr__(self) -> str:
        return f"AromePhysics({', '.join(s.name for s in self)})"


water = ("cloud_liquid_water", "rain_water", "cloud_ice", "snow_water", "graupel_water")


def carried(physics: Iterable[Scheme]) -> list[str]:
    """Returns kinds of water other than vapour that schemes change, and dynamics carry."""
    return [w for w in water if any(f"{w}_tendency" in p.field_names for p in physics)]


# What a user may set together with the air; by default a sea without ice or mountains under air
# without ozone.
surface_defaults = {
    "land_fraction": 0.0,
    "sea_ice_fraction": 0.0,
    "sea_ice_thickness": 1.5,  # ground::usual_ice of core/physics/land/ground.hpp
    "sea_surface_temperature": 288.0,
    "ground_temperature": 271.35,
    "deep_ground_temperature": 271.35,
    "soil_moisture": 75.0,
    **{f"soil_temperature_{k}": 283.15 for k in (1, 2, 3, 4)},
    "soil_water_1": 17.5,  # 0.25 of the volume
    "soil_water_2": 52.5,
    "soil_water_3": 180.0,
    "soil_water_4": 472.5,
    "snow_amount": 0.0,
    "snow_density": 300.0,
    **{f"snow_liquid_{k}": 0.0 for k in (1, 2, 3)},
    **{f"snow_departure_{k}": 0.0 for k in (1, 2, 3)},
    "snow_albedo": 0.75,
    "snow_on_ice": 0.0,
    "plant_departure": 0.0,
    "bare_ground_departure": 0.0,
    "ice_departure": 0.0,
    "canopy_water": 0.0,
    "vegetation_fraction": 1.0,
    "lake_depth": 0.0,
    "lake_ice_amount": 0.0,
    "snow_free_albedo": 0.2,
    "land_ice_fraction": 0.0,
    "roughness_length": 0.1,
    "orography_deviation": 0.0,
    "ozone": 0.0,
    "cloud_fraction": 0.0,
    "cloud_water": 0.0,
    "convective_precipitation": 0.0,  # if no scheme computes it
}
layer_fields = ("ozone", "cloud_fraction", "cloud_water")
