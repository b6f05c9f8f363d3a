#!/usr/bin/env python3
"""Checks what operators look at: rules and their unit tests by promtool, an entry of the runbook and a unit test for each
alert, that each expression of the dashboards parses, and the example of Alertmanager (by amtool too, where it is).

usage: tools/check_alerts.py

Which metrics exist only a running service knows: integration.system.operator_views.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROMETHEUS, DASHBOARDS, RUNBOOK = ROOT / "deploy/prometheus", ROOT / "deploy/grafana", ROOT / "docs/runbook.md"
# The place that operators replace by their own.
RUNBOOK_URL = "https://docs.example.org/runbook.md"
# What each entry of the runbook says.
PARTS = ("**Users:**", "**Look:**", "**Do:**")
GRAFANA = {"$__rate_interval": "1m", "$instance": ".*"}


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], cwd=PROMETHEUS, capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"promtool {' '.join(arguments)}:\n{done.stdout}{done.stderr}"]


def fired_in_tests():
    """Alerts that a unit test expects to fire, and those that one expects not to."""
    fires, quiet = set(), set()
    for test in yaml.safe_load((PROMETHEUS / "alerts_test.yml").read_text())["tests"]:
        for one in test["alert_rule_test"]:
            (fires if one.get("exp_alerts") else quiet).add(one["alertname"])
    return fires, quiet


def runbook_entries():
    """Text by heading of level three."""
    parts = re.split(r"^### (.*)\n", RUNBOOK.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def rehearsed():
    """Words of the last part of the runbook, which gives the cause that raised each alert."""
    return set(re.findall(r"\w+", RUNBOOK.read_text().partition("\n## Rehearsals\n")[2]))


def check_alerts(rules):
    alerts = {rule["alert"]: rule for group in rules["groups"] for rule in group["rules"] if "alert" in rule}
    entries, (fires, quiet), rehearsals = runbook_entries(), fired_in_tests(), rehearsed()
    for name, rule in alerts.items():
        said = rule.get("annotations", {})
        if set(said) != {"summary", "description", "runbook_url"}:
            yield f"alerts.yml: {name} needs a summary, a description and a runbook_url"
        if said.get("runbook_url") != f"{RUNBOOK_URL}#{name.lower()}":
            yield f"alerts.yml: the runbook_url of {name} is {RUNBOOK_URL}#{name.lower()}"
        if rule.get("labels", {}).get("severity") not in ("page", "ticket"):
            yield f"alerts.yml: {name} is neither page nor ticket"
        if name not in fires:
            yield f"alerts_test.yml: nothing raises {name}"
        if name not in quiet:
            yield f"alerts_test.yml: nothing shows when {name} must be quiet"
        if name not in rehearsals:
            yield f"docs/runbook.md: no rehearsal has raised {name}"
        for part in PARTS:
            if part not in entries.get(name, ""):
                yield f"docs/runbook.md: {name} has no part {part}"
    for name in entries.keys() - alerts.keys():
        yield f"docs/runbook.md: there is no alert {name}"


def matched_alerts(matchers):
    """Names of alerts in matchers such as `alertname=~"A|B"`."""
    for matcher in matchers:
        if found := re.fullmatch(r'alertname=~?"([^"]*)"', matcher):
            yield from found[1].split("|")


def check_alertmanager(rules):
    """The example of Alertmanager: its receivers exist, pages have a route of their own, and inhibit rules name alerts."""
    config = yaml.safe_load((PROMETHEUS / "alertmanager.yml").read_text())
    alerts = {rule["alert"] for group in rules["groups"] for rule in group["rules"] if "alert" in rule}
    receivers = {one["name"] for one in config["receivers"]}
    routes = [config["route"], *config["route"].get("routes", [])]
    for route in routes:
        if route["receiver"] not in receivers:
            yield f"alertmanager.yml: there is no receiver {route['receiver']}"
    if not any('severity="page"' in route.get("matchers", []) for route in routes):
        yield "alertmanager.yml: pages have no route of their own"
    for rule in config["inhibit_rules"]:
        for name in matched_alerts(rule["source_matchers"] + rule["target_matchers"]):
            if name not in alerts:
                yield f"alertmanager.yml: there is no alert {name}"
    if shutil.which("amtool"):
        done = subprocess.run(["amtool", "check-config", "alertmanager.yml"], cwd=PROMETHEUS, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            yield f"amtool check-config:\n{done.stdout}{done.stderr}"


def expressions(node):
    if isinstance(node, dict):
        if isinstance(node.get("expr"), str):
            yield node["expr"]
        node = list(node.values())
    if isinstance(node, list):
        for one in node:
            yield from expressions(one)


def dashboard_expressions():
    """(name of the file, expression) with Grafana's variables filled in."""
    for path in sorted(DASHBOARDS.glob("*.json")):
        for text in expressions(json.loads(path.read_text())):
            for variable, value in GRAFANA.items():
                text = text.replace(variable, value)
            yield path.name, text


def check_dashboards():
    # As recording rules, because promtool parses expressions nowhere else without a server.
    found = list(dashboard_expressions())
    if not found:
        yield "deploy/grafana: no expression found"
    groups = [{"name": "dashboards", "rules": [{"record": f"expression:{i}", "expr": text}
                                               for i, (_, text) in enumerate(found)]}]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as out:
        yaml.safe_dump({"groups": groups}, out)
        out.flush()
        yield from promtool("check", "rules", out.name)


def main():
    if len(sys.argv) > 1:
        print(__doc__)
        return 0 if sys.argv[1] == "--help" else 2
    rules = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())
    wrong = [*promtool("check", "config", "--syntax-only", "prometheus.yml"), *promtool("check", "rules", "alerts.yml"),
             *promtool("test", "rules", "alerts_test.yml"), *check_alerts(rules), *check_alertmanager(rules),
             *check_dashboards()]
    for one in wrong:
        print(f"check_alerts: {one}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
