#!/usr/bin/env python3
"""What a service's /metrics say of a time, as JSON: checks, due times that went by, and quantiles of histograms.

usage: bench/checks/metrics.py BEFORE AFTER    (two files with what /metrics answered)
"""
import json
import re
import sys

LINE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'(\w+)="([^"]*)"')


def read(path):
    """Values by name and labels."""
    out = {}
    with open(path, encoding="utf-8") as file:
        for found in filter(None, map(LINE.fullmatch, map(str.strip, file))):
            out[found[1], tuple(sorted(LABEL.findall(found[2] or "")))] = float(found[3])
    return out


def quantiles(of, name):
    """As Prometheus's histogram_quantile: linear in the bucket."""
    bounds = {}
    for (metric, labels), count in of.items():
        if metric == name + "_bucket":
            bound = float(dict(labels)["le"])
            bounds[bound] = bounds.get(bound, 0) + count
    points = sorted(bounds.items())
    if not points or points[-1][1] == 0:
        return None
    out = {"count": points[-1][1]}
    for part in (0.5, 0.99):
        rank, low, before = part * points[-1][1], 0.0, 0.0
        for bound, count in points:
            if count >= rank:
                in_bucket = (rank - before) / (count - before)
                out[f"p{part * 100:.0f}"] = low if bound == float("inf") else low + (bound - low) * in_bucket
                break
            low, before = bound, count
    out["most"] = next(bound for bound, count in points if count == points[-1][1])  # a bucket's bound
    return out


def summed(of, name, by):
    out = {}
    for (metric, labels), count in of.items():
        if metric == name and count > 0:
            key = dict(labels)[by]
            out[key] = out.get(key, 0) + count
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    before, after = read(sys.argv[1]), read(sys.argv[2])
    change = {key: value - before.get(key, 0) for key, value in after.items()}
    print(json.dumps({
        "checks": summed(change, "svc_checks_total", "status"),
        "missed": summed(change, "svc_checks_missed_total", "reason"),
        "lag_s": quantiles(change, "svc_check_lag_seconds"),
        "flush_s": quantiles(change, "svc_check_flush_seconds"),
        "message_delay_s": quantiles(change, "svc_message_delay_seconds")}))


if __name__ == "__main__":
    main()
