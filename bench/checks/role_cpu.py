#!/usr/bin/env python3
"""CPU seconds of processes since their start, as JSON.

usage: bench/checks/role_cpu.py NAME=PID...    PID+: with its children, also those that have ended
"""
import json
import os
import sys


def stat_of(pid):
    """Parent and ticks: user, system, and those of children that have ended."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[1]), [int(field) for field in fields[11:15]]


def ticks_of(pid, with_children):
    _, times = stat_of(pid)
    out = sum(times if with_children else times[:2])
    for other in filter(str.isdigit, os.listdir("/proc") if with_children else []):
        try:
            parent, times = stat_of(other)
        except OSError:  # it has ended
            continue
        out += sum(times[:2]) if parent == pid else 0
    return out


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    out = {}
    for role in sys.argv[1:]:
        name, pid = role.split("=")
        out[name] = ticks_of(int(pid.rstrip("+")), pid.endswith("+")) / os.sysconf("SC_CLK_TCK")
    print(json.dumps(out))


if __name__ == "__main__":
    main()
