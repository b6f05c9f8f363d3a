#!/usr/bin/env python3
"""Prints the results of bench/checks.sh as tables.

usage: bench/checks/table.py RESULTS.jsonl
"""
import sys
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))
import results  # bench/results.py


def print_table(head, rows):
    rows = list(rows)
    if rows:
        print("\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] + ["--:"] * (len(head) - 1)] + rows))
        print()


def costs(by_name):
    for name, lines in by_name.items():
        for line in lines:
            if "checks" not in line or not line.get("cpu_us"):
                continue
            cpu = line["cpu_us"]
            whole = cpu.get("sum", cpu.get("client"))
            yield ([name, f"{line.get('per_second', 0):.0f}"]
                   + [f"{cpu[role]:.0f}" if role in cpu else "–" for role in ("svcd", "redis", "postgres")]
                   + [f"{whole:.0f}"])


def whole_services(by_name):
    for name, lines in by_name.items():
        for line in lines:
            if "rss_mib" not in line:
                continue
            lag, flush = line["lag_s"] or {}, line["flush_s"] or {}
            yield ([name, f"{line['checks']:.0f}", f"{sum(line['missed'].values()):.0f}", f"{line['cores']:.3f}",
                    f"{line['rss_mib']:.0f} ({line['rss_most_mib']:.0f})"]
                   + [f"{of.get(part, 0) * 1000:.0f}" for of in (lag, flush) for part in ("p50", "p99")]
                   + [f"{line['bytes']:.0f}", f"{line['wal']:.0f}"])


def latencies(by_name):
    for name, lines in by_name.items():
        if "p99_us" not in lines[0] or name == "warm-up":
            continue
        p50, p99 = ([line[part] / 1000 for line in lines] for part in ("p50_us", "p99_us"))
        cpu = lines[0].get("cpu_us", {})
        yield ([name, f"{median(p50):.2f}", f"{median(p99):.2f} ({min(p99):.2f} to {max(p99):.2f})"]
               + [f"{cpu[role] / 1000:.2f}" if role in cpu else "–" for role in ("svcd", "postgres")])


def alerts(by_name):
    for name, lines in by_name.items():
        for line in lines:
            if "seconds" in line and isinstance(line["seconds"], dict):
                s = line["seconds"]
                yield [name, str(line["count"])] + [f"{s[part]:.2f}" for part in ("p50", "p99", "most")]
            elif line.get("message_delay_s") and "rss_mib" not in line:
                s = line["message_delay_s"]
                yield [name, f"{s['count']:.0f}"] + [f"{s[part]:.2f}" for part in ("p50", "p99", "most")]


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        print(__doc__.strip())
        sys.exit(0 if sys.argv[1:] == ["--help"] else 2)
    by_name = results.read(sys.argv[1])
    print_table(["CPU µs of one", "a second", "svcd", "Redis", "PostgreSQL", "sum"], costs(by_name))
    print_table(["", "results", "missed", "cores", "svcd MiB (most)", "lag p50 ms", "p99", "flush p50 ms", "p99",
                 "bytes on disk", "WAL"], whole_services(by_name))
    print_table(["s", "alerts", "p50", "p99", "most"], alerts(by_name))
    print_table(["ms", "p50", "p99 (of the rounds)", "svcd CPU", "PostgreSQL CPU"], latencies(by_name))


if __name__ == "__main__":
    main()
