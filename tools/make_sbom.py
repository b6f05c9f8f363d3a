#!/usr/bin/env python3
"""Writes what the packages are made of as CycloneDX 1.5: libraries that the programs load, and the Debian packages whose
headers and archives were compiled in, with their versions, and the packages of npm in the dashboard's pages.
usage: tools/make_sbom.py BUILD PACKAGES OUTPUT   (a finished build, the directory of its .deb files; SOURCE_DATE_EPOCH)"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse
import uuid


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def packages_of(paths):
    """The Debian packages that own these files. A file of /lib may be registered with or without /usr."""
    candidates = set()
    for path in paths:
        real = os.path.realpath(path)
        candidates |= {path, real, real.removeprefix("/usr"), "/usr" + path}
    found = subprocess.run(["dpkg-query", "-S", *sorted(candidates)], capture_output=True, text=True).stdout
    owners, owned = set(), set()
    for line in found.splitlines():
        names, _, path = line.partition(": ")
        if names.startswith("diversion"):
            continue
        owners |= {name.split(":")[0] for name in names.split(", ")}
        owned.add(path)
    for path in paths:
        real = os.path.realpath(path)
        if owned.isdisjoint({path, real, real.removeprefix("/usr"), "/usr" + path}):
            sys.exit(f"make_sbom: no Debian package owns {path}")
    return owners


def loaded_by(program):
    """Of the libraries that it names itself, not of those that they load in turn."""
    needed = re.findall(r"Shared library: \[(.*?)\]", output("readelf", "-d", "--wide", program))
    places = dict(re.findall(r"^\s*(?:\S*/)?(\S+) (?:=> (\S+) )?\(0x", output("ldd", program), re.MULTILINE))
    return packages_of([places[name] or f"/lib64/{name}" for name in needed])


def compiled_in(build):
    headers = {line.strip() for line in output("ninja", "-C", build, "-t", "deps").splitlines() if line.startswith("    ")}
    archives = re.findall(r"/usr/\S+\.a\b", output("ninja", "-C", build, "-t", "commands"))
    return packages_of({os.path.normpath(path) for path in [*headers, *archives] if path.startswith("/usr/")})


def library(name):
    version, architecture, source = output(
        "dpkg-query", "-W", "-f", "${Version}\n${Architecture}\n${source:Package}\n", name).splitlines()[:3]
    purl = f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='')}?arch={architecture}&distro=debian-12"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            "properties": [{"name": "debian:source", "value": source}]}


def page_packages(build):
    """The packages that the embedded pages are made of: those of the lockfile that are not for development."""
    if not os.path.exists(f"{build}/dashboard/manifest.json"):
        return []
    lock = json.loads(pathlib.Path("web/package-lock.json").read_text())
    found = {(path.rpartition("node_modules/")[2], entry["version"])
             for path, entry in lock["packages"].items() if path and not entry.get("dev") and not entry.get("link")}
    purls = [(name, version, f"pkg:npm/{urllib.parse.quote(name)}@{version}") for name, version in sorted(found)]
    return [{"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
            for name, version, purl in purls]


def application(package, version):
    path = pathlib.Path(package)
    name = output("dpkg-deb", "-f", package, "Package").strip()
    return {"type": "application", "bom-ref": name, "name": name, "version": version,
            "description": output("dpkg-deb", "-f", package, "Description").splitlines()[0],
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "properties": [{"name": "file", "value": path.name}]}


def main():
    build, packages, to = sys.argv[1:]
    files = sorted(str(path) for path in pathlib.Path(packages).glob("*.deb"))
    version = output("dpkg-deb", "-f", files[0], "Version").strip()
    applications = [application(each, version) for each in files]
    depends = {each["name"]: set() for each in applications}
    for name in depends:
        program = f"{build}/bin/{name}"
        if os.path.exists(program):
            depends[name] = loaded_by(program)
    whole = compiled_in(build)
    libraries = {name: library(name) for name in sorted(whole.union(*depends.values()))}
    pages = page_packages(build)
    references = lambda names: sorted(libraries[name]["bom-ref"] for name in names)
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    project = "project-automation-service"
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": project, "name": project, "version": version,
                          "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": applications + list(libraries.values()) + pages,
        # What was compiled in stands at the project, what is loaded at the program.
        "dependencies": [{"ref": project, "dependsOn": sorted(depends) + references(whole) +
                          [each["bom-ref"] for each in pages]}] +
                        [{"ref": name, "dependsOn": references(depends[name])} for name in sorted(depends)] +
                        [{"ref": each["bom-ref"]} for each in [*libraries.values(), *pages]]}
    document["serialNumber"] = "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True)))
    pathlib.Path(to).write_text(json.dumps(document, indent=2) + "\n")


main()
