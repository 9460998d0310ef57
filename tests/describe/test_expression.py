"""Arithmetic in text: right, safe, and clear about what is wrong."""

import numpy as np
import pytest

from fathom.run.experiment.expression import Expression, constants_of, interpret

x, y = np.meshgrid([1.0, 2.0, 3.0], [10.0, 20.0])


@pytest.mark.parametrize(
    "text, value",
    [
        ("20 * exp(depth / -1000)", 20 * np.exp(-0.5) + 0 * x),
        ("a * sin(pi * longitude) + latitude ** 2", 3 * np.sin(np.pi * x) + y**2),
        ("where(x > 1.5, 1, -1) + z", np.where(x > 1.5, 1, -1) - 500.0),
        ("-(y // 7) % 4", -(y // 7) % 4),
        ("minimum(x, 2) <= 1", (np.minimum(x, 2) <= 1).astype(float)),
    ],
)
def test_value_and_shape(text, value):
    result = Expression(text, {"a": 3.0})(x, y, 500.0)
    assert result.shape == x.shape and result.flags.writeable
    np.testing.assert_allclose(result, value, rtol=1e-15)


@pytest.mark.parametrize(
    "text",
    ["levitus", "2000-01-01", "2000-10-10", "1h", "x1", "fp64", "data/x.nc", "mercator", "exp"],
)
def test_other_texts_stay(text):
    assert interpret(text) == text


def test_constants():
    known = constants_of({"L": 2e6, "half": "L / 2", "root": "sqrt(4)"})
    assert known == {"L": 2e6, "half": 1e6, "root": 2.0}
    assert interpret("2 * half", known) == 2e6  # no variable: a number
    assert isinstance(interpret("y / L", known), Expression)
    for wrong, message in (
        ({"x": 1}, "needs another name"),
        ({"a": "levitus"}, "is not a number"),
        ({"a": True}, "is not a number"),
        ({"exp": 2}, "needs another name"),
    ):
        with pytest.raises(ValueError, match=message):
            constants_of(wrong)


@pytest.mark.parametrize(
    "text, message",
    [
        ("20 * exp(dept)", "did you mean 'depth'"),
        ("exq(depth)", "did you mean 'exp'"),
        ("sin(x, y, x, y)", "takes 1 argument, given 4"),
        ("__import__('os').system('true') * x", "only arithmetic"),
        ("x.__class__", "only arithmetic"),
        ("(lambda: x)()", "only arithmetic"),
        ("[x for x in y]", "only arithmetic"),
        ("x if y else 0", "only arithmetic"),
        ("exp(x=1) * x", "only arithmetic"),
        ("'a' * x", "only arithmetic"),
        ("x[0]", "only arithmetic"),
    ],
)
def test_refused(text, message):
    with pytest.raises(ValueError, match=message):
        interpret(text)


def test_huge_powers_do_not_hang():
    assert np.isinf(Expression("9 ** 9 ** 9 ** 9 * x")(1.0, 1.0))
    assert interpret("x + " * 5000 + "x").startswith("x + ")  # too long: not an expression


@pytest.mark.parametrize("text", ["maximum-random", "abs", "sign-floor", "where"])
def test_the_name_of_a_function_that_is_not_called_is_a_text(text):
    assert interpret(text) is text
