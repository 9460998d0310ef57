"""A page that rests on defaults says so in the mark <!-- with CLASS.PARAMETER = VALUE, ... -->: its
text states them, or its figures are made with them. A default that has changed names its pages.
"""

import inspect
import re
from pathlib import Path

import pytest

import fathom as fm
from fathom.base import constants
from fathom.model.schemes import schemes
from test_pages import pages, root, text_of

mark = re.compile(r"<!-- with (.+?) -->", re.S)
each = re.compile(r"(\w+)\.(\w+) = (\S+?)(?:,|$)")


def rests_on(page):
    """(class, parameter, value as written) of the marks of a page."""
    said = [" ".join(text.split()) for text in mark.findall(text_of(page))]
    assert all(each.sub("", text).strip() == "" for text in said), (page, said)
    return [found for text in said for found in each.findall(text)]


def default_of(name, parameter):
    """The present default; of a class of Fathom, or of a scheme of the catalogue."""
    found = getattr(fm, name)
    return inspect.signature(found).parameters[parameter].default


def changed(pages):
    """The defaults that pages rest on and that are others now, each with its pages."""
    found = {}
    for page in pages:
        for name, parameter, value in rests_on(page):
            now = default_of(name, parameter)
            if (now != float(value)) if isinstance(now, (int, float)) else str(now) != value:
                text = f"{name}.{parameter} = {value} is {now} now"
                found.setdefault(text, []).append(str(Path(page).relative_to(root)))
    return found


def test_pages_are_of_these_defaults():
    found = changed(pages)
    assert not found, "these pages rest on defaults that have changed:\n" + "\n".join(
        f"  {text}: {', '.join(of)}" for text, of in found.items()
    )


def test_a_changed_default_names_its_pages(monkeypatch):
    signature = inspect.signature(fm.GentMcWilliams)
    steeper = signature.parameters["maximum_slope"].replace(default=0.02)
    parameters = [steeper if p.name == steeper.name else p for p in signature.parameters.values()]
    monkeypatch.setattr(
        fm.GentMcWilliams, "__signature__", signature.replace(parameters=parameters), raising=False
    )
    found = changed(pages)
    assert "docs/results/ocean-3deg.md" in found["GentMcWilliams.maximum_slope = 0.01 is 0.02 now"]
    assert list(found) == ["GentMcWilliams.maximum_slope = 0.01 is 0.02 now"]


# ---- each default once ---------------------------------------------------------------------------

# Classes in Python, and the schemes that they pass their parameters to.
passed_on = {
    "GentMcWilliams": (
        "IsoneutralFlux",
        "SlopedFlux",
        "BolusTransport",
        "TanhTaperedSlopes",
        "QuadraticTaperedSlopes",
        "ClippedSlopes",
        "EadyStructure",
        "MixedLayerDepth",
    ),
    "FreeSurface": ("VolumeTransport", "AlternatingHeight", "BarotropicCorrection"),
    "CFC11": ("CFC11Exchange",),
    "CFC12": ("CFC12Exchange",),
    "SF6": ("SF6Exchange",),
    "RRTMGP": ("Radiation",),
    "SpectralAtmosphere": ("SemiImplicitTerms", "Arrival"),
    "LimitedAreaAtmosphere": ("SemiImplicitTerms", "CompressibleNonlinear"),
    "ShallowWater": ("ShallowWaterTerms",),
    "GridPointAtmosphere": (
        "GridPointStart",
        "GridPointResiduals",
        "GridPointIncrements",
        "HelmholtzRightSide",
        "GridPointDiffusion",
    ),
}
own = {  # of spectral models: 3.5 R, written in decimals
    ("SpectralAtmosphere", "heat_capacity"): constants.spectral_heat_capacity,
    ("LimitedAreaAtmosphere", "heat_capacity"): constants.spectral_heat_capacity,
}


@pytest.mark.parametrize("name", passed_on)
def test_a_class_has_the_defaults_of_its_schemes(name):
    parameters = inspect.signature(getattr(fm, name)).parameters
    for scheme in passed_on[name]:
        usual = {p["name"]: p["value"] for p in schemes()[scheme].entry["parameters"]}
        for shared in parameters.keys() & usual.keys():
            if isinstance(parameters[shared].default, (int, float)):
                expected = own.get((name, shared), usual[shared])
                assert parameters[shared].default == expected, (name, scheme, shared)
