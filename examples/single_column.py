"""Radiative-convective equilibrium: the air with only sun, greenhouse gases and convection; and a
day over land.

Radiation cools the troposphere by 1 to 2 K a day; convection moves heat up until the latent heat of
the rain balances the cooling. A warm parcel lifted from the sea sets the temperature (Manabe &
Wetherald 1967).

    python examples/single_column.py [days] [picture.png]
"""

import sys

import numpy as np

import fathom as fm

days = int(sys.argv[1]) if len(sys.argv) > 1 else 150
L, cp, R, day = 2.5008e6, 1004.709, 287.0597, 72  # steps

# A column over the tropical ocean under the sun of the equinox. Its wind of 5 m/s is given, because
# a column has no dynamics that could make it.
levels = fm.HybridLevels(30)
fluxes = [
    "toa_net_shortwave",
    "outgoing_longwave",
    "surface_net_shortwave",
    "surface_downward_longwave",
    "surface_emission",
    "sensible_heat_flux",
    "evaporation_flux",
    "convective_precipitation",
    "stratiform_precipitation",
]
physics = fm.BasicPhysics(sunlight=fm.Sunlight(fixed_season=1), radiation_every="1h", drag=None)
sea = fm.SingleColumn(
    levels, physics, latitude=10.0, start="2000-03-20", time_step="20min", keep=fluxes
)
p = sea.pressure
sea.set(
    sea_surface_temperature=300.0,
    air_temperature=np.maximum(290 * (p / 1e5) ** 0.19, 220),
    specific_humidity=0.01 * (p / 1e5) ** 3,
)


def live(column, steps, names):
    """Each of these fields after each of these steps."""
    history = {name: [] for name in names}
    for _ in range(steps):
        column.set(eastward_wind=5.0).advance(1)
        for name in names:
            history[name].append(column[name])
    return {name: np.array(values) for name, values in history.items()}


spin_up = live(sea, (days - 60) * day, ["air_temperature"])["air_temperature"][::day]
last = {
    name: values.mean(0)
    for name, values in live(
        sea, 60 * day, [*fluxes, "air_temperature", "specific_humidity"]
    ).items()
}
T, q = last["air_temperature"], last["specific_humidity"]
rain, evaporation = (
    (last["convective_precipitation"] + last["stratiform_precipitation"]) * 86400,
    last["evaporation_flux"] * 86400,
)  # [mm/day]
surface = (
    last["surface_net_shortwave"] + last["surface_downward_longwave"] - last["surface_emission"]
)
cooling = surface - (
    last["toa_net_shortwave"] - last["outgoing_longwave"]
)  # of the air by radiation [W m-2]
heating = L * rain / 86400 + last["sensible_heat_flux"]


def moist_adiabat(T, q, pressure):
    """Temperature of air lifted from the first of these pressures, dry until it is saturated [K]:
    steps of 1 hPa.
    """

    def saturation(T, p):
        e = 610.78 * np.exp(17.27 * (T - 273.16) / (T - 35.86))
        return 0.622 * e / (p - 0.378 * e)

    here, lifted = pressure[0], [T]
    for p in pressure[1:]:
        while here > p:
            step = min(100.0, here - p)
            s = saturation(T, here)
            wet = (1 + L * s / (R * T)) / (1 + L**2 * s * 0.622 / (cp * R * T**2)) if s < q else 1
            T, here = T - R * T / cp * wet * step / here, here - step
        lifted.append(T)
    return np.array(lifted)


troposphere = p > 3e4
parcel = moist_adiabat(T[-1], q[-1], p[::-1])[::-1]
departure = np.abs(T - parcel)[troposphere].mean()
tropopause = p[T.argmin()] / 100 if T.argmin() else np.nan
print(f"rain               {rain:.2f} mm/day    evaporation {evaporation:.2f} mm/day")
print(f"radiation cools by {cooling:6.1f} W/m2   rain and sea heat by {heating:.1f} W/m2")
print(
    f"the column gains   {last['toa_net_shortwave'] - last['outgoing_longwave']:6.1f} W/m2   from"
    f" space, the sea {surface - last['sensible_heat_flux'] - L * evaporation / 86400:.1f} W/m2"
)
print(
    f"tropopause         {tropopause:6.0f} hPa    below 300 hPa {departure:.1f} K from the moist"
    " adiabat"
)

# Ten days of June over land: a meadow, and a desert, which has no evaporation that cools it.
seen = [
    "ground_temperature",
    "air_temperature",
    "boundary_layer_height",
    "sensible_heat_flux",
    "evaporation_flux",
]
meadow, desert = (
    fm.SingleColumn(levels, latitude=lat, start="2000-06-10", keep=seen) for lat in (48.0, 25.0)
)
for column, water, warm in ((meadow, 110.0, 290.0), (desert, 2.0, 300.0)):
    column.set(
        land_fraction=1.0,
        ground_temperature=warm,
        deep_ground_temperature=warm,
        soil_moisture=water,
        snow_free_albedo=0.2 if water > 10 else 0.35,
        roughness_length=0.05,
        air_temperature=np.maximum(warm * (p / 1e5) ** 0.19, 210),
        specific_humidity=(0.008 if water > 10 else 0.003) * (p / 1e5) ** 3,
    )
days_on_land = {
    name: live(column, 10 * day, seen) for name, column in (("meadow", meadow), ("desert", desert))
}
swing = {name: np.ptp(values["ground_temperature"][-day:]) for name, values in days_on_land.items()}
depth = {
    name: values["boundary_layer_height"][-day:].max() for name, values in days_on_land.items()
}
for name in swing:
    print(
        f"{name:<18} {swing[name]:6.1f} K between day and night, a boundary layer of"
        f" {depth[name]:.0f} m"
    )

if len(sys.argv) > 2:
    from fathom.plots.style import new_panels, styled

    @styled
    def picture():
        figure, (left, middle, right) = new_panels(1, 3, 9.2, 3.4)
        for number, profile in enumerate(spin_up[:: max(len(spin_up) // 6, 1)]):
            left.plot(
                profile, p / 100, color="lightgrey", label="on the way" if number == 0 else None
            )
        left.plot(T, p / 100, color="firebrick", label="equilibrium")
        left.plot(np.where(p > 1.2e4, parcel, np.nan), p / 100, "k:", label="moist adiabat")
        left.set(
            title="Temperature [K]",
            ylabel="pressure [hPa]",
            ylim=(1000, 10),
            xlim=(185, 305),
            yscale="log",
        )
        left.set_yticks([1000, 500, 200, 100, 50, 20], ["1000", "500", "200", "100", "50", "20"])
        left.legend(loc="upper left", bbox_to_anchor=(0.4, 1))
        hours = np.arange(10 * day) / day
        for name, colour in (("meadow", "seagreen"), ("desert", "goldenrod")):
            values = days_on_land[name]
            middle.plot(hours, values["ground_temperature"], color=colour, label=f"{name}, ground")
            middle.plot(
                hours,
                values["air_temperature"][:, -1],
                color=colour,
                linewidth=0.8,
                linestyle="--",
                label=f"{name}, lowest air",
            )
            right.plot(hours, values["boundary_layer_height"] / 1e3, color=colour, label=name)
        middle.set(title="On land [K]", xlabel="days from 2000-06-10")
        right.set(title="Boundary layer [km]", xlabel="days from 2000-06-10")
        middle.set_ylim(283, 338)
        middle.legend(fontsize=7, loc="upper left")
        return figure

    picture(path=sys.argv[2])
