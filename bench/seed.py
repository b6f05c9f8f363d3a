#!/usr/bin/env python3
"""Fills a `svcd dev` with projects, and writes what the load clients ask them.

usage: bench/seed.py DEV_JSON DIRECTORY [--projects 50] [--tokens 20 a project] [--jobs 20 a project] [--tests 1 a job]
                     [--name bench of the projects] [--sessions no|yes]

DEV_JSON is what `svcd dev --print json` printed. DIRECTORY gets one file for each measurement, with a line
`METHOD TARGET TOKEN` for each token or key: whoami, test, jobs, trigger, forged; `watched`, the triggers of one project;
and `queue`, for bench/queue_runs.py. With sessions it also gets `session`, the requests of `test` by sessions of the same
users: `METHOD TARGET SESSION PROJECT`, and `watch`, the streams of the project of `watched`.
Each CLI token has a user of its own, because limits count users; each job has one test or several, and one trigger key.
Rows are written directly: through the API they would take a minute.
"""
import argparse
import hashlib
import json
import random
import string
import subprocess
import time
import zlib

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
SCRIPT = """echo "Hello from $(uname -s)"
for step in 1 2 3;
do
  echo "step $step of 3"
  sleep 0.3
done
echo "done"
"""


def checksum(text):
    rest, out = zlib.crc32(text.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        out = ALPHABET[digit] + out
    return out


def new_token(prefix):
    text = prefix + "".join(random.choices(ALPHABET, k=32))
    return text + checksum(text)


def forged(token):
    return token[:-1] + ("1" if token[-1] == "0" else "0")


def new_id():
    """A UUIDv7 of now."""
    bits = (int(time.time() * 1000) << 80) | random.getrandbits(80)
    bits = bits & ~(0xF << 76) | (7 << 76)
    bits = bits & ~(0x3 << 62) | (2 << 62)
    text = f"{bits:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def field(value):
    """As COPY reads it; None is NULL."""
    return "\\N" if value is None else str(value).replace("\\", "\\\\").replace("\n", "\\n")


class Rows:
    """Rows by table, written in the order that foreign keys demand."""

    ORDER = ("projects", "users", "subjects", "organization_members", "project_members", "tests", "jobs", "job_tests",
             "tokens", "token_secrets", "sessions")

    def __init__(self):
        self.of = {}

    def add(self, table, **columns):
        self.of.setdefault((table, tuple(columns)), []).append(columns.values())

    def sql(self):
        yield "BEGIN;\n"
        for (table, columns), rows in sorted(self.of.items(), key=lambda one: self.ORDER.index(one[0][0])):
            yield f"COPY {table} ({', '.join(columns)}) FROM STDIN;\n"
            for row in rows:
                yield "\t".join(map(field, row)) + "\n"
            yield "\\.\n"
        yield "COMMIT;\n"


def add_token(rows, kind, prefix, project, owner, slot, job=None):
    text, token = new_token(prefix), new_id()
    start = text[:len(prefix) + 4] + "..."
    if job:
        rows.add("subjects", id=token)
    rows.add("tokens", id=token, kind=kind, project_id=project, job_id=job, owner_id=owner, created_by=owner,
             name=f"{kind} {slot}", start=start, slot=slot)
    rows.add("token_secrets", digest="\\x" + hashlib.sha256(text.encode()).hexdigest(), token_id=token,
             state="current", start=start)
    return text


def add_session(rows, user):
    text, end = new_token("svc_session_"), time.gmtime(time.time() + 86_400)
    rows.add("sessions", id=new_id(), user_id=user, digest="\\x" + hashlib.sha256(text.encode()).hexdigest(), method="link",
             expires_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", end))
    return text


def add_user(rows, organization, project, name):
    user = new_id()
    rows.add("users", id=user, email=f"{name}@bench.invalid", name=name)
    rows.add("subjects", id=user)
    rows.add("organization_members", organization_id=organization, user_id=user, role="org_member")
    rows.add("project_members", project_id=project, user_id=user, role="project_editor")
    return user


def add_project(rows, ask, organization, number, given):
    project = new_id()
    rows.add("projects", id=project, organization_id=organization, slug=f"{given.name}-{number}",
             name=f"{given.name} {number}")
    users = [add_user(rows, organization, project, f"{given.name}-{number}-{i}") for i in range(given.tokens)]
    tests = [new_id() for _ in range(max(given.jobs, given.tests))]
    for i, test in enumerate(tests):
        rows.add("tests", id=test, project_id=project, title=f"Test {i}", type="command", priority="medium",
                 script=SCRIPT)
    tokens = [add_token(rows, "cli", "svc_live_", project, user, i + 1) for i, user in enumerate(users)]
    for i, token in enumerate(tokens):
        ask["whoami"].append(f"GET /api/auth/whoami {token}")
        ask["test"].append(f"GET /api/tests/{tests[i % len(tests)]} {token}")
        ask["jobs"].append(f"GET /api/jobs {token}")
        ask["forged"].append(f"GET /api/auth/whoami {forged(token)}")
        if given.sessions == "yes":
            session = add_session(rows, users[i])
            ask["session"].append(f"GET /api/tests/{tests[i % len(tests)]} {session} {project}")
            if number == 0:
                ask["watch"].append(f"GET /dashboard/v1/events {session} {project}")
    for i in range(given.jobs):
        job = new_id()
        rows.add("jobs", id=job, project_id=project, name=f"Job {i}", job_type="command", created_by=users[0])
        for position in range(given.tests):
            rows.add("job_tests", project_id=project, job_id=job, test_id=tests[(i + position) % len(tests)],
                     position=position)
        key = add_token(rows, "trigger", "svc_trigger_", project, users[i % len(users)], 1, job)
        ask["trigger"].append(f"POST /api/jobs/{job}/trigger {key}")
        if number == 0:
            ask["watched"].append(f"POST /api/jobs/{job}/trigger {key}")
        ask["queue"].append(f"/api/jobs/{job}/trigger {key} {tokens[i % len(tokens)]}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("dev")
    options.add_argument("directory")
    for name, usual in (("projects", 50), ("tokens", 20), ("jobs", 20), ("tests", 1)):
        options.add_argument(f"--{name}", type=int, default=usual)
    options.add_argument("--name", default="bench")
    options.add_argument("--sessions", choices=("no", "yes"), default="no")
    given = options.parse_args()
    with open(given.dev, encoding="utf-8") as file:
        dev = json.load(file)
    names = ("whoami", "test", "jobs", "trigger", "forged", "queue", "session", "watched", "watch")
    rows, ask = Rows(), {name: [] for name in names}
    for number in range(given.projects):
        add_project(rows, ask, dev["organizationId"], number, given)
    owner = dev["postgresUrl"].replace("svc_app@", "svc_owner@")
    subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", owner], input="".join(rows.sql()).encode(), check=True)
    for name, lines in ask.items():
        random.shuffle(lines)  # neighbours must not be of one project
        with open(f"{given.directory}/{name}", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
