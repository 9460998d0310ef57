"""What a person sees at once in a picture: that it is not empty, that axes have limits and ticks,
that no words are cut at its edge.
"""

import numpy as np


def look_at(figure, what=""):
    """Fails where a picture is none."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    width, height = figure.canvas.get_width_height()
    for text in _words(figure):
        box = text.get_window_extent(renderer)
        inside = -2 <= box.x0 and box.x1 <= width + 2 and -2 <= box.y0 and box.y1 <= height + 2
        assert inside, f"{what}: {text.get_text()!r} is cut at the edge"
    for axes in figure.axes:
        for low, high in (axes.get_xlim(), axes.get_ylim()):
            assert np.isfinite([low, high]).all() and low != high, f"{what}: limits {low}, {high}"
        if axes.axison:
            assert any(len(_ticks(axis)) > 1 for axis in (axes.xaxis, axes.yaxis)), what
    pixels = np.asarray(renderer.buffer_rgba())[..., :3].reshape(-1, 3)
    colours = np.unique(pixels[:: max(1, len(pixels) // 20_000)] // 8, axis=0)
    assert len(colours) > 3, f"{what}: it is empty"


def _words(figure):
    """All words that are drawn and that nothing clips."""
    yield from (t for t in figure.texts if t.get_text().strip())
    if figure._suptitle is not None:
        yield figure._suptitle
    for axes in figure.axes:
        yield from (t for t in (axes.title, axes._left_title, axes._right_title) if t.get_text())
        if not axes.axison:
            continue
        for axis in (axes.xaxis, axes.yaxis):
            if axis.label.get_text():
                yield axis.label
            yield from _ticks(axis)


def _ticks(axis):
    low, high = sorted(axis.get_view_interval())
    room = 1e-6 * (high - low)
    return [
        tick.label2 if tick.label2.get_visible() else tick.label1
        for tick in axis.get_major_ticks()
        if low - room <= tick.get_loc() <= high + room
        and (tick.label1.get_text() or tick.label2.get_text())
        and (tick.label1.get_visible() or tick.label2.get_visible())
    ]
