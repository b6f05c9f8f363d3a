"""Measures what svcd and its stores spend while something happens.

Everything is read from outside, so that a fault of the service's own counters cannot hide a cost.
"""

import dataclasses
import pathlib
import threading
import time

INTERVAL_SECONDS = 0.004
PAGE_BYTES = 4096
TICK_MS = 10
# A thread counts as busy without a pause while it runs, or waits for a processor, for this part of the time between two
# looks.
BUSY_PART = 0.8
QUIET_SECONDS = 0.12
QUIET_PART = 0.1
LONGEST_WAIT_SECONDS = 12


@dataclasses.dataclass
class Reading:
    """Costs between two moments. Processor time in milliseconds, memory in MB above the level before."""

    thread_ms: dict
    longest_ms: dict
    memory_mb: float
    redis_ms: float
    postgres_ms: float
    written_kb: float

    def of(self, prefix):
        return sum(value for name, value in self.thread_ms.items() if name.startswith(prefix))

    def longest_of(self, prefix):
        return max((value for name, value in self.longest_ms.items() if name.startswith(prefix)), default=0.0)


def process_ms(pid):
    """Processor time of a process so far, in steps of 10 ms."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) * TICK_MS


def children_of(pid):
    out = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            out += [int(child) for child in task.read_text().split()]
        except OSError:
            pass
    return out


class Sampler(threading.Thread):
    """Looks at each thread of a process every few milliseconds."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.tasks = pathlib.Path(f"/proc/{pid}/task")
        self.memory_file = pathlib.Path(f"/proc/{pid}/statm")
        self.names = {}
        self.spent, self.stretch = {}, {}
        self.longest = {}
        self.peak = 0
        self.busy_part = 0.0
        self.looked = None
        self.over = threading.Event()
        self.lock = threading.Lock()

    def run(self):
        while not self.over.wait(INTERVAL_SECONDS):
            try:
                self.look()
            except FileNotFoundError:
                return

    def look(self):
        now = time.monotonic_ns()
        spent = self.read_threads()
        memory = int(self.memory_file.read_text().split()[1]) * PAGE_BYTES
        with self.lock:
            self.peak = max(self.peak, memory)
            passed = now - self.looked if self.looked else 0
            total = 0
            for thread, (value, waited) in spent.items():
                before = self.spent.get(thread, (value, waited))
                used = value - before[0]
                total += used
                busy = passed and used + waited - before[1] >= BUSY_PART * passed
                self.stretch[thread] = self.stretch.get(thread, 0) + used if busy else used
                self.longest[thread] = max(self.longest.get(thread, 0), self.stretch[thread])
            self.busy_part = total / passed if passed else 1.0
            self.spent, self.looked = spent, now

    def read_threads(self):
        """Nanoseconds for which each thread has run, and for which it has waited for a processor."""
        out = {}
        for task in self.tasks.iterdir():
            thread = task.name
            try:
                if thread not in self.names:
                    self.names[thread] = (task / "comm").read_text().strip()
                spent, waited, _ = (task / "schedstat").read_text().split()
                out[thread] = int(spent), int(waited)
            except (FileNotFoundError, ProcessLookupError):
                pass
        return out

    def restart(self):
        """Forgets peaks; returns what each thread has spent so far and the memory that is held, in bytes."""
        with self.lock:
            self.longest = {}
            self.stretch = {}
            self.peak = int(self.memory_file.read_text().split()[1]) * PAGE_BYTES
            return dict(self.spent), self.peak


class Gauge:
    """Measures one piece of work at a time."""

    def __init__(self, installation):
        self.installation = installation
        pids = installation.line["pids"]
        self.redis, self.postgres = pids["redis"], pids["postgres"]
        self.sampler = Sampler(installation.pid)
        self.sampler.start()

    def close(self):
        self.sampler.over.set()

    def wait_until_quiet(self):
        """Until the service has rested for a moment, because what a case has started goes on after its answer."""
        until = time.monotonic() + LONGEST_WAIT_SECONDS
        rested = None
        while time.monotonic() < until:
            time.sleep(INTERVAL_SECONDS)
            if self.sampler.busy_part > QUIET_PART:
                rested = None
            elif rested is None:
                rested = time.monotonic()
            elif time.monotonic() - rested >= QUIET_SECONDS:
                return

    def store_costs(self):
        written = self.installation.sql("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        postgres = {pid: process_ms(pid) for pid in (self.postgres, *children_of(self.postgres))}
        return float(written[0]), process_ms(self.redis), postgres

    def measure(self, work):
        """Runs `work` and returns what it returned, with a `Reading`."""
        self.wait_until_quiet()
        written, redis, postgres = self.store_costs()
        spent, memory = self.sampler.restart()
        result = work()
        self.wait_until_quiet()
        with self.sampler.lock:
            after, longest, peak = dict(self.sampler.spent), dict(self.sampler.longest), self.sampler.peak
        written_after, redis_after, postgres_after = self.store_costs()
        return result, Reading(
            thread_ms=self.by_name({t: v[0] - spent.get(t, (0, 0))[0] for t, v in after.items()}, sum),
            longest_ms=self.by_name(longest, max),
            memory_mb=(peak - memory) / 1e6,
            redis_ms=redis_after - redis,
            postgres_ms=sum(value - postgres.get(pid, 0) for pid, value in postgres_after.items()),
            written_kb=(written_after - written) / 1024)

    def by_name(self, values, merge):
        """Nanoseconds of threads become milliseconds of names."""
        out = {}
        for thread, value in values.items():
            out.setdefault(self.sampler.names.get(thread, "?"), []).append(value / 1e6)
        return {name: merge(all_of_them) for name, all_of_them in out.items()}
