"""Clients of the service: ordinary requests, and connections that do what a library does not allow."""

import http.client
import json
import socket
import ssl


def tls_context(installation):
    context = ssl.create_default_context(cafile=installation.ca_file)
    context.check_hostname = False
    return context


class Api:
    """Requests of one token over one connection, one at a time."""

    def __init__(self, installation, token, patience=30):
        self.token = token
        self.connection = http.client.HTTPSConnection(*installation.address, context=tls_context(installation),
                                                      timeout=patience)

    def call(self, method, path, body=None, headers=None):
        """Returns the status and the body. `body`: an object that becomes JSON, or bytes."""
        fields = {"Authorization": "Bearer " + self.token, **(headers or {})}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            fields.setdefault("Content-Type", "application/json")
        for attempt in (1, 2):
            try:
                self.connection.request(method, path, body, fields)
                answer = self.connection.getresponse()
                return answer.status, answer.read()
            except (http.client.HTTPException, OSError):
                self.connection.close()
                if attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def create(self, path, body):
        """Creates a resource and returns it; raises what the service said otherwise."""
        status, text = self.call("POST", path, body)
        if status not in (200, 201, 202):
            raise RuntimeError(f"POST {path}: {status} {text[:500]!r}")
        said = json.loads(text)
        return said.get("data", said)

    def close(self):
        self.connection.close()


class RawConnection:
    """A TLS connection whose caller decides when bytes are sent and whether any are read."""

    def __init__(self, installation, receive_buffer=None):
        plain = socket.socket()
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.settimeout(15)
        plain.connect(installation.address)
        self.tls = tls_context(installation).wrap_socket(plain)

    def ask(self, method, path, token, extra=""):
        self.send(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n{extra}\r\n")

    def send(self, text):
        self.tls.sendall(text.encode() if isinstance(text, str) else text)

    def receive(self, size):
        """At most `size` bytes; none if the peer has closed."""
        try:
            return self.tls.recv(size)
        except OSError:
            return b""

    def close(self):
        self.tls.close()
