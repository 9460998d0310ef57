"""`fathom scale`: short runs on the real ranks of this machine, then steps on simulated ones."""

from __future__ import annotations

from collections.abc import Callable

import click

from fathom.performance import load as busy_now
from fathom.performance.scaling import probes, programs, report
from fathom.performance.scaling.machine import load
from fathom.performance.scaling.predict import predict
from fathom.performance.scaling.request import Request, check


def run(request: Request, distribute: Callable[..., int]) -> int:
    """Returns exit status."""
    if (probe := request.probe) is not None:
        ranks = request.ranks[0] + (request.servers or 0)
        return distribute(ranks, request.threads, None, lambda: probes.act(request, probe))
    machine = None if request.machine == "here" else load(request.machine)
    check(request, machine)
    if programs.several(request):
        return programs.present(programs.predict(request, machine), request.json)
    if machine is not None and machine.of_devices:
        request = request.on_device()
    busy_now.begin()
    found = predict(request, machine)
    busy = busy_now.said(busy_now.so_far())
    status = report.present(found, request.json, request.picture, request.gantt)
    for line in busy:
        click.echo(f"{line}; so is what was measured here")
    return status
