#!/usr/bin/env python3
"""Executes the shell blocks of the pages for users, as they stand there, against a `svcd dev --demo` of its own, with a mail
server that takes every mail. Each block is executed or stands in SKIPPED with the reason. Then the database is emptied, and the pages
of EMPTY are executed.

usage: run.py DIRECTORY_OF_PROGRAMS   (with svcd, svc and svc-runner)

docs/operating.md, backup.md and runbook.md are executed by `make test-packages`.
"""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(r"^( *)```sh\n(.*?)^\1```$", re.M | re.S)
PAGES = ("README.md", "docs/api.md", "docs/cli.md", "docs/monitors.md", "docs/status-pages.md")
EMPTY = ("docs/signing-in.md",)
# A block by its page and a part of its text.
SKIPPED = {
    ("README.md", "make run"): "builds the release",
    ("README.md", "make test"): "this is part of it",
    ("docs/api.md", "npx openapi-typescript"): "fetches a package; tests/contract/node does the same",
    ("docs/api.md", 'curl -fsS -m 10 --retry 5 "$URL/start"'): "`backup` is the reader's own program",
    ("docs/cli.md", "/cli/install.sh"): "an address of the reader; integration_cli installs the client",
    ("docs/cli.md", "svc update"): "integration_cli updates a client",
    ("docs/cli.md", "make install-cli"): "builds the release",
    ("docs/cli.md", "svc login"): "asks at a terminal; integration_cli answers it there",
    ("docs/cli.md", 'svc job trigger "$JOB"'): "variables of a pipeline; deploy/ci is executed by integration_cli",
    ("docs/cli.md", "gh secret set"): "needs an account of GitHub; integration_cli rotates into other stores",
    ("docs/monitors.md", "aiosmtpd"): "the test's own mail server is that one",
    ("docs/monitors.md", "make run"): "builds the release",
    ("docs/status-pages.md", "verify-domain"): "needs a domain of the reader; integration_cli scripts the answers",
}
PATIENCE = 120


def reason_to_skip(page, text):
    return next((why for (where, part), why in SKIPPED.items() if where == page and part in text), None)


def blocks(page):
    """The blocks that are executed, in order."""
    found = [textwrap.dedent(text) for _, text in FENCE.findall((ROOT / page).read_text(encoding="utf-8"))]
    return [text for text in found if reason_to_skip(page, text) is None]


def unused_skips():
    for (page, part), _ in SKIPPED.items():
        if not any(part in text for _, text in FENCE.findall((ROOT / page).read_text(encoding="utf-8"))):
            yield f"{page} has no block with {part!r}"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def execute(text, environment, directory):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=directory, env=environment, timeout=PATIENCE,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def run_pages(pages, demo, data, environment, directory):
    """Yields what failed. The blocks of a page share one shell, because later ones use variables of earlier ones."""
    for page in pages:
        found = blocks(page)
        if not found:
            yield f"{page}: no block is executed"
        text = "\n".join(found)
        # The pages name the place and the address of `make run`.
        text = re.sub(r"^dir=.*$", f"dir={data}", text, flags=re.M)
        text = re.sub(r"^url=https://(127.0.0.1:8443|svc.example.org)$", f"url={demo['url']}", text, flags=re.M)
        code, said = execute(text, environment, directory)
        print(f"-- {page}: {len(found)} blocks, exit code {code}", flush=True)
        # curl without -f ends with 0 whatever the answer; one block shows a refused token on purpose.
        refused = re.findall(r'"code":"(?!token_revoked)\w+"', said)
        if code != 0 or refused:
            yield f"{page}: exit code {code} {refused}\n{said[-3000:]}"


def environment_of(demo, data, programs, directory):
    home = pathlib.Path(directory) / "home"
    home.mkdir()
    return {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C.UTF-8",
            "SERVICE_URL": demo["url"], "SERVICE_TOKEN": demo["token"], "SERVICE_CACERT": f"{data}/tls/ca.pem"}


def run_empty(demo, data, environment, programs, directory):
    """Empties the database and executes the pages that start there, as an operator whose configuration is at the usual place and
    as people who know the certificate's authority."""
    owner = demo["postgresUrl"].replace("//svc_app@", "//svc_owner@")
    subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", owner, "-c",
                    "TRUNCATE organizations, users, subjects, audit_log CASCADE"], check=True, stdout=subprocess.DEVNULL)
    operator = pathlib.Path(directory) / "operator"
    operator.mkdir()
    (operator / "svcd").write_text(f'#!/bin/sh\nexec "{programs}/svcd" "$@" --config "{demo["configFile"]}"\n', encoding="utf-8")
    (operator / "svcd").chmod(0o755)
    environment = {**environment, "PATH": f"{operator}:{environment['PATH']}", "CURL_CA_BUNDLE": f"{data}/tls/ca.pem"}
    yield from run_pages(EMPTY, demo, data, environment, directory)


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        sys.exit(__doc__)
    programs = pathlib.Path(sys.argv[1]).resolve()
    wrong = list(unused_skips())
    mail_port = free_port()
    with tempfile.TemporaryDirectory(prefix="svc-documents-") as directory:
        os.chmod(directory, 0o755)
        data = f"{directory}/data"
        mails = subprocess.Popen(["/usr/bin/python3", "-u", "-m", "aiosmtpd", "-n", "-l", f"127.0.0.1:{mail_port}"],
                                 stdout=open(f"{directory}/mails", "w", encoding="utf-8"), stderr=subprocess.STDOUT)
        serve = subprocess.Popen(
            [programs / "svcd", "dev", "--demo", "--data-dir", data, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
             "--print", "json"], stdout=subprocess.PIPE, stderr=open(f"{directory}/log", "w", encoding="utf-8"), text=True,
            env={**os.environ, "SVC_SMTP_URL": f"smtp://127.0.0.1:{mail_port}", "SVC_SMTP_FROM": "alerts@example.org"})
        try:
            line = serve.stdout.readline()
            if not line.startswith("{"):
                sys.exit(f"documents: svcd dev does not start: {line}{pathlib.Path(directory, 'log').read_text()[-2000:]}")
            demo = json.loads(line)
            environment = environment_of(demo, data, programs, directory)
            wrong += run_pages(PAGES, demo, data, environment, directory)
            until = time.monotonic() + 30
            while "Subject" not in pathlib.Path(directory, "mails").read_text() and time.monotonic() < until:
                time.sleep(0.1)
            if "Subject" not in pathlib.Path(directory, "mails").read_text():
                wrong.append("docs/monitors.md: no mail came")
            wrong += run_empty(demo, data, environment, programs, directory)
        finally:
            serve.terminate()
            mails.terminate()
            serve.wait(timeout=60)
            mails.wait(timeout=10)
    for one in wrong:
        print(f"documents: {one}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
