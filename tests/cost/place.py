"""What an attacker finds: an installation with resources of its own, and the clients of its token."""

import http.client
import json
import pathlib
import re
import socket

from client import Api, Browser, Page
from installation import CLIENT_BYTES, Tenant
from large_project import fill, fill_runners

UNKNOWN_ID = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70"
LARGE_SCRIPT_BYTES = 5_000_000


class RunnerApi(Api):
    """Requests of a runner token, over the socket of the internal listener."""

    def __init__(self, socket_path, token):
        self.token = token
        self.connection = http.client.HTTPConnection("localhost", timeout=30)
        self.connection.connect = self._connect
        self.socket_path = str(socket_path)

    def _connect(self):
        self.connection.sock = socket.socket(socket.AF_UNIX)
        self.connection.sock.settimeout(30)
        self.connection.sock.connect(self.socket_path)


class Place:
    """Made once for each installation; cases change only what is theirs."""

    def __init__(self, installation):
        self.installation = installation
        self.scratch = installation.directory
        self.tenant = Tenant(installation, "attacker")
        self.other = Tenant(installation, "bystander")
        self.attacker = Api(installation, self.tenant.token)
        self.project, self.organization = installation.sql(
            "SELECT unnest(ARRAY[p.id, o.id]) FROM projects p JOIN organizations o ON o.id = p.organization_id"
            " WHERE o.slug = 'attacker'")
        self.user = installation.sql(f"SELECT id FROM users WHERE email = '{self.tenant.email}'")[0]
        self.browser = Browser(installation, self.tenant.email, self.project)
        self.stranger = Page(installation, None)
        socket_path = pathlib.Path(installation.line["dataDir"]) / "run" / "internal.sock"
        self.runner = RunnerApi(socket_path, self.tenant.runner_token)
        self.variables = {}
        self.all_runners = False
        self.executor = json.loads(self.runner.call("POST", "/internal/v1/register", {
            "name": "attacker", "version": "1", "labels": ["command"], "slots": 100})[1])["executorId"]
        self.ids = self._make_resources()
        self.polled_monitors, self.polled_jobs = fill(installation, self.project, self.user)
        self.script_path = f"/api/tests/{self.ids['tests']}?includeScript=true"
        self.client_path = "/cli/svc-linux-amd64"

    def _make_resources(self):
        create = self.attacker.create
        script = ("# " + "x" * 98 + "\n") * (LARGE_SCRIPT_BYTES // 101)
        test = create("/api/tests", {"title": "large", "type": "command", "script": script})["id"]
        job = create("/api/jobs", {"name": "attacker", "jobType": "command", "tests": [{"id": test}]})["id"]
        small = create("/api/tests", {"title": "small", "type": "command", "script": "true"})["id"]
        small_job = create("/api/jobs", {"name": "small", "jobType": "command", "tests": [{"id": small}]})["id"]
        key = create(f"/api/jobs/{job}/trigger-keys", {"name": "attacker"})
        run = create(f"/api/jobs/{job}/trigger", None)
        monitor = create("/api/monitors", {"name": "attacker", "type": "port_check", "target": "127.0.0.1",
                                           "enabled": False, "config": {"port": 9}})["id"]
        heartbeat = create("/api/monitors", {"name": "beats", "type": "heartbeat",
                                             "config": {"schedule": {"everySeconds": 3600}}})
        provider = create("/api/notification-providers",
                          {"name": "attacker", "type": "webhook", "config": {"url": "http://127.0.0.1:8999/"}})["id"]
        tag = create("/api/tags", {"name": "attacker"})["id"]
        variable = create("/api/variables", {"key": "OTHER", "value": "v"})["id"]
        token = create("/api/cli-tokens", {"name": "attacker's second"})
        window, page = self._make_page()
        return {**page, "maintenance-windows": window, "tests": test, "jobs": job, "trigger-keys": self._id(key), "runs": run["runId"],
                "small job": small_job, "monitors": monitor,
                "heartbeats": self._heartbeat_key(heartbeat), "notification-providers": provider, "tags": tag,
                "variables": variable, "cli-tokens": self._id(token)}

    def _make_page(self):
        """A published page, and a window on it."""
        create = self.attacker.create
        page = create("/api/status-pages", {"name": "attacker", "slug": "attacker-page", "status": "published",
                                            "customDomain": "status.example.org"})["id"]
        path = f"/api/status-pages/{page}"
        component = create(path + "/components", {"name": "attacker"})["id"]
        incident = create(path + "/incidents", {"name": "attacker", "status": "investigating", "body": "b"})
        window = create("/api/maintenance-windows", {
            "name": "attacker", "all": True, "cron": "0 3 * * sun", "durationMinutes": 60, "statusPageIds": [page]})["id"]
        return window, {"status-pages": page, "components": component, "incidents": incident["id"],
                        "updates": incident["updates"][0]["id"]}

    @staticmethod
    def _id(created):
        """Of a secret's owner, which stands beside its secret."""
        for value in created.values():
            if isinstance(value, dict) and "id" in value:
                return value["id"]
        return created["id"]

    @staticmethod
    def _heartbeat_key(monitor):
        return monitor["heartbeat"]["url"].rsplit("/", 1)[1]

    def check_client_is_served(self):
        """Raises otherwise: refusals of a file that is not there would cost nothing, and the case would see nothing."""
        status, body = self.attacker.call("GET", self.client_path)
        if status != 200 or len(body) != CLIENT_BYTES:
            raise RuntimeError(f"GET {self.client_path}: {status}, {len(body)} bytes")

    def path_values(self, path):
        """Each parameter of a path with the id of the resource before it."""
        found = {name: self.ids.get(kind, UNKNOWN_ID) for kind, name in re.findall(r"([a-z-]+)/\{(\w+)\}", path)}
        return found | {"signal": "start", "organizationId": self.organization, "projectId": self.project,
                        "userId": self.user}

    def with_own_ids(self, value):
        """An example in which the ids of the contract are replaced by those of this place, with a run held for it."""
        text = json.dumps(value)
        held = self.claim() if '"claimId"' in text else {}
        known = {"executorId": self.executor, **held}
        for name, identifier in known.items():
            text = re.sub(f'"{name}": "[^"]*"', f'"{name}": "{identifier}"', text)
        for part, kind in (("5555", "tests"), ("7777", "runs"), ("a002", "components")):
            text = re.sub(f"01934f2e-{part}-[0-9a-f-]+", self.ids[kind], text)
        return json.loads(text)

    def claim(self):
        """Triggers a run and claims it: the ids of the run and of the claim."""
        self.attacker.create(f"/api/jobs/{self.ids['small job']}/trigger", None)
        status, text = self.runner.call("POST", "/internal/v1/claim", {
            "executorId": self.executor, "labels": ["command"], "max": 1, "scriptsApart": True})
        claimed = json.loads(text).get("claims", [])
        if status != 200 or not claimed:
            raise RuntimeError(f"claim: {status} {text[:300]!r}")
        self.ids["runs"] = claimed[0]["runId"]
        return {name: claimed[0][name] for name in ("claimId", "runId")}

    def register_all_runners(self):
        """Registers as many runners as the organisation may have, once."""
        if not self.all_runners:
            fill_runners(self.installation, self.organization, self.project)
            self.all_runners = True

    def set_variable(self, name, value):
        """Creates the variable, or gives it another value."""
        if self.variables.get(name, (None, None))[1] == value:
            return
        if name not in self.variables:
            self.variables[name] = (self.attacker.create("/api/variables", {"key": name, "value": value})["id"], value)
            return
        identifier = self.variables[name][0]
        status, text = self.attacker.call("PATCH", f"/api/variables/{identifier}", {"value": value})
        if status != 200:
            raise RuntimeError(f"PATCH variable: {status} {text[:200]!r}")
        self.variables[name] = (identifier, value)
