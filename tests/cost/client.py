"""Clients of the service: ordinary requests, and connections that do what a library does not allow."""

import http.client
import http.cookies
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

    def credential(self):
        return {"Authorization": "Bearer " + self.token}

    def call(self, method, path, body=None, headers=None):
        """Returns the status and the body. `body`: an object that becomes JSON, or bytes."""
        fields = {**self.credential(), **(headers or {})}
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


class Page(Api):
    """Requests of a page that nobody has signed in to."""

    def credential(self):
        return {"Sec-Fetch-Site": "same-origin"}


class Browser(Api):
    """Requests of a signed-in user's pages. Signs in again after a case that has ended the session."""

    def __init__(self, installation, email, project):
        super().__init__(installation, None)
        self.installation, self.email, self.project = installation, email, project
        self.session = None

    def credential(self):
        fields = {"Sec-Fetch-Site": "same-origin", "Svc-Project": self.project}
        return fields | ({"Cookie": "__Host-svc_session=" + self.session} if self.session else {})

    def sign_in(self):
        link = self.installation.admin("create-sign-in-link", "--user", self.email)["link"]
        self.connection.request("POST", "/dashboard/v1/sign-in/link", json.dumps({"token": link.split("#")[1]}),
                                {**self.credential(), "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"sign-in: {answer.status} {text[:500]!r}")
        cookies = http.cookies.SimpleCookie()
        for field in answer.headers.get_all("Set-Cookie"):
            cookies.load(field)
        self.session = cookies["__Host-svc_session"].value

    def call(self, method, path, body=None, headers=None):
        if self.session is None:
            self.sign_in()
        status, text = super().call(method, path, body, headers)
        if status in (401, 403) or path.startswith("/dashboard/v1/sign-"):
            self.session = None
        return status, text


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
