"""What an ensemble is: how many members, and in what they differ."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.base.configurable import Configurable
from fathom.base.failure import InputError
from fathom.base.home import at_home
from fathom.grids.arguments import integer
from fathom.run.ensemble.forcing import ForcingPerturbation
from fathom.run.ensemble.perturbation import Perturbation, generator

most = 10_000  # members
# of [parallel]: they send data on while another member is in the fields
alone = ("io_servers", "radiation_ranks", "staging")


class Ensemble(Configurable):
    """Members of one run: the same model from other starts.

    Member k has the same bits in any ensemble, in any order and on any ranks: its random numbers
    depend on the seed, on k and on the place alone.

    Parameters
    ----------
    members : how many, 1 or more.
    perturbation : what is added to the start of each: {field: its standard deviation in the unit of
        the field, or with a unit, as "0.5 K"}; `length`, over which the errors are correlated [m,
        or "500 km"], `depth`, the same in the vertical as a part of the column (default 0.3) and
        `seed` (default 0) stand beside the fields. None: nothing is added.
    forcing : what is added to what the surface reads, {field: standard deviation, as "1 m/s" or
        "10 %"}; `length` and `time` of its correlation (default "1000 km", "2d"), `every`, the
        interval at which it is drawn (default "6h") and `seed` stand beside the fields.
    starts : a restart of each member, on the same grid; None: all begin as [state] says, or from
        one restart.
    parameters : numbers that differ between members, of a run from a file: {path of the key, as
        "model.eddies.diffusivity": [least, most] or {mean, spread}}. Such members have a program
        each; they share the grid.
    seed : of the parameters.
    control : bool, default False. Whether member 0 has neither errors nor other parameters.
    statistics : bool, default True. Whether stores have the mean and the spread of the members,
        NAME_mean and NAME_spread.
    groups : in how many groups of the same size the ranks are divided; each runs its members in
        turn, beside the others. 1 (default): all ranks run all members. No bit depends on it.
    ranks : ranks of a group, in place of their number.
    """

    def __init__(
        self,
        members: int,
        perturbation: Mapping[str, Any] | None = None,
        starts: Sequence[str | Path] | None = None,
        parameters: Mapping[str, Any] | None = None,
        seed: int = 0,
        control: bool = False,
        statistics: bool = True,
        groups: int | None = None,
        ranks: int | None = None,
        forcing: Mapping[str, Any] | None = None,
    ) -> None:
        self.members = integer("members", members)
        if not 1 <= self.members <= most:
            raise InputError(f"members = {members!r} must be a whole number from 1 to {most}")
        self.perturbation = None if perturbation is None else Perturbation(**dict(perturbation))
        self.forcing = None if forcing is None else ForcingPerturbation(**dict(forcing))
        if starts is not None and (isinstance(starts, str) or len(starts) != self.members):
            number = 1 if isinstance(starts, str) else len(starts)
            raise InputError(
                f"starts has {number} file{'s' * (number != 1)}; members = {self.members} need one"
                " each"
            )
        self.starts = None if starts is None else [at_home(one) for one in starts]
        self.parameters = {path: _span(path, one) for path, one in (parameters or {}).items()}
        self.seed = integer("seed", seed)
        self.control, self.statistics = control, statistics
        self.groups, self.ranks = groups, ranks
        self._check_groups()

    def _check_groups(self) -> None:
        """Raises InputError: groups of ranks that cannot be, of any number of ranks."""
        for name, given in (("groups", self.groups), ("ranks", self.ranks)):
            if given is not None and integer(name, given) < 1:
                raise InputError(f"{name} = {given!r} must be a whole number from 1 on")
        if self.groups is not None and self.ranks is not None:
            raise InputError(
                f"groups = {self.groups} and ranks = {self.ranks}: one of them is given, how many"
                " groups of ranks there are or how many ranks each has"
            )
        if self.groups is not None and self.groups > self.members:
            raise InputError(f"groups = {self.groups} are more than members = {self.members}")

    def groups_of(self, size: int) -> int:
        """Returns in how many groups so many ranks are divided. InputError: they do not divide, or
        into more groups than there are members.
        """
        number = size // self.ranks if self.ranks else self.groups or 1
        if number < 1 or size % number or (self.ranks and size % self.ranks):
            what = f"ranks = {self.ranks} of a group" if self.ranks else f"groups = {number}"
            allowed = [str(n) for n in range(1, size + 1) if size % n == 0]
            raise InputError(
                f"[ensemble] {what}: the {size} rank{'s' * (size > 1)} of this run do not divide"
                f" so; allowed: {', '.join(allowed)}, or another number of ranks"
            )
        if number > self.members:
            raise InputError(
                f"[ensemble] ranks = {self.ranks} of a group: {size} ranks are {number} groups,"
                f" more than members = {self.members}"
            )
        return number

    def perturbs(self, member: int) -> bool:
        """Returns whether something is added to the start of a member."""
        return self.perturbation is not None and not self.is_control(member)

    def is_control(self, member: int) -> bool:
        """Returns whether a member is the control, which has no errors."""
        return self.control and member == 0

    def drawn(self, member: int) -> dict[str, float]:
        """Returns the parameters of a member by their paths."""
        if self.is_control(member):
            return {}
        found = {}
        for path, (kind, one, other) in self.parameters.items():
            random = generator(self.seed, member, path)
            drawn = random.uniform(one, other) if kind == "range" else random.normal(one, other)
            found[path] = float(drawn)
        return found

    def __repr__(self) -> str:
        return f"Ensemble of {self.members} members"


def _span(path: str, given: Any) -> tuple[str, float, float]:
    """Returns ("range", least, most) or ("normal", mean, spread). InputError: it is neither."""
    fault = f"parameters: {path} = {given!r} must be [least, most], or {{ mean, spread }}"
    try:
        if isinstance(given, Mapping) and {*given} == {"mean", "spread"}:
            kind, one, other = "normal", float(given["mean"]), float(given["spread"])
        else:
            kind, (one, other) = "range", map(float, given)
    except (TypeError, ValueError):
        raise InputError(fault) from None
    if (kind == "range" and not one <= other) or (kind == "normal" and not other >= 0):
        raise InputError(fault)
    return kind, one, other


def checked_ensemble(given: Any, parallel: Mapping[str, Any]) -> Ensemble | None:
    """Returns the ensemble of a simulation. InputError: it is none; settings of [parallel] that do
    not go with one.
    """
    if given is None:
        return None
    if not isinstance(given, Ensemble):
        raise InputError(f"ensemble = {given!r} must be an Ensemble, as Ensemble(members=20)")
    for name in alone:
        if parallel[name]:
            raise InputError(f"an ensemble does not go with [parallel] {name} = {parallel[name]!r}")
    return given


def number_of_members(text: str) -> int | None:
    """Returns the member that the name of a field of a restart is of; None: of none."""
    found = re.match(r"member (\d+): ", text)
    return None if found is None else int(found[1])


def name_of_member(member: int | None, field: str) -> str:
    """Returns the name of a field of a member in a restart; None: of a run without members."""
    return field if member is None else f"member {member}: {field}"
