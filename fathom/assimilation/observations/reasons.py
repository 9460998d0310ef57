"""Why a datum is not used: one code each, that of the first step that removed it. 0: it is used."""

from __future__ import annotations

reasons: dict[int, tuple[str, str]] = {
    0: ("used", "it has a say in the analysis"),
    1: ("damaged", "the value is absurd as it was decoded"),
    2: ("outside the domain", "a place that is not on Earth, or not in the region asked for"),
    3: ("outside the window", "a time outside the window [start, end)"),
    4: ("gross limits", "a value that cannot be"),
    5: ("hydrostatic", "heights and temperatures of a sounding disagree"),
    6: ("lapse rate", "a sounding that is steeper than air can be"),
    7: ("blacklist", "a rule of the blacklist"),
    8: ("no equivalent", "the model has nothing to compare it with"),
    9: ("first guess", "too far from the background for their errors"),
    10: ("multi-level", "neighbouring levels of the sounding all failed"),
    11: ("duplicate", "another report of the same station, place and time is kept"),
    12: ("thinning", "another datum is nearer to the centre of its box"),
    13: ("buddy", "too far from its neighbours"),
    14: ("spatial consistency", "too far from what its neighbours tell by interpolation"),
    15: ("no weight", "variational quality control has given it no weight"),
    16: ("outside the levels", "above or below what the model can see"),
    17: ("no error", "no standard deviation of its error is known"),
    18: ("height", "the station is too far above or below the model's ground"),
    19: ("no topography", "the mean dynamic topography that was given has no value there"),
}
used = 0
code: dict[str, int] = {name: number for number, (name, _) in reasons.items()}
