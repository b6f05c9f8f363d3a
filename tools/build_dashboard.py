#!/usr/bin/env python3
"""Provides the dashboard's pages to a build, and embeds them.

usage: build_dashboard.py AUTO|ON|OFF DIRECTORY SOURCE [--node PROGRAM] [--web DIRECTORY]

Writes the pages into DIRECTORY and a C++ source with their bytes to SOURCE. Takes the pages that came with the sources
(web/prebuilt, from `make dist`) if they were made from these sources; otherwise builds them with Node 18 or newer, by
`npm ci --ignore-scripts` and web/build.mjs. If neither is possible, ON fails, and AUTO embeds no pages and says why. A
fault in the pages' sources fails both. OFF embeds none. Files that are up to date stay untouched, so the build may call
this every time.

--node: empty for a machine without Node.
"""

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What a build makes in web/.
MADE = {"node_modules", "generated", "prebuilt", "out"}
LEAST_NODE = 18
# After this time a failed build is tried again, because the network may be back.
RETRY_SECONDS = 600
BUILD_SECONDS = 600
NPM = ["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund", "--silent", "--fetch-retries=1",
       "--fetch-timeout=60000"]


class Impossible(Exception):
    """The pages cannot be provided on this machine; the text says why."""


class Broken(Exception):
    """The sources of the pages have a fault."""


def source_hash(web):
    """Names the sources of the pages: their paths and contents."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(web):
        folders[:] = sorted(set(folders) - MADE)
        for name in sorted(files):
            path = pathlib.Path(folder, name)
            content = path.read_bytes()
            digest.update(f"{path.relative_to(web).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def major_of(node):
    """Node's major version; 0 without Node."""
    if not node:
        return 0
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
        return int(said.removeprefix("v").split(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def run(command, web, what, failure):
    try:
        done = subprocess.run(command, cwd=web, capture_output=True, text=True, timeout=BUILD_SECONDS)
    except (OSError, subprocess.SubprocessError) as fault:
        raise failure(f"{what} failed: {fault}") from fault
    if done.returncode != 0:
        raise failure("\n".join([f"{what} failed:", *(done.stderr + done.stdout).strip().splitlines()[:30]]))


def build(web, directory, node, major):
    if major < LEAST_NODE:
        found = f"Node {major}" if major else "no Node"
        raise Impossible(f"they need Node {LEAST_NODE} or newer, and there is {found} "
                         "(tools/install_dependencies.sh --dashboard)")
    npm = shutil.which("npm")
    if not npm:
        raise Impossible("there is no npm (tools/install_dependencies.sh --dashboard)")
    lock = hashlib.sha256((web / "package-lock.json").read_bytes()).hexdigest()
    installed = web / "node_modules/.installed"
    if not installed.exists() or installed.read_text() != lock:
        run([npm, *NPM], web, "npm ci", Impossible)
        installed.parent.mkdir(exist_ok=True)
        installed.write_text(lock)
    run([node, "build.mjs", "--out", str(directory)], web, "web/build.mjs", Broken)


def provide(web, directory, sources, node, major):
    """Puts the pages into the directory."""
    if not (web / "package.json").exists():
        raise Impossible("there are no sources of pages (web/package.json)")
    prebuilt = web / "prebuilt"
    marked = prebuilt / "sources.sha256"
    shutil.rmtree(directory, ignore_errors=True)
    if marked.exists() and marked.read_text().strip() == sources:
        shutil.copytree(prebuilt, directory)
    else:
        build(web, directory, node, major)
    (directory / "sources.sha256").write_text(sources + "\n")


def embed(directory, source):
    files = []
    if (directory / "manifest.json").exists():
        top = [p for p in directory.iterdir() if p.name.startswith(("index.html", "boot.js", "manifest.json"))]
        files = sorted(str(p) for p in [*top, *(directory / "assets").iterdir()])
    fresh = source.with_name(source.name + ".new")
    subprocess.run([sys.executable, str(ROOT / "tools/embed.py"), "--table", "dashboard", str(fresh), "--under",
                    str(directory), *files], check=True)
    if source.exists() and source.read_bytes() == fresh.read_bytes():
        fresh.unlink()
    else:
        fresh.replace(source)


@contextlib.contextmanager
def alone(web):
    """Two builds must not install packages into one folder at the same time."""
    if not web.exists():
        yield
        return
    handle = os.open(web, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def is_current(state, wanted, mode, directory, source):
    if not source.exists() or any(state.get(key) != content for key, content in wanted.items()):
        return False
    if state["pages"]:
        return (directory / "manifest.json").exists()
    return mode != "ON" and (mode == "OFF" or time.time() - state["time"] < RETRY_SECONDS)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("mode", choices=["AUTO", "ON", "OFF"])
    parser.add_argument("directory", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--node", default=shutil.which("node") or "")
    parser.add_argument("--web", type=pathlib.Path, default=ROOT / "web")
    given = parser.parse_args()
    web, directory, source = given.web, given.directory, given.source
    remembered = directory.with_name(directory.name + ".json")
    try:
        state = json.loads(remembered.read_text())
    except (OSError, ValueError):
        state = {}
    off = given.mode == "OFF"
    major = 0 if off else major_of(given.node)
    sources = "" if off or not web.exists() else source_hash(web)
    tools = hashlib.sha256(b"".join((ROOT / "tools" / name).read_bytes() for name in ("embed.py", "build_dashboard.py")))
    wanted = {"off": off, "sources": sources, "node": major, "tools": tools.hexdigest()}
    if is_current(state, wanted, given.mode, directory, source):
        return 0
    pages = False
    with alone(web):
        try:
            if off:
                shutil.rmtree(directory, ignore_errors=True)
            else:
                provide(web, directory, sources, given.node, major)
                pages = True
        except (Impossible, Broken) as fault:
            shutil.rmtree(directory, ignore_errors=True)
            if given.mode == "ON" or isinstance(fault, Broken):
                print(f"build_dashboard: the dashboard's pages cannot be built: {fault}", file=sys.stderr)
                return 1
            print(f"The dashboard is left out of this build: {fault}")
    embed(directory, source)
    remembered.write_text(json.dumps({**wanted, "pages": pages, "time": time.time()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
