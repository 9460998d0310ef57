"""Times of a file in motion: a GIF and a page."""

import numpy as np
import pytest
import xarray

from fathom import plots


def moving(times=3):
    latitude, longitude = np.linspace(-87.5, 87.5, 36), np.arange(0, 360, 5.0)
    wave = np.sin(np.deg2rad(longitude[None, None] * 2 + 40 * np.arange(times)[:, None, None]))
    values = 280 + 10 * wave * np.cos(np.deg2rad(latitude))[:, None]
    return xarray.Dataset(
        {"ts": (("time", "latitude", "longitude"), values, {"units": "K"})},
        {
            "time": np.datetime64("2000-01-01") + np.arange(times) * np.timedelta64(6, "h"),
            "latitude": ("latitude", latitude, {"standard_name": "latitude"}),
            "longitude": ("longitude", longitude, {"standard_name": "longitude"}),
        },
    )


def test_a_gif_has_a_picture_for_each_time(tmp_path):
    from PIL import Image

    path = plots.animation(moving(), "ts", tmp_path / "ts.gif", rate=4)
    with Image.open(path) as image:
        assert image.n_frames == 3 and image.info["duration"] == 250
        first = np.asarray(image.convert("RGB"))
        image.seek(1)
        assert (np.asarray(image.convert("RGB")) != first).any()


@pytest.mark.long
def test_a_page_has_all_pictures_in_it(tmp_path):
    text = plots.animation(moving(2), "ts", tmp_path / "ts.html").read_text()
    assert text.count("iVBOR") == 2 and "http" not in text


@pytest.mark.parametrize(
    "name, times, word", [("a.mp4", 3, ".gif or .html"), ("a.gif", 1, "two times")]
)
def test_what_cannot_be_is_told(name, times, word, tmp_path):
    with pytest.raises(ValueError, match=word):
        plots.animation(moving(times), "ts", tmp_path / name)
