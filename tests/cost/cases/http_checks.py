"""Checks of type http_request whose target or configuration is hostile."""

import gzip
import json
import zlib

from cases import Number, case
from targets import Target, http_answer, read_request, server_tls

MEBIBYTE = 1 << 20


def check(place, port, config=None, path="/", scheme="http"):
    """One check without retries of a target on loopback."""
    monitor = {
        "name": "attacker", "type": "http_request", "target": f"{scheme}://127.0.0.1:{port}{path}",
        "config": {"timeoutSeconds": 10, "retryStrategy": {"maxRetries": 0}, "maxBodyBytes": 4 * MEBIBYTE,
                   "capture": "on_failure", **(config or {})}}
    return place.attacker.call("POST", "/api/monitors/test", monitor)


@case("check", short=True, layers=Number(1, 5, 5), megabytes=Number(1, 64, 64))
def nested_content_encodings(place, layers, megabytes):
    """The answer is compressed several times over: inner layers cost much and yield nothing."""
    body = bytes(megabytes * MEBIBYTE)
    for _ in range(layers):
        body = gzip.compress(body, 9)
    coding = ", ".join(["gzip"] * layers)
    with Target(http_answer(body, [f"Content-Encoding: {coding}"])) as target:
        return check(place, target.port)


EMPTY_BLOCK = b"\x00\x00\x00\xff\xff"
PIECE_OF_BLOCKS = EMPTY_BLOCK * 200_000


@case("check", short=True, layers=Number(1, 5, 3), megabytes=Number(1, 500, 200))
def nested_encodings_without_output(place, layers, megabytes):
    """A deflate stream of empty blocks, itself compressed: a bound on decoded bytes never sees it."""
    packer = zlib.compressobj(9) if layers > 1 else None
    pieces = [b"\x78\x9c"] + [PIECE_OF_BLOCKS] * megabytes + [b"\x01\x00\x00\xff\xff\x00\x00\x00\x01"]
    body = b"".join(pieces) if packer is None else b"".join(map(packer.compress, pieces)) + packer.flush()
    for _ in range(layers - 2):
        body = zlib.compress(body, 9)
    with Target(http_answer(body, ["Content-Encoding: " + ", ".join(["deflate"] * layers)])) as target:
        return check(place, target.port)


@case("check", short=True, layers=Number(1, 8, 5))
def nested_transfer_encodings(place, layers):
    """Several transfer codings before chunked."""
    body = bytes(16 * MEBIBYTE)
    for _ in range(layers):
        body = gzip.compress(body, 9)
    coding = ", ".join(["gzip"] * layers + ["chunked"])
    answer = (f"HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\nConnection: close\r\n\r\n{len(body):x}\r\n").encode()

    def serve(client):
        read_request(client)
        client.sendall(answer + body + b"\r\n0\r\n\r\n")

    with Target(serve) as target:
        return check(place, target.port)


