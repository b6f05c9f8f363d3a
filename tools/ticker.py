"""Records when the machine stood still, until it receives SIGTERM or its parent is gone.

usage: ticker.py RECORD

Sleeps 10 ms again and again; a sleep that took 500 ms or more is a stall. Appends to RECORD a first line
`ticker PID nice N`, and for each stall `stall BEGIN END`, in seconds of CLOCK_MONOTONIC.

It sees when no process of its priority was given a processor, for example because a virtual machine was paused or its
memory was swapped. As root it runs at nice -5, so that a test that keeps every core busy does not look like a stall;
at normal priority it may.
It does not see that only a disk, a network or one core stood still, and not what caused a stall. CLOCK_MONOTONIC does
not count the time while the machine is suspended.
"""

import os
import signal
import sys
import time

PAUSE, STALL = 0.01, 0.5


def watch(record, told_to_end):
    parent = os.getppid()
    last = time.monotonic()
    while not told_to_end and os.getppid() == parent:
        time.sleep(PAUSE)
        now = time.monotonic()
        if now - last >= STALL:
            record.write(f"stall {last:.3f} {now:.3f}\n")
        last = now


def main():
    try:
        os.nice(-5)
    except PermissionError:
        pass
    told_to_end = []
    signal.signal(signal.SIGTERM, lambda *_: told_to_end.append(True))
    with open(sys.argv[1], "a", buffering=1, encoding="ascii") as record:
        record.write(f"ticker {os.getpid()} nice {os.nice(0)}\n")
        watch(record, told_to_end)


main()
