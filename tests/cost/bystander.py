"""The second tenant: what an ordinary user notices while somebody else attacks."""

import threading
import time

from client import Api
from targets import Target, http_answer

PAUSE_SECONDS = 0.02
CHECK_PAUSE_SECONDS = 0.25


class Repeated(threading.Thread):
    """One kind of request, again and again; each takes as long as its user waits."""

    def __init__(self, ask, pause):
        super().__init__(daemon=True)
        self.ask, self.pause = ask, pause
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.slowest_ms, self.failures, self.begun = 0.0, [], None
        self.start()

    def run(self):
        while not self.over.wait(self.pause):
            with self.lock:
                self.begun = time.monotonic()
            wrong = self.answer()
            with self.lock:
                self.slowest_ms = max(self.slowest_ms, (time.monotonic() - self.begun) * 1000)
                self.begun = None
                if wrong:
                    self.failures.append(wrong)

    def answer(self):
        try:
            return self.ask()
        except Exception as failure:  # Whatever it is, the user has no answer.
            return repr(failure)

    def take(self):
        """The slowest answer in milliseconds, one that is still awaited included, and the failures since last time."""
        with self.lock:
            waiting = (time.monotonic() - self.begun) * 1000 if self.begun else 0.0
            out = max(self.slowest_ms, waiting), self.failures
            self.slowest_ms, self.failures = 0.0, []
            return out


class Bystander:
    """Reads with a token, and checks a target of its own."""

    def __init__(self, installation, tenant):
        self.target = Target(http_answer(b"{}"))
        reads, checks = Api(installation, tenant.token), Api(installation, tenant.token)
        monitor = {"name": "second tenant", "type": "http_request", "target": f"http://127.0.0.1:{self.target.port}/",
                   "config": {"timeoutSeconds": 5, "retryStrategy": {"maxRetries": 0}}}

        def read():
            status, _ = reads.call("GET", "/api/jobs")
            return None if status == 200 else f"GET /api/jobs: {status}"

        def check():
            status, text = checks.call("POST", "/api/monitors/test", monitor)
            if status == 200 and b'"status":"up"' in text:
                return None
            return f"a check of a good target: {status} {text[:300]!r}"

        self.reads = Repeated(read, PAUSE_SECONDS)
        self.checks = Repeated(check, CHECK_PAUSE_SECONDS)

    def take(self):
        """Per kind: the slowest answer in milliseconds, and the failures."""
        return {"reads": self.reads.take(), "checks": self.checks.take()}

    def close(self):
        for each in (self.reads, self.checks):
            each.over.set()
        self.target.close()
