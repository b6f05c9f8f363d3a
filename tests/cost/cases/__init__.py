"""The cases: each is one attack by a tenant with an ordinary account, with numbers that may grow."""

import dataclasses
import importlib
import pkgutil


@dataclasses.dataclass(frozen=True)
class Number:
    """A number of a case: its range, and the value that the known worst case has."""

    low: int
    high: int
    seed: int


@dataclasses.dataclass(frozen=True)
class Case:
    """`run(place, **numbers)` attacks once. `group`: its row in budgets.toml."""

    name: str
    group: str
    numbers: dict
    run: object
    summary: str
    short: bool  # part of the gate's list of known worst cases

    def seeds(self):
        return {name: number.seed for name, number in self.numbers.items()}


CASES = {}


def case(group, short=False, **numbers):
    """Registers a function as a case under its own name."""

    def register(function):
        name = function.__name__
        if name in CASES:
            raise ValueError(f"two cases are called {name}")
        CASES[name] = Case(name, group, numbers, function, (function.__doc__ or "").strip(), short)
        return function

    return register


def load_all():
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"cases.{module.name}")
    return CASES
