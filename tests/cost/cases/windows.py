"""Maintenance windows and dependencies of a large project: as many as it may have, changed and read without a pause."""

import datetime
import threading

from cases import Number, case
from cases.views import poll
from client import Api

MONITORS_OF_WINDOW = 500
PARENTS_OF_MONITOR = 10
DEPENDENCIES = """
WITH m AS (SELECT project_id, id, row_number() OVER (ORDER BY id) AS n FROM monitors
            WHERE project_id = '{project}' AND name LIKE 'polled %')
INSERT INTO monitor_dependencies (project_id, monitor_id, parent_id, slot)
SELECT c.project_id, c.id, p.id, c.n - p.n FROM m c JOIN m p ON p.n BETWEEN c.n - {parents} AND c.n - 1
 WHERE c.n <= {monitors}"""


def calls_at_once(place, clients, requests, call):
    """Makes `call(api, number)` from several connections. Returns the number of each status."""
    statuses = {}
    lock = threading.Lock()

    def work(first):
        api = Api(place.installation, place.tenant.token)
        for number in range(first, requests, clients):
            status = call(api, number)[0]
            with lock:
                statuses[status] = statuses.get(status, 0) + 1
        api.close()

    threads = [threading.Thread(target=work, args=(first,)) for first in range(clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return statuses


def forget_windows(place):
    """The next case starts without windows and dependencies."""
    place.installation.sql(f"DELETE FROM maintenance_windows WHERE project_id = '{place.project}'")
    place.installation.sql(f"DELETE FROM monitor_dependencies WHERE project_id = '{place.project}'")


def one_window(place, number, monitors, recurring):
    """A window that covers many monitors. Its name is as long as it may be."""
    window = {"name": f"{number:04d} " + "w" * 250, "description": "d" * 2000}
    if monitors:
        window["monitorIds"] = place.polled_monitors[:min(monitors, MONITORS_OF_WINDOW)]
    else:
        window["all"] = True
    if recurring:
        return window | {"cron": "0 * * * *", "timeZone": "Europe/Berlin", "durationMinutes": 60}
    now = datetime.datetime.now(datetime.timezone.utc)
    end = now + datetime.timedelta(days=30)
    return window | {"startsAt": now.isoformat(timespec="seconds"), "endsAt": end.isoformat(timespec="seconds")}


@case("windows", short=True, windows=Number(1, 164, 164), monitors=Number(0, 500, 300), recurring=Number(0, 1, 1),
      clients=Number(1, 64, 64))
def windows_over_the_bound(place, windows, monitors, recurring, clients):
    """64 clients create more of the largest windows than a project may have; each recurring one plans 64 occurrences."""
    forget_windows(place)
    statuses = calls_at_once(place, clients, windows, lambda api, number: api.call(
        "POST", "/api/maintenance-windows", one_window(place, number, monitors, recurring)))
    kept = int(place.installation.sql(
        f"SELECT count(*) FROM maintenance_windows WHERE project_id = '{place.project}'")[0])
    forget_windows(place)
    # A request that has waited too long for the project's lock gets 503, and its window may exist.
    if kept > 100 or statuses.get(201, 0) > kept:
        raise RuntimeError(f"{kept} windows, answers {statuses}")
    return statuses.get(201, 0), b""


@case("windows", windows=Number(1, 100, 100), edits=Number(1, 300, 60), monitors=Number(0, 500, 300),
      clients=Number(1, 16, 8))
def windows_edited(place, windows, edits, monitors, clients):
    """Edits of windows, each of which makes all monitors of the project read their maintenance again."""
    forget_windows(place)
    ids = [place.attacker.create("/api/maintenance-windows", one_window(place, number, monitors, False))["id"]
           for number in range(windows)]
    statuses = calls_at_once(place, clients, edits, lambda api, number: api.call(
        "PATCH", f"/api/maintenance-windows/{ids[number % len(ids)]}",
        {"excludeFromUptime": number // len(ids) % 2 == 1}))
    forget_windows(place)
    return statuses.get(200, 0), b""


@case("windows", windows=Number(1, 100, 100), browsers=Number(1, 50, 10), requests=Number(1, 500, 100))
def poll_monitors_in_windows(place, windows, browsers, requests):
    """Lists of 100 monitors while each is in a hundred active windows."""
    forget_windows(place)
    for number in range(windows):
        place.attacker.create("/api/maintenance-windows", one_window(place, number, 300, False))
    answered = poll(place, lambda number: f"/api/monitors?limit=100&page={1 + number % 3}", browsers, requests)
    forget_windows(place)
    return answered


@case("windows", short=True, monitors=Number(11, 300, 300), parents=Number(1, 10, 10), edits=Number(1, 300, 64),
      clients=Number(1, 64, 64))
def dense_dependencies(place, monitors, parents, edits, clients):
    """Each monitor depends on the ten before it; 64 clients then look for cycles through all of them."""
    forget_windows(place)
    chosen = place.polled_monitors[:monitors]
    place.installation.sql(DEPENDENCIES.format(project=place.project, monitors=monitors,
                                               parents=min(parents, PARENTS_OF_MONITOR)))
    # The first monitor is an ancestor of all, so each request finds a cycle after it has read all dependencies.
    statuses = calls_at_once(place, clients, edits, lambda api, number: api.call(
        "PATCH", f"/api/monitors/{chosen[0]}", {"dependsOn": chosen[-10:]}))
    forget_windows(place)
    if 200 in statuses:
        raise RuntimeError(f"a cycle was closed: {statuses}")
    return statuses.get(409, 0), b""