@case("check", short=True, keyword=Number(1, 1000, 1000), kilobytes=Number(1, 4096, 4096))
def repetitive_keyword(place, keyword, kilobytes):
    """A keyword of one letter many times over, and a body of just that letter."""
    body = (b"k" * (keyword - 1) + b"x") * (kilobytes * 1024 // keyword)
    with Target(http_answer(body, content_type="text/plain")) as target:
        return check(place, target.port, {"keywordInBody": "k" * keyword})


@case("check", short=True, headers=Number(1, 30, 30), references=Number(1, 1600, 1600), value=Number(1, 10_000, 10_000))
def expanded_headers(place, headers, references, value):
    """Headers that are nothing but references to one large variable."""
    place.set_variable("A", "v" * value)
    references = min(references, 8192 // len("{{A}}"))
    fields = {f"X-{i}": "{{A}}" * references for i in range(headers)}
    with Target(http_answer(b"{}")) as target:
        return check(place, target.port, {"headers": fields})


@case("check", short=True, references=Number(1, 13_000, 13_000), value=Number(1, 10_000, 10_000))
def expanded_body(place, references, value):
    """A body that is nothing but references to one large variable."""
    place.set_variable("A", "v" * value)
    with Target(http_answer(b"{}")) as target:
        return check(place, target.port, {"method": "POST", "body": "{{A}}" * references})


@case("check", short=True, assertions=Number(1, 20, 20), kilobytes=Number(1, 4096, 4096), repeat=Number(1, 200, 40))
def patterns_over_a_large_body(place, assertions, kilobytes, repeat):
    """Each assertion searches the whole body with a pattern whose automaton is large."""
    pattern = "(?i)(a|b|ab)*[a-q][^u-z]{%d}x" % repeat
    body = b"ab" * (kilobytes * 512)
    rules = [{"source": "body", "comparison": "matches", "expected": pattern + str(i)} for i in range(assertions)]
    with Target(http_answer(body, content_type="text/plain")) as target:
        return check(place, target.port, {"assertions": rules})


@case("check", short=True, depth=Number(1, 100_000, 30), names=Number(1, 400_000, 200_000), assertions=Number(1, 20, 20))
def large_json(place, depth, names, assertions):
    """A document with very many members, and wildcards that visit them all."""
    inner = "{" + ",".join(f'"n{i}":{i}' for i in range(names)) + "}"
    body = ('{"a":' * depth + inner + "}" * depth).encode()[:4 * MEBIBYTE]
    path = "$" + ".*" * min(depth + 1, 20)
    rules = [{"source": "json", "property": path, "comparison": "equals", "expected": "none"}] * assertions
    with Target(http_answer(body)) as target:
        return check(place, target.port, {"assertions": rules})


@case("check", short=True, steps=Number(1, 20, 3), assertions=Number(1, 20, 20), members=Number(2, 2000, 400))
def branching_json_path(place, steps, assertions, members):
    """Wildcards over wildcards: the number of visited nodes is a product."""
    body = json.dumps([[list(range(members))] * members] * 3).encode()[:4 * MEBIBYTE]
    rules = [{"source": "json", "property": "$" + "[*]" * steps, "comparison": "matches", "expected": "z$"}]
    with Target(http_answer(body)) as target:
        return check(place, target.port, {"assertions": rules * assertions})


@case("check", short=True, fields=Number(1, 20_000, 5_000), size=Number(1, 8_000, 20))
def many_header_fields(place, fields, size):
    """An answer whose head has very many fields."""
    head = [f"X-{i}: {'v' * size}" for i in range(fields)]
    rules = [{"source": "header", "property": f"x-{i * 7}", "comparison": "equals", "expected": "no"}
             for i in range(20)]
    with Target(http_answer(b"{}", head)) as target:
        return check(place, target.port, {"assertions": rules})


@case("check", short=True, redirects=Number(1, 40, 10), kilobytes=Number(1, 1024, 64))
def redirects_with_bodies(place, redirects, kilobytes):
    """Each answer of a long chain has a body."""
    body = b"r" * (kilobytes * 1024)

    def serve(client):
        path = read_request(client).split(b" ", 2)[1]
        step = int(path[1:] or 0) + 1
        http_head = (f"HTTP/1.1 302 Found\r\nLocation: /{step}\r\nContent-Length: {len(body)}\r\n"
                     "Connection: close\r\n\r\n")
        client.sendall(http_head.encode() + body)

    with Target(serve) as target:
        return check(place, target.port, {"maxRedirects": min(redirects, 10)})


@case("check", piece=Number(1, 1024, 1), pieces=Number(1, 4000, 1500))
def trickled_answer(place, piece, pieces):
    """The body comes in very small pieces, each a segment of its own."""
    def serve(client):
        read_request(client)
        client.setsockopt(6, 1, 1)  # TCP_NODELAY
        client.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {piece * pieces}\r\n\r\n".encode())
        for _ in range(pieces):
            client.sendall(b"t" * piece)

    with Target(serve) as target:
        return check(place, target.port)


@case("check", chunk=Number(1, 4096, 1), chunks=Number(1, 400_000, 200_000))
def tiny_chunks(place, chunk, chunks):
    """The body comes in chunks of one byte."""
    text = (f"{chunk:x}\r\n" + "c" * chunk + "\r\n").encode() * chunks + b"0\r\n\r\n"

    def serve(client):
        read_request(client)
        client.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + text)

    with Target(serve) as target:
        return check(place, target.port)


@case("check", short=True, kilobits=Number(2, 16, 8))
def large_server_key(place, kilobits):
    """The server's certificate has an RSA key whose signatures are dear to verify."""
    bits = {2: 2048, 3: 3072, 4: 4096}.get(kilobits, 8192)
    with Target(http_answer(b"{}"), server_tls(place.scratch, bits)) as target:
        return check(place, target.port, {"tls": {"verify": False}}, scheme="https")


@case("check", certificates=Number(1, 16, 1))
def large_authorities(place, certificates):
    """As many authorities as the configuration takes."""
    server_tls(place.scratch, 2048)
    text = (place.scratch / "rsa2048.pem").read_text()
    with Target(http_answer(b"{}"), server_tls(place.scratch, 2048)) as target:
        return check(place, target.port, {"tls": {"ca": (text * certificates)[:16384]}}, scheme="https")
