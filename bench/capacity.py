#!/usr/bin/env python3
"""Prints what one core of each role carries, and what a target rate needs: the model of bench/CAPACITY.md.

usage: bench/capacity.py RESULTS.jsonl... [--target 100000] [--busy 70] [--cores 2]

RESULTS.jsonl are those of bench/run.sh and bench/runs.sh (`--rate max`). For each measurement:
  a core of svcd, Redis's one, a core of PostgreSQL   requests/s when that core does nothing else
  cores for the target   of svcd, Redis and PostgreSQL, each --busy percent busy at most; Redis executes scripts on one
                         core, so more than one means more than one Redis
  predicted, measured    the highest rate of the machine that measured: its --cores, shared with the client
"""
import argparse
from math import ceil
from statistics import median

import results

ROLES = ("svcd", "redis", "postgres")


def figures(lines, cores):
    cost = {role: median(line["cpu_us"].get(role, 0) for line in lines) for role in ROLES}
    everything = median(results.cpu(line) + line.get("client_us", 0) for line in lines)
    return cost, cores * 1e6 / everything, median(line["per_second"] for line in lines)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                      usage=argparse.SUPPRESS)
    options.add_argument("results", nargs="+")
    options.add_argument("--target", type=float, default=100_000)
    options.add_argument("--busy", type=float, default=70)
    options.add_argument("--cores", type=int, default=2)
    given = options.parse_args()
    print(f"| measurement | a core of svcd | Redis | a core of PostgreSQL | cores for {given.target:.0f}/s "
          "| predicted | measured | WAL at the target |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for path in given.results:
        for name, lines in results.read(path).items():
            if "svcd" not in lines[0].get("cpu_us", {}) or name.startswith(("401", "429")):
                continue
            cost, predicted, measured = figures(lines, given.cores)
            alone = [f"{1e6 / cost[r]:.0f}" if cost[r] >= 0.5 else "–" for r in ROLES]
            cores = [str(ceil(given.target * cost[r] / 1e6 / (given.busy / 100))) if cost[r] >= 0.5 else "0"
                     for r in ROLES]
            wal = f"{lines[0]['wal_bytes'] * given.target / 1e6:.0f} MB/s" if "wal_bytes" in lines[0] else ""
            print(f"| {name} | " + " | ".join(alone) + f" | {' + '.join(cores)} | {predicted:.0f} | {measured:.0f} | {wal} |")


if __name__ == "__main__":
    main()
