#!/usr/bin/env python3
"""Prints the results of bench/runs.sh: a column for each kind of run, medians over the rounds.

usage: bench/runs_table.py RESULTS.jsonl
"""
import sys
from statistics import median

import results

ROWS = (
    ("runs/s", lambda r: r["per_second"], 0),
    ("triggers answered/s", lambda r: r["triggers_per_second"], 0),
    ("trigger p50 ms", lambda r: r["trigger_p50_us"] / 1000, 1),
    ("trigger p99 ms", lambda r: r["trigger_p99_us"] / 1000, 1),
    ("queued to claim answered p50 ms", lambda r: r["queued_to_claimed_ms"]["p50"], 1),
    ("queued to claim answered p99 ms", lambda r: r["queued_to_claimed_ms"]["p99"], 1),
    ("complete p50 ms", lambda r: r["complete_ms"]["p50"], 1),
    ("complete p99 ms", lambda r: r["complete_ms"]["p99"], 1),
    ("not ended, at most", lambda r: r["backlog_most"] or 0, 0),
    ("drained after the load, s", lambda r: r["drained_seconds"], 1),
    ("CPU a run, svcd µs", lambda r: r["cpu_us"]["svcd"], 0),
    ("CPU a run, Redis µs", lambda r: r["cpu_us"]["redis"], 0),
    ("CPU a run, PostgreSQL µs", lambda r: r["cpu_us"]["postgres"], 0),
    ("CPU a run, runners µs", lambda r: r["cpu_us"]["runners"], 0),
    ("CPU a run, sum µs", results.cpu, 0),
    ("Redis commands a run", lambda r: r.get("redis_commands", 0), 1),
    ("WAL bytes a run", lambda r: r["wal_bytes"], 0),
    ("page images in it", lambda r: r["page_images"], 2),
    ("heap versions a run", lambda r: r["heap_versions"], 2),
    ("of these HOT", lambda r: r["hot"], 2),
    ("transactions/s", lambda r: r["transactions_per_second"], 0),
    ("WAL syncs/s", lambda r: r["wal_syncs_per_second"], 0),
)


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        print(__doc__.strip())
        sys.exit(0 if sys.argv[1:] == ["--help"] else 2)
    by_name = results.read(sys.argv[1])
    names = [name for name in by_name if name != "nginx"]
    print("| | " + " | ".join(names) + " |")
    print("|---|" + "--:|" * len(names))
    for title, value, digits in ROWS:
        cells = [f"{median(map(value, by_name[name])):.{digits}f}" for name in names]
        print(f"| {title} | " + " | ".join(cells) + " |")
    ratio = {name: median(results.ratios(by_name, name)) for name in names}
    print("| × nginx (%.1f µs) | " % median(map(results.cpu, by_name["nginx"]))
          + " | ".join(f"{ratio[name]:.1f}" for name in names) + " |")
    for name in names:
        empty = name.removesuffix(" (history)")
        if empty != name:
            print(f"{empty}: with history {ratio[name] / ratio[empty]:.2f} × the empty one")
    if any(line["refused"] or line["claimed"] != line["runs"] for name in names for line in by_name[name]):
        print("some claims were lost: runs claimed again, or completions refused")


if __name__ == "__main__":
    main()
