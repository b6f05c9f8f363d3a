#!/usr/bin/env python3
"""What a client program costs for each of its requests: CPU of the process and its children, as a JSON line.

usage: bench/checks/client_cost.py NAME COUNT COMMAND...    COUNT 0: the first number that the command prints in front of "connections in"
"""
import json
import re
import resource
import subprocess
import sys


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    name, count, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    # `openssl s_time` says it twice, first for its own CPU time.
    count = count or int(re.search(r"(\d+) connections in \d+ real", said)[1])
    print(json.dumps({"name": name, "checks": count, "cpu_us": {"client": (used.ru_utime + used.ru_stime) * 1e6 / count}}))


if __name__ == "__main__":
    main()
