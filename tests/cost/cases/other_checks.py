"""Checks of DNS and ports whose target or configuration is hostile."""

import struct

from cases import Number, case
from targets import NameServer, Target, query_end

TXT, PRIVATE = 16, 65400


def check(place, kind, target, config):
    monitor = {"name": "attacker", "type": kind, "target": target,
               "config": {"timeoutSeconds": 5, "retryStrategy": {"maxRetries": 0}, **config}}
    return place.attacker.call("POST", "/api/monitors/test", monitor)


def answer_head(query, records):
    return query[:2] + struct.pack("!HHHHH", 0x8180, 1, records, 0, 0) + query[12:query_end(query)]


@case("check", short=True, pointers=Number(1, 8000, 4000), records=Number(1, 5000, 1500))
def compression_pointers(place, pointers, records):
    """Each record's name is a long chain of compression pointers."""
    def answer(query):
        head = answer_head(query, 1 + records)
        at = len(head)
        # A record of a private type carries the chain: each pointer leads to the one before it.
        first = at + 12
        chain = b"\x01x\x00" + b"".join(struct.pack("!H", 0xC000 | (first if i == 0 else first + 1 + 2 * i))
                                        for i in range(pointers) if first + 2 * i < 0x3FFF)
        record = b"\xc0\x0c" + struct.pack("!HHIH", PRIVATE, 1, 60, len(chain)) + chain
        last = min(at + len(record) - 2, 0x3FFE)
        link = struct.pack("!H", 0xC000 | last) + struct.pack("!HHIH", 5, 1, 60, 2) + b"\xc0\x0c"
        return head + record + link * records

    with NameServer(answer) as server:
        return check(place, "dns", "attacker.example",
                     {"recordType": "TXT", "resolver": f"127.0.0.1:{server.port}"})


@case("check", short=True, records=Number(1, 6000, 4000), assertions=Number(1, 20, 20))
def many_records(place, records, assertions):
    """As many records as fit into 64 KiB, searched by every assertion."""
    def answer(query):
        return answer_head(query, records) + (b"\xc0\x0c" + struct.pack("!HHIH", TXT, 1, 60, 4) + b"\x03abc") * records

    rules = [{"source": "dnsAnswer", "comparison": "matches", "expected": f"(a|b|c)*z{i}"} for i in range(assertions)]
    with NameServer(answer) as server:
        return check(place, "dns", "attacker.example", {"recordType": "TXT", "assertions": rules,
                                                        "resolver": f"127.0.0.1:{server.port}"})


@case("check", repeat=Number(1, 500, 200), kilobytes=Number(1, 64, 4))
def port_with_a_dear_pattern(place, repeat, kilobytes):
    """The banner is searched again for each piece that arrives."""
    def serve(client):
        client.setsockopt(6, 1, 1)  # TCP_NODELAY
        for _ in range(kilobytes * 16):
            client.sendall(b"ab" * 32)

    with Target(serve) as target:
        return check(place, "port_check", "127.0.0.1",
                     {"port": target.port, "expect": "(a|b|ab)*[a-q][^u-z]{%d}x" % repeat})


@case("check", payload=Number(1, 20, 20))
def ping(place, payload):
    """As many echo requests as a check may send."""
    return check(place, "ping_host", "127.0.0.1", {"count": min(payload, 10)})
