#!/usr/bin/env python3
"""Checks that only known sources open connections, send datagrams or look names up.

usage: check_connects.py

What users name is connected to by src/egress alone, where a guard judges each address. Each other place that connects
stands in the table below, with whose address it is. Reports a source with such a call that is in neither, and an entry
of the table without one.

Exits with 0 if there is nothing to report, otherwise with 1.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALL = re.compile(
    r"(?<!\w)(?:connect\(\s*[^)\s]|(?:async_connect|sendto|sendm?msg|getaddrinfo|gethostby\w+|async_resolve|"
    r"curl_easy_perform|curl_multi_add_handle|ares_(?:query|search|send|getaddrinfo|gethostby)\w*|PQconnect\w+)\()"
)
KNOWN = {
    "src/app/migrations/database_session.cpp": "PostgreSQL, by the configuration",
    "src/app/dev/redis_server.cpp": "the Redis that `svcd dev` started",
    "src/app/migrations/migrator.cpp": "PostgreSQL, by the configuration",
    "src/app/process/service_manager.cpp": "systemd's socket",
    "src/cli/http/transport.cpp": "the service, by the user of `svc` on the own machine",
    "src/net/listen_socket.cpp": "its own UNIX socket",
    "src/postgres/servers.cpp": "PostgreSQL, by the configuration",
    "src/postgres/session.cpp": "PostgreSQL, by the configuration",
    "src/redis/transport.cpp": "Redis, by the configuration",
    "src/svc-runner/client/http_connection.cpp": "the service, by the runner's configuration",
}
GUARDED = "src/egress/"


def code_of(path):
    """Without comments."""
    return re.sub(r"//[^\n]*", "", path.read_text())


def main():
    if sys.argv[1:]:
        print(__doc__.strip())
        return 0 if sys.argv[1:] == ["--help"] else 2
    connecting = set()
    for top in ("src", "include"):
        for path in sorted(p for p in (ROOT / top).rglob("*") if p.suffix in (".cpp", ".hpp")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(GUARDED) and CALL.search(code_of(path)):
                connecting.add(name)
    wrong = [f"{name}: connects, and is not in the table of tools/check_connects.py" for name in connecting - set(KNOWN)]
    wrong += [f"tools/check_connects.py: {name} does not connect" for name in set(KNOWN) - connecting]
    for line in sorted(wrong):
        print(line)
    return 1 if wrong else 0


sys.exit(main())
