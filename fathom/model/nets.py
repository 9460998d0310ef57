"""Functions of columns that somebody has trained: a net in a file of ONNX, which onnxruntime
computes, or any callable of Python. Both take arrays (columns, features) and give such arrays.

    net = Net("cloud.onnx")
    net.inputs, net.outputs             # {name: shape without the columns}; None: any size
    net(x=x)                            # {name: array}

A net computes a fixed number of columns at once, the last time with columns of zeros behind them:
a kernel that depends on the number of columns would change bits. `checked` tries whether a column
gives the same bits at each place among others, and lets it be computed alone where it does not.

One call of the runtime has one thread; the threads of the run compute different columns.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fathom.base import mpi
from fathom.base.failure import InputError, MissingFileError
from fathom.base.home import at_home

Arrays = dict[str, np.ndarray]
Shape = tuple[int | None, ...]

note = "fathom"  # key of the metadata in a file that declares its fields, as JSON
standard = ("", "ai.onnx", "ai.onnx.ml")  # domains of operators that every runtime has
types = {"tensor(float)": np.float32, "tensor(double)": np.float64}


class Function(Protocol):
    """What a learned scheme asks of its function."""

    name: str
    declared: Mapping[str, Any]  # fields, as the file says them
    alone: int | None  # columns of a call that the function fixes itself

    @property
    def inputs(self) -> Mapping[str, Shape] | None:
        """Returns shapes of the inputs by name; None: it does not say."""

    @property
    def outputs(self) -> Mapping[str, Shape] | None:
        """Returns shapes of the outputs by name; None: it does not say."""

    def __call__(self, given: Arrays) -> Arrays: ...


class Net:
    """A net in a file of ONNX. InputError: it is none, or has operators of others."""

    def __init__(self, file: str | Path) -> None:
        self.file = at_home(file).resolve()
        if not self.file.is_file():
            raise MissingFileError(f"{self.file}: no such file; a net is a file of ONNX (.onnx)")
        self.name, text = self.file.stem, self.file.read_bytes()
        self.digest = hashlib.sha256(text).hexdigest()
        self.declared = _looked_at(self.file, text)
        self.session = _session(self.file, text)
        given, made = self.session.get_inputs(), self.session.get_outputs()
        self.kinds = {one.name: self._kind(one) for one in given}
        self.inputs = {one.name: self._shape(one) for one in given}
        self.outputs = {one.name: self._shape(one) for one in made}
        fixed = {one.shape[0] for one in (*given, *made) if isinstance(one.shape[0], int)}
        if len(fixed) > 1:
            raise InputError(f"{self.file}: its inputs and outputs have {sorted(fixed)} columns")
        self.alone = fixed.pop() if fixed else None

    def _kind(self, one: Any) -> type:
        if one.type not in types:
            raise InputError(
                f"{self.file}: input {one.name!r} is a {one.type}; allowed: {', '.join(types)}"
            )
        return types[one.type]

    def _shape(self, one: Any) -> Shape:
        if len(one.shape) not in (2, 3):
            raise InputError(
                f"{self.file}: {one.name!r} has the shape {list(one.shape)}; allowed: (columns,"
                " features) or (columns, fields, levels)"
            )
        return tuple(n if isinstance(n, int) else None for n in one.shape[1:])

    def __call__(self, given: Arrays) -> Arrays:
        """Returns the outputs of some columns."""
        fed: dict[str, np.ndarray] = {
            n: np.ascontiguousarray(given[n], kind) for n, kind in self.kinds.items()
        }
        return dict(zip(self.outputs, self.session.run(None, fed)))


class Plain:
    """A callable: its arguments are arrays by the names of the inputs; it returns the arrays of the
    outputs by name, or in their order. A module of PyTorch gets tensors, without gradients.
    """

    inputs: Mapping[str, Shape] | None = None
    outputs: Mapping[str, Shape] | None = None
    alone: int | None = None
    declared: Mapping[str, Any] = {}

    def __init__(self, function: Callable[..., Any], outputs: list[str]) -> None:
        self.function, self.names = function, outputs
        self.name = getattr(function, "__name__", type(function).__name__)
        modules = {cls.__module__ for cls in type(function).__mro__}
        self.tensors = "torch.nn.modules.module" in modules

    def __call__(self, given: Arrays) -> Arrays:
        """Returns the outputs of some columns. InputError: other outputs than declared."""
        made = self._of_torch(given) if self.tensors else self.function(**given)
        if not isinstance(made, Mapping):
            several = made if isinstance(made, (tuple, list)) else (made,)
            if len(several) != len(self.names):
                raise InputError(
                    f"{self.name} returns {len(several)} arrays; its outputs are"
                    f" {', '.join(self.names)}"
                )
            made = dict(zip(self.names, several))
        if missing := [name for name in self.names if name not in made]:
            raise InputError(f"{self.name} returns no {missing[0]!r}; it returns {', '.join(made)}")
        return {name: np.asarray(made[name]) for name in self.names}

    def _of_torch(self, given: Arrays) -> Any:
        import torch  # it is there: the function is one of its modules

        with torch.no_grad():
            made = self.function(**{n: torch.from_numpy(x.copy()) for n, x in given.items()})
        if isinstance(made, Mapping):
            return {n: x.numpy() for n, x in made.items()}
        several = made if isinstance(made, (tuple, list)) else (made,)
        return [x.numpy() for x in several]


def function_of(what: Any, outputs: list[str]) -> Function:
    """Returns the function of a file or of a callable. InputError: it is neither."""
    if callable(what) and not isinstance(what, type):
        return Plain(what, outputs)
    if isinstance(what, (str, Path)) and str(what).endswith(".onnx"):
        return Net(what)
    raise InputError(f"a learned scheme of {what!r}: allowed are a file of ONNX and a function")


def _looked_at(file: Path, text: bytes) -> Mapping[str, Any]:
    """Returns what a file says of its fields. InputError: it is no ONNX, has operators of others,
    or numbers in other files.
    """
    try:
        import onnx  # an extra
    except ImportError:
        raise InputError(
            f"{file}: a net needs two packages: pip install onnxruntime onnx"
        ) from None
    try:
        model = onnx.load_model_from_string(text)
    except Exception:  # of the library of its format
        raise InputError(f"{file} is no file of ONNX") from None
    nodes = [*model.graph.node, *(node for f in model.functions for node in f.node)]
    others = sorted({node.domain for node in _within(nodes)} - {*standard})
    if others:
        raise InputError(
            f"{file}: operators of {', '.join(others)} are code of others and do not run; allowed"
            " are those of ONNX itself"
        )
    if any(t.data_location == onnx.TensorProto.EXTERNAL for t in model.graph.initializer):
        raise InputError(f"{file}: its numbers lie in other files; save it as one file")
    said = {one.key: one.value for one in model.metadata_props}.get(note, "{}")
    try:
        return dict(json.loads(said))
    except (ValueError, TypeError):
        raise InputError(f"{file}: its metadata {note!r} are no JSON: {said[:60]!r}") from None


def _within(nodes: Any) -> Any:
    """Yields nodes, and those of the graphs in them."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _within(graph.node)


