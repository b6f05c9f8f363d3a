"""Reads the raw lines of bench/results: one JSON object a measurement and round."""
import json
from statistics import median


def read(path):
    """The lines by name, each name's in the order of its rounds."""
    by_name = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            one = json.loads(line)
            by_name.setdefault(one["name"], []).append(one)
    return by_name


def cpu(line):
    return line["cpu_us"]["sum"]


def floors(by_name, rounds):
    """nginx's CPU in each round. Without one for each round, the median for all."""
    nginx = [cpu(line) for line in by_name.get("nginx", [])]
    if len(nginx) == rounds:
        return nginx
    return [median(nginx) if nginx else 1.0] * rounds


def ratios(by_name, name):
    """CPU of all roles, as a multiple of nginx's in the same round."""
    lines = by_name[name]
    return [cpu(line) / floor for line, floor in zip(lines, floors(by_name, len(lines)))]
