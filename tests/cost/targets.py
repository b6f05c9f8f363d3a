"""Servers that answer checks and notifications as an attacker would."""

import socket
import ssl
import struct
import subprocess
import threading


class Target:
    """A TCP server on loopback that gives each connection to `serve(connection)`."""

    def __init__(self, serve, tls=None):
        self.serve, self.tls = serve, tls
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self.handle, args=(client,), daemon=True).start()

    def handle(self, client):
        try:
            client.settimeout(20)
            if self.tls:
                client = self.tls.wrap_socket(client, server_side=True)
            self.serve(client)
        except (OSError, ValueError):
            pass
        finally:
            client.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.listening.close()


def read_request(client):
    """The head and the body of one request."""
    text = b""
    while b"\r\n\r\n" not in text:
        some = client.recv(65536)
        if not some:
            return text
        text += some
    head, body = text.split(b"\r\n\r\n", 1)
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        some = client.recv(1 << 20)
        if not some:
            break
        body += some
    return head + b"\r\n\r\n" + body


def http_answer(body, headers=(), status="200 OK", content_type="application/json"):
    """One server's function: reads the request, answers, closes."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", f"Content-Length: {len(body)}",
             "Connection: close", *headers]
    answer = ("\r\n".join(lines) + "\r\n\r\n").encode() + body

    def serve(client):
        read_request(client)
        client.sendall(answer)

    return serve


def take_mails(client):
    """A mail server's function: takes each mail of a connection and forgets it."""
    lines = client.makefile("rb")
    client.sendall(b"220 sink\r\n")
    for line in lines:
        command = line[:4].upper().strip()
        if command == b"DATA":
            client.sendall(b"354 go on\r\n")
            while lines.readline() not in (b".\r\n", b""):
                pass
        client.sendall(b"221 bye\r\n" if command == b"QUIT" else b"250 ok\r\n")
        if command == b"QUIT":
            return


class NameServer:
    """A DNS server that answers each query with the records that `answer(query)` returns; over TCP when they are large."""

    def __init__(self, answer):
        self.answer = answer
        self.tcp = None
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.port = self.udp.getsockname()[1]
        self.tcp = socket.create_server(("127.0.0.1", self.port), backlog=64)
        threading.Thread(target=self.run_udp, daemon=True).start()
        threading.Thread(target=self.run_tcp, daemon=True).start()

    def run_udp(self):
        while True:
            try:
                query, client = self.udp.recvfrom(4096)
                message = self.answer(query)
                # More than a datagram of 1 232 bytes: the client is told to come by TCP (RFC 1035, 4.2.1).
                if len(message) > 1232:
                    message = query[:2] + b"\x83\x80" + query[4:6] + b"\0" * 6 + query[12:query_end(query)]
                self.udp.sendto(message, client)
            except OSError:
                return

    def run_tcp(self):
        while True:
            try:
                client, _ = self.tcp.accept()
            except OSError:
                return
            with client:
                try:
                    client.settimeout(5)
                    size = struct.unpack("!H", client.recv(2))[0]
                    message = self.answer(client.recv(size))[:65535]
                    client.sendall(struct.pack("!H", len(message)) + message)
                    client.recv(1)
                except (OSError, struct.error):
                    pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.udp.close()
        self.tcp.close()


def query_end(query):
    """Where the first question of a DNS message ends."""
    at = 12
    while query[at]:
        at += query[at] + 1
    return at + 5


def server_tls(directory, bits):
    """TLS of a server with a self-signed RSA certificate of so many bits, made once in the directory."""
    key, certificate = directory / f"rsa{bits}.key", directory / f"rsa{bits}.pem"
    if not certificate.exists():
        subprocess.run(["openssl", "req", "-x509", "-newkey", f"rsa:{bits}", "-nodes", "-keyout", key, "-out",
                        certificate, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
