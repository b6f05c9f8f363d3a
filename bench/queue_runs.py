#!/usr/bin/env python3
"""Triggers each job once and writes who asks for the status of its run.

usage: bench/queue_runs.py URL CA_FILE DIRECTORY

Reads `TARGET KEY TOKEN` from DIRECTORY/queue (bench/seed.py), where TOKEN is a CLI token of the job's project; writes
DIRECTORY/status: `GET /api/runs/ID/status TOKEN`.
"""
import http.client
import json
import ssl
import sys
from urllib.parse import urlsplit


class Client:
    def __init__(self, url, ca_file):
        where = urlsplit(url)
        context = ssl.create_default_context(cafile=ca_file)
        self.connection = http.client.HTTPSConnection(where.hostname, where.port, context=context)

    def ask(self, method, target, token):
        self.connection.request(method, target, headers={"Authorization": f"Bearer {token}"})
        answer = self.connection.getresponse()
        body = json.loads(answer.read())
        if answer.status not in (200, 202):
            sys.exit(f"queue_runs: {method} {target} was answered with {answer.status}: {body}")
        return body


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    url, ca_file, directory = sys.argv[1:]
    client = Client(url, ca_file)
    with open(f"{directory}/queue", encoding="utf-8") as queue, open(f"{directory}/status", "w", encoding="utf-8") as out:
        for line in queue:
            target, key, token = line.split()
            run = client.ask("POST", target, key)["data"]["runId"]
            out.write(f"GET /api/runs/{run}/status {token}\n")


if __name__ == "__main__":
    main()
