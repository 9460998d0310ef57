"""Arithmetic in text: fields of idealised cases, written in a TOML file.

    temperature = "20 * exp(depth / -1000)"
    stress_x    = "-0.1 * cos(2 * pi * y / Ly)"        # Ly from [constants]

Numbers, + - * / // % **, comparisons, the functions below, and names: x, y (or longitude,
latitude), depth, z = -depth (or pressure [Pa] or height [m], in the atmosphere), pi and the
constants of the file. The text is parsed and its tree is walked; no other code can be run by it.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fathom.base.failure import InputError
from fathom.base.near import near
from fathom.base.renamed import hint
from fathom.output import formats

variables = ("x", "y", "longitude", "latitude", "depth", "z", "pressure", "height")
# Functions of NumPy, by the number of their arguments.
of_one = (
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp", "log"),
    *("log10", "sqrt", "abs", "sign", "floor", "radians", "degrees"),
)
arguments = {
    **dict.fromkeys(of_one, 1),
    **dict.fromkeys(("arctan2", "hypot", "minimum", "maximum"), 2),
    **dict.fromkeys(("where", "clip"), 3),
}
functions: dict[str, Callable[..., Any]] = {name: getattr(np, name) for name in arguments}
operators: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
longest = 1000  # characters


class Expression:
    """A function of (x, y, depth), or of (longitude, latitude, depth), given as text. ValueError
    where the text is not one.

    >>> float(Expression("a * cos(pi * y)", {"a": 2.0})(0.0, 1.0))
    -2.0
    """

    def __init__(self, text: str, constants: Mapping[str, float] | None = None) -> None:
        self.text, self.constants = text, {"pi": np.pi, **(constants or {})}
        tree = _parsed(text)
        if tree is None:
            raise InputError(f"'{text}' is not an expression")
        self._tree = tree
        self.names = _names(self._tree)
        sample = np.full((1, 1), 0.5)
        try:
            self(sample, sample, sample)  # finds errors before a field is computed
        except (TypeError, OverflowError, RecursionError) as error:
            raise InputError(f"'{text}': {error}") from None

    def __call__(self, x: Any, y: Any, depth: Any = 0.0) -> np.ndarray:
        x, y, depth = (np.asarray(a, float) for a in (x, y, depth))
        known = {
            **self.constants,
            "x": x,
            "y": y,
            "longitude": x,
            "latitude": y,
            "depth": depth,
            "z": -depth,
            "pressure": depth,
            "height": depth,
        }
        with np.errstate(all="ignore"):
            value = np.asarray(self._evaluate(self._tree, known), float)
        return np.array(
            np.broadcast_to(value, np.broadcast_shapes(x.shape, y.shape, depth.shape, value.shape))
        )

    def _evaluate(self, node: ast.AST, known: Mapping[str, Any]) -> Any:
        def of(part: ast.AST) -> Any:
            return self._evaluate(part, known)

        match node:
            case ast.Constant(value=bool() | int() | float() as number):
                return np.float64(number)
            case ast.Name(id=name):
                if name not in known:
                    raise InputError(
                        f"unknown name '{name}' in '{self.text}'{hint(name, [*known, *functions])}"
                    )
                return known[name]
            case (
                ast.BinOp(left=left, op=op, right=right)
                | ast.Compare(left=left, ops=[op], comparators=[right])
            ) if type(op) in operators:
                return operators[type(op)](of(left), of(right))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in operators:
                return operators[type(op)](of(operand))
            case ast.Call(func=ast.Name(id=name), args=given, keywords=[]):
                return self._function(name, len(given))(*map(of, given))
        raise InputError(f"'{self.text}': only arithmetic is allowed, not '{ast.unparse(node)}'")

    def _function(self, name: str, given: int) -> Callable[..., Any]:
        """Raises ValueError: unknown, or not with so many arguments (NumPy's own more say where a
        result goes).
        """
        if name not in functions:
            allowed = near(name, functions) or f"; allowed: {', '.join(functions)}"
            raise InputError(f"unknown function '{name}' in '{self.text}'{allowed}")
        if given != arguments[name]:
            wanted = f"{arguments[name]} argument{'s' * (arguments[name] > 1)}"
            raise InputError(f"'{self.text}': {name} takes {wanted}, given {given}")
        return functions[name]

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and (self.text, self.constants) == (
            other.text,
            other.constants,
        )

    __hash__ = None  # type: ignore[assignment]  # its constants are a dict


def interpret(text: str, constants: Mapping[str, float] | None = None) -> Any:
    """Returns the meaning of a text: an Expression if it uses x, y, longitude, latitude, depth or
    z; a number if it uses only constants and functions; otherwise the text itself (the name of a
    data set, a file, a length of time).
    """
    tree, known = _parsed(text), {*(constants or {}), "pi"}
    if tree is None or text.endswith((*formats.readable(), ".grib", ".txt", ".dat", ".csv")):
        return text
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    meant = {
        node.id in functions if id(node) in called else node.id in (*variables, *known)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name)
    }
    if True not in meant:
        return text
    expression = Expression(text, constants)
    return expression if expression.names & set(variables) else float(expression(0.0, 0.0))


def constants_of(table: Mapping[str, Any]) -> dict[str, float]:
    """Returns the `[constants]` of a file; each may use those before it. ValueError: what is not a
    number, a name that is taken.
    """
    known: dict[str, float] = {}
    for name, value in table.items():
        if name in (*variables, *functions, "pi") or not name.isidentifier():
            raise InputError(
                f"the constant '{name}' needs another name:"
                f" {', '.join([*variables, *functions, 'pi'])} are taken"
            )
        value = interpret(value, known) if isinstance(value, str) else value
        wrong = isinstance(value, bool) or not isinstance(value, (int, float))
        if wrong or not np.isfinite(value):
            raise InputError(f"the constant {name} = {value!r} is not a number")
        known[name] = float(value)
    return known


def _parsed(text: str) -> ast.expr | None:
    if len(text) > longest:
        return None
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _names(tree: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
