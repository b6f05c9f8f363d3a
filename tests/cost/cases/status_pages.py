"""Visitors of a large status page: those who read nothing, and those who ask for each of its texts without a pause."""

import time

from cases import Number, case
from cases.responses import close_all, open_many
from cases.windows import calls_at_once

PAGE = "/status/attacker-page"
DATA = "/api/status-pages/attacker-page"
LONGEST_BODY = 10_000


def write_large_page(place, posts):
    """Gives the page one incident with long texts. Returns the path with which a case deletes it."""
    path = f"/api/status-pages/{place.ids['status-pages']}/incidents"
    # Each word is a link, which is the longest form of a text in HTML.
    body = ("https://a.example/" + "x" * 20 + " ") * (LONGEST_BODY // 39)
    incident = place.attacker.create(path, {"name": "large", "status": "investigating", "body": body, "notify": False})
    for _ in range(posts - 1):
        place.attacker.create(f"{path}/{incident['id']}/updates",
                              {"status": "identified", "body": body, "notify": False})
    return f"{path}/{incident['id']}"


@case("responses", short=True, connections=Number(1, 300, 300), posts=Number(1, 30, 20), seconds=Number(1, 12, 3))
def unread_status_pages(place, connections, posts, seconds):
    """Many connections ask for the texts of a status page, which need no token, and do not read them."""
    incident = write_large_page(place, posts)
    # Copies in the workers' memory are replaced within a second.
    time.sleep(1.5)
    opened = []
    paths = [PAGE, PAGE + "/history", DATA + "/rss", DATA + "/feed.json", DATA + "/ical"]
    for path in paths:
        opened += open_many(place, max(1, connections // len(paths)), path)
    time.sleep(seconds)
    close_all(opened)
    place.attacker.call("DELETE", incident)
    return len(opened), b""


@case("responses", posts=Number(1, 30, 20), clients=Number(1, 64, 16), requests=Number(1, 2000, 500))
def texts_of_a_status_page(place, posts, clients, requests):
    """Visitors ask for a different text of a large page each time, so that none is in memory."""
    incident = write_large_page(place, posts)
    statuses = calls_at_once(place, clients, requests, lambda api, number: api.call(
        "GET", f"{PAGE}/history?month={2000 + number // 12 % 100}-{number % 12 + 1:02d}"))
    place.attacker.call("DELETE", incident)
    return statuses.get(200, 0), b""
