"""Two stores of the same points: how far their fields are apart, since when, and where.

rms(t) = sqrt(sum of w (b - a)^2 / sum of w),    w: areas of cells, or the cosine of latitude
correlation(t): of a and b, each without its mean, with the same weights
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.plots.picture import picture
from fathom.plots.weights import weights


@dataclass(frozen=True)
class Difference:
    """Of a variable, at the last time that both have. units of bias, rms and greatest: its own."""

    name: str
    units: str
    bias: float
    rms: float
    greatest: float
    correlation: float
    since: str  # the first time at which one number differs; "": none does
    until: str


def differences(a: Any, b: Any) -> Iterator[Difference]:
    """Yields a row for each variable that two xarray.Datasets have in common.

    InputError: they have no variable in common, other points, or no common time.
    """
    shared = [name for name in a.data_vars if name in b.data_vars and _compared(a[name])]
    if not shared:
        raise InputError(f"no variable in common: one has {_some(a)}, the other {_some(b)}")
    for name in shared:
        first, second = _at_common_times(a[name], b[name])
        _check_points(str(name), first, second)
        yield _of(str(name), a, first, second)


def difference_map(a: Any, b: Any, name: str, path: Any = None) -> Any:
    """Returns the picture of b - a at the last common time."""
    first, second = (x.isel(time=slice(-1, None)) for x in _at_common_times(a[name], b[name]))
    apart = a.drop_vars([n for n in a.data_vars if n != name and "time" in a[n].dims])
    left = second.astype(float).copy(data=second.values - first.values.astype(float))
    left.attrs = dict(a[name].attrs)
    apart = apart.sel(time=left.time.values) if "time" in apart.dims else apart
    said = str(a[name].attrs.get("long_name") or name)
    title = f"{said[:1].upper()}{said[1:]}, second less first"
    return picture(apart.assign({name: left}), name, colours="balance", title=title, path=path)


def _compared(data: Any) -> bool:
    """Returns whether it is a field in time."""
    return "time" in data.dims and data.dtype.kind == "f" and not str(data.name).endswith("_bounds")


def _some(data: Any) -> str:
    names = [str(name) for name in data.data_vars if _compared(data[name])]
    return ", ".join(names[:6]) + (" …" if len(names) > 6 else "") or "none"


def _at_common_times(a: Any, b: Any) -> tuple[Any, Any]:
    """Returns both at the times that both have. InputError: there is none."""
    common = np.intersect1d(a.time.values, b.time.values)
    if not common.size:
        raise InputError(f"{a.name}: no time in common: one has {_span(a)}, the other {_span(b)}")
    return a.sel(time=common), b.sel(time=common)


def _span(data: Any) -> str:
    times = data.time.values
    return f"{_date(times[0])} to {_date(times[-1])}" if len(times) else "none"


def _date(value: Any) -> str:
    return str(value).replace("T", " ")[:16]


def _check_points(name: str, a: Any, b: Any) -> None:
    """Raises InputError: the points of both are not the same."""
    if a.dims != b.dims or a.shape != b.shape:
        sizes = (" × ".join(str(n) for n in x.shape[1:]) for x in (a, b))
        raise InputError(
            f"{name}: other grids, {' and '.join(sizes)} points; write both on one grid:"
            " latlon_resolution of the output"
        )
    for key, held in a.coords.items():
        if key == "time" or key not in b.coords or held.dtype.kind != "f":
            continue
        if not np.allclose(held.values, b[key].values, rtol=1e-6, atol=1e-6, equal_nan=True):
            raise InputError(f"{name}: {key} is not the same in both; their grids differ")


def _of(name: str, dataset: Any, a: Any, b: Any) -> Difference:
    since = ""
    for n in range(a.sizes["time"]):
        x, y = a.isel(time=n).values, b.isel(time=n).values
        if not np.array_equal(x, y, equal_nan=True):
            since = _date(a.time.values[n])
            break
    x, y = (z.isel(time=-1).values.astype(float) for z in (a, b))
    weight = np.broadcast_to(weights(dataset, a.isel(time=-1)), x.shape)
    both = np.isfinite(x) & np.isfinite(y)
    w, x, y = weight[both], x[both], y[both]
    total = w.sum() or 1.0
    apart = y - x
    bias = float((w * apart).sum() / total)
    rms = float(np.sqrt((w * apart**2).sum() / total))
    p, q = x - (w * x).sum() / total, y - (w * y).sum() / total
    spread = np.sqrt((w * p * p).sum() * (w * q * q).sum())
    return Difference(
        name,
        str(a.attrs.get("units", "")),
        bias,
        rms,
        float(np.abs(apart).max(initial=0.0)),
        float((w * p * q).sum() / spread) if spread > 0 else np.nan,
        since,
        _date(a.time.values[-1]),
    )
