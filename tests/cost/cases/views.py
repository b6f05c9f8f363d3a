"""Pages that ask for statistics of a large project again and again."""

import threading

from cases import Number, case
from cases.operations import UNKNOWN_ID
from client import Browser


def poll(place, path_of, browsers, requests):
    """Asks from several pages at once. Refusals by the limit of sessions are an answer, too."""
    if place.browser.session is None:
        place.browser.sign_in()
    statuses = []

    def ask(number):
        page = Browser(place.installation, place.tenant.email, place.project)
        page.session = place.browser.session
        for n in range(requests // browsers):
            statuses.append(page.call("GET", path_of(number * requests + n))[0])
        page.close()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(browsers)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return statuses.count(200), b""


@case("views", short=True, browsers=Number(1, 50, 10), requests=Number(1, 1000, 300))
def poll_overview(place, browsers, requests):
    """A tenant with a large project asks for its overview without a pause."""
    return poll(place, lambda number: "/dashboard/v1/overview", browsers, requests)


@case("views", short=True, browsers=Number(1, 50, 10), requests=Number(1, 1000, 300), ids=Number(1, 100, 100),
      foreign=Number(0, 1, 0))
def poll_bars(place, browsers, requests, ids, foreign):
    """A tenant asks for the bars of other monitors in each request, or of ids that are none."""
    monitors = place.polled_monitors

    def path_of(number):
        chosen = [monitors[(number * 7 + i) % len(monitors)] for i in range(ids)]
        if foreign:
            chosen = [f"{number:08x}-{i:04x}{UNKNOWN_ID[13:]}" for i in range(ids)]
        return "/dashboard/v1/monitors/bars?ids=" + ",".join(chosen)

    return poll(place, path_of, browsers, requests)


@case("views", browsers=Number(1, 50, 10), requests=Number(1, 1000, 100), hours=Number(0, 200, 1))
def poll_outages(place, browsers, requests, hours):
    """A tenant asks for the outages of its project since some time."""
    day = f"2026-01-{1 + hours % 28:02d}T00:00:00Z"
    return poll(place, lambda number: f"/dashboard/v1/outages?limit=100&from={day}", browsers, requests)


@case("views", short=True, browsers=Number(1, 50, 10), requests=Number(1, 1000, 300))
def poll_limits(place, browsers, requests):
    """A tenant with 300 trigger keys asks for the use of its rate limits, which is of at most 100 windows."""
    return poll(place, lambda number: "/dashboard/v1/limits", browsers, requests)


@case("views", short=True, browsers=Number(1, 50, 10), requests=Number(1, 1000, 60), page=Number(1, 100, 1))
def poll_runners(place, browsers, requests, page):
    """A tenant that has registered 50 000 runners asks for a page of their list."""
    place.register_all_runners()
    return poll(place, lambda number: f"/dashboard/v1/project/runners?limit=100&page={page}", browsers, requests)


@case("views", browsers=Number(1, 50, 10), requests=Number(1, 1000, 100))
def poll_runner_tokens(place, browsers, requests):
    """The same tenant asks for its runner tokens, which counts the runners of each."""
    place.register_all_runners()
    return poll(place, lambda number: "/dashboard/v1/project/runner-tokens?limit=100", browsers, requests)


@case("views", browsers=Number(1, 50, 10), requests=Number(1, 1000, 100))
def poll_waiting(place, browsers, requests):
    """The same tenant asks why a run waits, which names its runners."""
    place.register_all_runners()
    place.attacker.create(f"/api/jobs/{place.ids['small job']}/trigger", None)
    run = place.attacker.create(f"/api/jobs/{place.ids['small job']}/trigger", None)["runId"]
    return poll(place, lambda number: f"/dashboard/v1/runs/{run}/waiting", browsers, requests)
