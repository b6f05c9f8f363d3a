#!/usr/bin/env python3
"""Fills a `svcd dev` with monitors for bench/checks.sh.

usage: bench/checks/seed.py DEV_JSON --monitors N --target URL [--interval 60] [--own-targets] [--slices 10]
                                                [--own-hooks URL]

The first is made through the API, with a webhook that is told of it, and copied by SQL: evenly over the projects of
bench/seed.py, or in the project of `svcd dev` if there are none. `--own-targets`: each has an address of its own, to
which only checks that connect to nothing may go. They are made in slices, a second apart, because a monitor is checked
at once when it is new. With `--own-hooks`, all are made through the API, each with a webhook of its own to that URL.
"""
import argparse
import json
import ssl
import subprocess
import time
import urllib.request

ADD = """
WITH template AS (SELECT * FROM monitors WHERE id = '{template}'),
places AS (
  SELECT array_agg(p.id ORDER BY p.id) AS ids FROM projects p, template t
   WHERE CASE WHEN EXISTS (SELECT FROM projects WHERE slug LIKE 'bench-%') THEN p.slug LIKE 'bench-%'
              ELSE p.id = t.project_id END),
made AS (
  INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, frequency_seconds, config,
                        attempts_seconds, alert_config, created_by, created_at)
  SELECT overlay(overlay(gen_random_uuid()::text PLACING substr(h.ms, 1, 8) || '-' || substr(h.ms, 9, 4) || '-7' FROM 1)
                 PLACING 'b' FROM 20)::uuid,
         p.ids[1 + i % cardinality(p.ids)], 'site ' || i, t.type, {target}, t.frequency_minutes, t.frequency_seconds,
         t.config, t.attempts_seconds, t.alert_config, t.created_by, to_timestamp(a.seconds)
    FROM template t, places p, generate_series({first}, {last}) i,
         LATERAL (SELECT floor(extract(epoch FROM now())) - 60.0 * ({count} - i) AS seconds) a,
         LATERAL (SELECT lpad(to_hex((a.seconds * 1000)::bigint), 12, '0') AS ms) h
  RETURNING id, check_version),
status AS (INSERT INTO monitor_status (monitor_id) SELECT id FROM made)
INSERT INTO check_states (monitor_id, location_id, check_version)
SELECT id, '00000000-0000-0000-0000-000000000000', check_version FROM made
"""
OWN_TARGET = "format('https://93.%s.%s.%s/health', i / 62500 + 1, i / 250 % 250 + 1, i % 250 + 1)"


class Service:
    def __init__(self, dev):
        self.dev = dev
        self.trusts = ssl.create_default_context(cafile=dev["caFile"])
        self.owner = dev["postgresUrl"].replace("svc_app@", "svc_owner@")

    def post(self, path, body):
        ask = urllib.request.Request(self.dev["url"] + path, json.dumps(body).encode(), method="POST",
                                     headers={"Authorization": "Bearer " + self.dev["token"],
                                              "Content-Type": "application/json"})
        with urllib.request.urlopen(ask, context=self.trusts) as answer:
            return json.load(answer)

    def sql(self, text):
        subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", self.owner], input=text.encode(), check=True)


def make_monitor(service, target, interval, hook_url):
    hook = service.post("/api/notification-providers", {"name": f"hook {time.time()}", "type": "webhook", "config": {
        "url": hook_url, "method": "POST"}})
    return service.post("/api/monitors", {
        "name": "by the API", "type": "http_request", "target": target, "frequencySeconds": interval,
        "config": {"expectedStatusCodes": "200-299", "headers": {"Accept": "application/json"}},
        "alertConfig": {"enabled": True, "notificationProviders": [hook["id"]]}})["id"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("dev")
    options.add_argument("--monitors", type=int, required=True)
    options.add_argument("--target", required=True)
    options.add_argument("--interval", type=int, default=60)
    options.add_argument("--own-targets", action="store_true")
    options.add_argument("--slices", type=int, default=10)
    options.add_argument("--own-hooks", metavar="URL")
    given = options.parse_args()
    with open(given.dev, encoding="utf-8") as file:
        service = Service(json.load(file))
    if given.own_hooks:
        for _ in range(given.monitors):
            make_monitor(service, given.target, given.interval, given.own_hooks)
        return
    template = make_monitor(service, given.target, given.interval, "https://hooks.example.org/monitors")
    for part in range(given.slices):
        first, last = (given.monitors * at // given.slices for at in (part, part + 1))
        service.sql(ADD.format(template=template, first=first + 1, last=last, count=given.monitors,
                               target=OWN_TARGET if given.own_targets else "t.target"))
        time.sleep(1)


if __name__ == "__main__":
    main()
