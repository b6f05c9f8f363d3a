"""Pages that watch a project while it changes without a pause."""

import json
import select
import threading
import time

from cases import Number, case
from client import Api, Browser, RawConnection

VIEWERS_OF_SESSION = 20  # http.streams_per_token
MERGE_SECONDS = 1.5  # until the last changes have become events
SMALL_BUFFER = 4096
ADMITTED = b"HTTP/1.1 200"
EVENT = b"event: changed"


def new_session(place):
    page = Browser(place.installation, place.tenant.email, place.project)
    page.sign_in()
    page.close()
    return page.session


def open_streams(place, viewers, small):
    """Raises unless the service admits all of these streams, because the case would then measure fewer."""
    out = []
    while len(out) < viewers:
        session = new_session(place)  # an earlier case may have ended those before
        for _ in range(min(VIEWERS_OF_SESSION, viewers - len(out))):
            stream = RawConnection(place.installation, SMALL_BUFFER if small else None)
            stream.send("GET /dashboard/v1/events HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n"
                        f"Svc-Project: {place.project}\r\nCookie: __Host-svc_session={session}\r\n\r\n")
            out.append(stream)
    admitted = sum(stream.receive(len(ADMITTED)) == ADMITTED for stream in out)
    if admitted < viewers:
        for stream in out:
            stream.close()
        raise RuntimeError(f"only {admitted} of {viewers} streams of changes were admitted")
    return out


class Reader(threading.Thread):
    """Reads all that arrives, as open pages do, and counts the events that name changes."""

    def __init__(self, streams):
        super().__init__(daemon=True)
        self.streams = {stream.tls.fileno(): stream for stream in streams}
        self.over = threading.Event()
        self.unread = dict.fromkeys(self.streams, b"")  # the end of a piece may be the start of an event
        self.events = 0

    def run(self):
        poll = select.poll()
        for descriptor in self.streams:
            poll.register(descriptor, select.POLLIN)
        while not self.over.is_set():
            for descriptor, _ in poll.poll(100):
                piece = self.streams[descriptor].receive(65_536)
                if not piece:
                    poll.unregister(descriptor)
                text = self.unread[descriptor] + piece
                self.events += text.count(EVENT)
                self.unread[descriptor] = text[1 - len(EVENT):]


def change_jobs(place, changes, clients):
    """Edits other jobs in each request, so that each event names as many things as it may."""

    def edit(first):
        client = Api(place.installation, place.tenant.token)
        for n in range(first, changes, clients):
            job = place.polled_jobs[n % len(place.polled_jobs)]
            client.call("PATCH", f"/api/jobs/{job}", json.dumps({"description": f"change {n}"}).encode())
        client.close()

    threads = [threading.Thread(target=edit, args=(first,)) for first in range(clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


@case("watched", short=True, viewers=Number(1, 200, 200), changes=Number(1, 1000, 300), clients=Number(1, 8, 4),
      reads=Number(0, 1, 1))
def watched_changes(place, viewers, changes, clients, reads):
    """A tenant changes its project without a pause while as many pages as may watch it, and read or do not."""
    streams = open_streams(place, viewers, small=not reads)
    reader = Reader(streams if reads else [])
    reader.start()
    change_jobs(place, changes, clients)
    time.sleep(MERGE_SECONDS)
    reader.over.set()
    reader.join()
    for each in streams:
        each.close()
    if reads and reader.events == 0:
        raise RuntimeError("no viewer received an event")
    return len(streams), b""
