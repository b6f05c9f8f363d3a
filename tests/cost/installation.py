"""A release build of svcd with its own stores, and the tenants that live on it."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from targets import Target, take_mails

# An ordinary tenant's limits would end a case before its cost shows; bench/ and the tests of limits count them.
RAISED_LIMITS = {
    f"SVC_LIMITS_{name}_LIMIT": "1000000"
    for name in ("CLI", "TRIGGER_DEFAULT", "ANONYMOUS", "FEED", "HEALTH", "HEARTBEAT", "PROBE", "REFUSED", "SESSION",
                 "SIGN_IN", "SIGN_IN_ACCOUNT", "RECOVERY", "INVITATIONS")
}
START_SECONDS = 120
CLIENT_BYTES = 5_000_000  # of the client that the service hands out; a built one has 3 to 4 MB


class Tenant:
    """An organisation with one project and one owner who holds a token."""

    def __init__(self, installation, name):
        admin = installation.admin
        self.name = name
        self.project = f"{name}/main"
        admin("create-organization", "--slug", name, "--name", name)
        admin("create-project", "--organization", name, "--slug", "main", "--name", "Main")
        self.email = f"{name}@example.org"
        admin("create-user", "--email", self.email, "--name", name)
        admin("add-member", "--organization", name, "--user", self.email, "--role", "org_owner")
        self.token = admin("create-token", "--project", self.project, "--owner", self.email, "--name", name)["key"]
        self.runner_token = admin("create-runner", "--organization", name, "--name", name)["key"]


class Installation:
    """Starts `svcd dev`, whose runner serves another organisation than the tenants; everything ends with `close`."""

    def __init__(self, binary, environment=None):
        self.binary = binary
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="cost-", dir="/tmp"))
        self.directory.chmod(0o755)
        self.environment = {**os.environ, **RAISED_LIMITS, "SVC_CLI_DIRECTORY": self._write_client(),
                            **(environment or {})}
        self.mail_server = Target(take_mails)
        self.environment["SVC_SMTP_URL"] = f"smtp://127.0.0.1:{self.mail_server.port}"
        self.environment["SVC_SMTP_FROM"] = "svc@example.org"
        self.log = open(self.directory / "svcd.log", "wb")
        self.process = subprocess.Popen(
            [binary, "dev", "--data-dir", str(self.directory / "dev"), "--listen", "127.0.0.1:0", "--admin",
             "127.0.0.1:0", "--print", "json"],
            stdout=subprocess.PIPE, stderr=self.log, env=self.environment)
        try:
            self.line = self._first_line()
        except Exception:
            self.close()
            raise
        self.url = self.line["url"]
        self.address = ("127.0.0.1", int(self.url.rsplit(":", 1)[1]))
        self.ca_file = self.line["caFile"]
        self.pid = self.line["pids"]["svcd"]

    def _write_client(self):
        """A directory with a client that no case runs. Its bytes do not compress."""
        directory = self.directory / "cli"
        directory.mkdir()
        (directory / "svc-linux-amd64").write_bytes(os.urandom(CLIENT_BYTES))
        return str(directory)

    def _first_line(self):
        os.set_blocking(self.process.stdout.fileno(), False)
        text, until = b"", time.monotonic() + START_SECONDS
        while b"\n" not in text:
            if self.process.poll() is not None or time.monotonic() > until:
                log = (self.directory / "svcd.log").read_text(errors="replace")
                raise RuntimeError("svcd dev did not start:\n" + log[-4000:])
            text += self.process.stdout.read() or b""
            time.sleep(0.05)
        return json.loads(text)

    def admin(self, *arguments):
        done = subprocess.run(
            [self.binary, "admin", *arguments, "--config", self.line["configFile"], "--json"],
            env=self.environment, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"svcd admin {arguments[0]}: {done.stderr.decode(errors='replace')}")
        return json.loads(done.stdout)

    def sql(self, query):
        """The first column of each row."""
        owner = self.line["postgresUrl"].replace("svc_app@", "svc_owner@")
        done = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", owner, "-c", query], capture_output=True,
                              check=True)
        return done.stdout.decode().split()

    def metrics(self):
        with urllib.request.urlopen(self.line["adminUrl"] + "/metrics", timeout=30) as page:
            return page.read().decode()

    def stop(self, patience):
        """Sends SIGTERM to the instance; seconds until it has ended, or None if it has not in time."""
        began = time.monotonic()
        os.kill(self.pid, signal.SIGTERM)
        while time.monotonic() - began < patience:
            if self._has_ended():
                return time.monotonic() - began
            time.sleep(0.02)
        return None

    def _has_ended(self):
        """True also for a process that its parent has not waited for yet."""
        try:
            return pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except FileNotFoundError:
            return True

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.mail_server.close()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)
