"""Clients that ask for much and read nothing, or little."""

import time

from cases import Number, case
from client import RawConnection

SMALL_BUFFER = 4096


def open_many(place, count, path):
    out = []
    for _ in range(count):
        try:
            connection = RawConnection(place.installation, SMALL_BUFFER)
            connection.ask("GET", path, place.attacker.token)
            out.append(connection)
        except OSError:
            pass  # A refusal is what a bound may answer.
    return out


def close_all(connections):
    for each in connections:
        each.close()


@case("responses", short=True, connections=Number(1, 300, 300), seconds=Number(1, 12, 3))
def unread_scripts(place, connections, seconds):
    """Many connections of one token ask for a large script and do not read it."""
    opened = open_many(place, connections, place.script_path)
    time.sleep(seconds)
    close_all(opened)
    return len(opened), b""


@case("responses", short=True, connections=Number(1, 300, 300), seconds=Number(1, 12, 3))
def unread_clients(place, connections, seconds):
    """Many connections download the command-line client, which needs no token, and do not read it."""
    place.check_client_is_served()
    opened = open_many(place, connections, place.client_path)
    time.sleep(seconds)
    close_all(opened)
    return len(opened), b""


@case("responses", connections=Number(1, 100, 50), bytes_each=Number(1, 65_536, 16_384))
def slowly_read_scripts(place, connections, bytes_each):
    """The same, read in small pieces."""
    opened = open_many(place, connections, place.script_path)
    for _ in range(4):
        for each in opened:
            each.receive(bytes_each)
        time.sleep(0.4)
    close_all(opened)
    return len(opened), b""


@case("responses", short=True, requests=Number(1, 2000, 400))
def pipelined_without_reading(place, requests):
    """One connection sends many requests at once and reads no answer."""
    connection = RawConnection(place.installation, SMALL_BUFFER)
    text = f"GET {place.script_path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " \
           f"{place.attacker.token}\r\n\r\n"
    try:
        connection.send(text * requests)
        time.sleep(1)
    except OSError:
        pass
    connection.close()
    return requests, b""
