#!/usr/bin/env python3
"""Prints the results of bench/run.sh as a table: medians over the rounds.

usage: bench/table.py RESULTS.jsonl
"""
import re
import sys
from statistics import median

import results

HEAD = ["measurement", "req/s", "p50 µs", "p99 µs", "server µs", "Redis µs", "PostgreSQL µs", "sum µs", "× nginx"]


def row(by_name, name):
    lines = by_name[name]

    def of(role):
        return median(line["cpu_us"].get(role, 0) for line in lines)

    server = max(of(role) for role in ("svcd", "nginx", "peer"))
    numbers = [median(line[key] for line in lines) for key in ("per_second", "p50_us", "p99_us")]
    costs = [server, of("redis"), of("postgres"), median(map(results.cpu, lines))]
    ratio = median(results.ratios(by_name, name))
    return [name] + [f"{n:.0f}" for n in numbers] + [f"{c:.1f}" for c in costs] + [f"{ratio:.2f}"]


def beside(by_name, names):
    """What a measurement costs beside the same one of the peer, another build, or a service with history."""
    for name in names:
        found = re.fullmatch(r"(.*) \((peer|against|history)\)", name)
        if not found or found[1] not in by_name:
            continue
        ours, theirs = (median(results.ratios(by_name, n)) for n in (found[1], name))
        if found[2] == "history":
            yield f"{found[1]}: with history {theirs / ours:.2f} × the empty one"
        else:
            yield f"{found[1]}: {ours / theirs:.2f} × {found[2]}"


def by_session(by_name):
    """What a request by session costs beside the same by token: the median of the rounds' quotients, with the CPU of both."""
    for name in by_name:
        other = name.replace(", session", "")
        if other == name or other not in by_name:
            continue
        pairs = [(results.cpu(ours), results.cpu(theirs)) for ours, theirs in zip(by_name[name], by_name[other])]
        ours, theirs = (median(cpu) for cpu in zip(*pairs))
        ratio = median(mine / token for mine, token in pairs)
        yield f"{other}: {ours:.1f} µs by session, {theirs:.1f} µs by token: {ratio:.3f} × (goal 1.05)"


def with_viewers(by_name):
    """What open pages add to a trigger of their project, and what an event costs for each of them: medians over the rounds."""
    for name, lines in by_name.items():
        if "viewer_event_us" not in lines[0]:
            continue
        added = median(line["watched_change_us"] / line["change_us"] for line in lines)
        event = median(line["viewer_event_us"] for line in lines)
        alone = median(line["change_us"] for line in lines)
        yield (f"{name}: {lines[0]['viewers']} viewers cost {added:.3f} × the {alone:.1f} µs without (goal 1.03); "
               f"{event:.1f} µs for each event of a viewer")


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        print(__doc__.strip())
        sys.exit(0 if sys.argv[1:] == ["--help"] else 2)
    by_name = results.read(sys.argv[1])
    names = [name for name, lines in by_name.items() if "cpu_us" in lines[0]]
    table = [HEAD, ["---"] + ["--:"] * (len(HEAD) - 1)] + [row(by_name, name) for name in names]
    print("\n".join("| " + " | ".join(cells) + " |" for cells in table))
    for line in beside(by_name, names):
        print(line)
    for line in (*by_session(by_name), *with_viewers(by_name)):
        print(line)
    for name, lines in by_name.items():
        if "bytes_each" in lines[0]:
            print(f"{name}: {lines[0]['bytes_each'] / 1024:.1f} KB each, {lines[0]['connections']} held")
        if "kib" in lines[0]:
            print(f"{name}: {lines[0]['kib'] / 1024:.1f} MiB")


if __name__ == "__main__":
    main()
