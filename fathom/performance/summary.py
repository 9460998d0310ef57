"""What a run leaves behind: summary.json and report.html."""

import json

import numpy as np


def finish(simulation, report=True):
    """Summary of a run on every rank; root writes it and the report."""
    s = simulation
    steps = s.count - s.start_steps
    state = {name: {k: s.sequence.extremes(name, s.thickness)[k] for k in ("minimum", "maximum", "mean")} for name in s.model.checksum_fields}
    years = steps * s.step / (365.2425 * 86400)
    summary = {
        "model": type(s.model).__name__, "grid": repr(s.model.grid), "start": str(s.clock.start), "end": str(s.date), "step": s.step, "steps": steps, "precision": s.model.precision,
        "wet_cells": s.wet_cells, "ranks": s.comm.size, "threads": int(s.parallel["threads"]), "blocks": s.domain.describe(),
        "wall_seconds": round(s.wall_seconds, 4), "seconds_per_step": s.wall_seconds / max(steps, 1),
        "simulated_years_per_day": years / max(s.wall_seconds, 1e-9) * 86400, "solver_iterations": s.barotropic.iterations / max(s.barotropic.solves, 1),
        "state": state, "series": {name: {"last": values[-1], "units": units} for name, (_, values, units) in s.series.items() if values}, "checksum": s.checksum(), "profile": profile(s),
    }  # fmt: skip
    content = _report_content(s) if report else None
    if s.is_root:
        (s.directory / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")
        if report:
            from fathom.performance.report import write_report

            grid, fields, series = content
            write_report(s.directory / "report.html", title=f"{summary['model']} {summary['start'][:10]} to {summary['end'][:10]}", summary=summary,
                         configuration=s.configuration, grid=grid, state=fields, series=series, profile=summary["profile"])  # fmt: skip
    s.comm.barrier()
    return summary


def profile(s):
    """Records (process, phase, seconds, calls) of all processes and exchanges, the mean over ranks."""
    mine = s.sequence.timings
    seconds = s.comm.allreduce(np.array([t["seconds"] for t in mine])) / s.comm.size
    return [{**t, "seconds": float(x)} for t, x in zip(mine, seconds)]


def _report_content(s):
    from fathom.diagnostics import stream_function
    from fathom.state import grid_mapping

    h, model = s.model.grid.horizontal, s.model
    gathered = {name: s.gather(name) for name in model.checksum_fields}
    if not s.is_root:
        return None
    wet, corner = np.asarray(model.grid.wet_levels), model.corner_levels()
    k = np.arange(len(s.thickness))[:, None, None]
    grid = grid_mapping(model)
    angle = np.asarray(h.angle_corner)
    u, v = (np.where(k < corner, gathered.pop(f"velocity_{a}"), np.nan) for a in "xy")
    fields = {name: np.where(k < wet, a, np.nan) if a.shape[0] > 1 else np.where(wet > 0, a[0], np.nan) for name, a in gathered.items()}
    fields["barotropic_stream_function"] = np.where(corner > 0, stream_function(model, u, v), np.nan)
    fields["eastward_velocity"], fields["northward_velocity"] = u * np.cos(angle) - v * np.sin(angle), u * np.sin(angle) + v * np.cos(angle)
    series = {name: (np.asarray(t), np.asarray(values), units) for name, (t, values, units) in s.series.items() if len(t) > 1}
    return grid, fields, series
