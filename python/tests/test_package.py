"""What importing the package takes, and what its errors are."""

import subprocess
import sys

import pytest
import tarl


def modules_after(statement: str) -> set[str]:
    """Of a fresh interpreter."""
    code = f"import sys; {statement}; print('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = modules_after("import tarl")
    assert "tarl" in loaded
    assert not loaded & {"numpy", "gymnasium", "pandas", "torch", "jax", "tarl._tarl"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'tarl' has no attribute 'DQNN'"):
        tarl.DQNN  # noqa: B018


@pytest.mark.parametrize(("error", "builtin"), [("UsageError", ValueError), ("NonFiniteError", ArithmeticError)])
def test_errors_are_also_the_builtins_that_callers_expect(error: str, builtin: type[Exception]) -> None:
    assert issubclass(getattr(tarl, error), builtin)
    assert issubclass(getattr(tarl, error), tarl.Error)
    assert issubclass(tarl.Error, RuntimeError)
