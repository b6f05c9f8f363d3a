"""Receivers of notifications that answer as an attacker would."""

import gzip

from cases import Number, case
from targets import Target, http_answer, read_request


def send(place, provider):
    return place.attacker.call("POST", "/api/notification-providers/test", provider)


def webhook(port, **more):
    return {"name": "attacker", "type": "webhook", "config": {"url": f"http://127.0.0.1:{port}/", **more}}


@case("receiver", short=True, depth=Number(1, 2_000_000, 1_000_000))
def deep_json_of_a_receiver(place, depth):
    """The receiver's answer is a deeply nested document."""
    with Target(http_answer(b"[" * depth, status="400 Bad Request")) as target:
        return send(place, webhook(target.port))


@case("receiver", short=True, layers=Number(1, 5, 5))
def nested_encodings_of_a_receiver(place, layers):
    """The receiver's answer is compressed several times over."""
    body = bytes(64 << 20)
    for _ in range(layers):
        body = gzip.compress(body, 9)
    with Target(http_answer(body, ["Content-Encoding: " + ", ".join(["gzip"] * layers)])) as target:
        return send(place, webhook(target.port))


@case("receiver", short=True, references=Number(1, 1000, 1000))
def large_template(place, references):
    """A template that is nothing but references."""
    text = '{"t":"' + "{{message}}" * min(references, 900) + '"}'
    with Target(http_answer(b"{}")) as target:
        return send(place, webhook(target.port, bodyTemplate=text))


@case("receiver", kilobytes=Number(1, 65_536, 16_384))
def endless_answer_of_a_receiver(place, kilobytes):
    """The receiver's answer goes on and on."""
    def serve(client):
        read_request(client)
        client.sendall(f"HTTP/1.1 500 No\r\nContent-Length: {kilobytes * 1024}\r\n\r\n".encode())
        for _ in range(kilobytes // 64):
            client.sendall(b"e" * 65536)

    with Target(serve) as target:
        return send(place, webhook(target.port))
