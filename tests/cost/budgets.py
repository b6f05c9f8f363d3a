"""Compares what a case cost with the table of budgets. Pure."""

import pathlib
import tomllib

BUDGETS = tomllib.loads((pathlib.Path(__file__).parent / "budgets.toml").read_text())


def costs_of(reading, slowest):
    """The costs that budgets name. `slowest`: per kind of request of the second tenant, in milliseconds."""
    return {
        "worker_ms": reading.of("worker-"),
        "worker_piece_ms": reading.longest_of("worker-"),
        "check_ms": reading.of("checks-"),
        "check_piece_ms": reading.longest_of("checks-"),
        "assertions_ms": reading.of("assertions-"),
        "delivery_ms": reading.of("delivery") + reading.of("mail"),
        "delivery_piece_ms": reading.longest_of("delivery"),
        "password_ms": reading.of("password-"),
        "memory_mb": reading.memory_mb,
        "redis_ms": reading.redis_ms,
        "postgres_ms": reading.postgres_ms,
        "written_kb": reading.written_kb,
        "slowest_read_ms": slowest["reads"],
        "slowest_check_ms": slowest["checks"],
    }


def parts_of_budget(group, costs):
    """Each cost as a part of its budget; above 1 it is exceeded."""
    return {name: costs[name] / most for name, most in BUDGETS[group].items()}


def excesses(group, costs):
    """One sentence for each exceeded budget."""
    return [f"{name} is {costs[name]:.1f}, the budget of {group} is {BUDGETS[group][name]}"
            for name, part in parts_of_budget(group, costs).items() if part > 1]