def _session(file: Path, text: bytes) -> Any:
    try:
        import onnxruntime  # an extra
    except ImportError:
        raise InputError(f"{file}: a net needs onnxruntime: pip install onnxruntime") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise InputError(f"{file}: onnxruntime does not take it: {_brief(error)}") from None


def _brief(error: Exception) -> str:
    said = " ".join(str(error).split())
    return said.split(" : ", 2)[-1][:300]


class Batches:
    """Computes any number of columns with a function that takes `size` of them."""

    def __init__(self, function: Function, size: int) -> None:
        self.function, self.size = function, function.alone or size
        self.seconds, self.columns = 0.0, 0  # of the function itself, summed over threads
        self._pool: ThreadPoolExecutor | None = None

    def __call__(self, given: Arrays) -> Arrays:
        """Returns the outputs (columns, ...)."""
        count = len(next(iter(given.values())))
        starts = range(0, count, self.size)
        parts = list(self._mapped(lambda first: self._part(given, first), starts))
        self.columns += count
        self.seconds += sum(seconds for _, seconds in parts)
        made = [outputs for outputs, _ in parts]
        return {name: np.concatenate([one[name] for one in made])[:count] for name in made[0]}

    def _mapped(self, work: Callable[[int], Any], starts: range) -> Any:
        threads = mpi.core.threads()
        if threads == 1 or len(starts) == 1:
            return map(work, starts)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(threads, "fathom-net")
        return self._pool.map(work, starts)

    def _part(self, given: Arrays, first: int) -> tuple[Arrays, float]:
        part = {name: x[first : first + self.size] for name, x in given.items()}
        lacking = self.size - len(next(iter(part.values())))
        if lacking:
            part = {
                name: np.concatenate([x, np.zeros((lacking, *x.shape[1:]), x.dtype)])
                for name, x in part.items()
            }
        began = time.perf_counter()
        made = self.function(part)
        seconds = time.perf_counter() - began
        for name, x in made.items():
            if np.ndim(x) < 1 or len(x) != self.size:
                raise InputError(
                    f"{self.function.name}: output {name!r} has the shape {np.shape(x)} for"
                    f" {self.size} columns; allowed: (columns, features)"
                )
        return made, seconds

    def settle(self, trial: Arrays) -> Arrays:
        """Returns the outputs of `size` columns, and computes each column alone from now on where
        its place among them changes its bits.
        """
        made, half = self(trial), self.size // 2
        others = {name: np.where(_rows(x) < half, x, 0 * x) for name, x in trial.items()}
        turned = self({name: x[::-1] for name, x in trial.items()})
        rolled = self({name: np.roll(x, 1, axis=0) for name, x in trial.items()})
        beside = self(others)
        same = all(
            np.array_equal(x, turned[name][::-1], equal_nan=True)
            and np.array_equal(np.roll(x, 1, axis=0), rolled[name], equal_nan=True)
            and np.array_equal(x[:half], beside[name][:half], equal_nan=True)
            for name, x in made.items()
        )
        if not same:
            if self.function.alone not in (None, 1):
                raise InputError(
                    f"{self.function.name}: what it gives for a column depends on the other"
                    " columns; its first dimension must be free"
                )
            self.size = 1
        self.seconds, self.columns = 0.0, 0
        return made


def _rows(x: np.ndarray) -> np.ndarray:
    """Returns the number of each column, beside the numbers of x."""
    return np.arange(len(x)).reshape(-1, *[1] * (x.ndim - 1))
