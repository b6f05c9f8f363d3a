"""A mail server that takes mails and says what they hold, for tests; aiosmtpd (Debian: python3-aiosmtpd).

usage: mail_sink.py OPTIONS   (a JSON object)
  port         of 127.0.0.1
  out          a file that gets a line of JSON for each mail
  cert, key    PEM files: STARTTLS is offered
  smtps        TLS from the first byte
  auth         "user:password": AUTH is required, after STARTTLS

What a recipient's name begins with is what becomes of the mail: later (451), never (550), slow (taken after a second),
drop (the connection ends behind DATA, and nothing is said), busy (421 behind DATA), mute (taken, and no reply to QUIT).
"""

import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

HOW = json.loads(sys.argv[1])


def facts(envelope, session):
    mail = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
    leaves = [part for part in mail.walk() if not part.is_multipart()]
    parts = {part.get_content_type(): part.get_content().replace("\r\n", "\n") for part in leaves}
    return {
        "sender": envelope.mail_from,
        "recipients": envelope.rcpt_tos,
        "headers": {name.lower(): str(value) for name, value in mail.items()},
        "defects": [str(one) for part in mail.walk() for one in part.defects],
        "text": parts.get("text/plain"),
        "html": parts.get("text/html"),
        "tls": session.ssl is not None,
        "login": session.authenticated,
    }


class Sink:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("later"):
            return "451 4.7.1 come back"
        if address.startswith("never"):
            return "550 5.1.1 nobody"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        name = envelope.rcpt_tos[0]
        if name.startswith("drop"):
            server.transport.abort()
            return "250 never said"
        if name.startswith("busy"):
            return "421 4.3.2 going away"
        if name.startswith("slow"):
            await asyncio.sleep(1)
        session.mute = name.startswith("mute")
        with open(HOW["out"], "a") as out:
            out.write(json.dumps(facts(envelope, session)) + "\n")
        return "250 2.0.0 taken"

    async def handle_QUIT(self, server, session, envelope):
        if getattr(session, "mute", False):
            await asyncio.sleep(60)
        return "221 bye"


def authenticate(server, session, envelope, mechanism, data):
    user, password = HOW["auth"].split(":")
    right = isinstance(data, LoginPassword) and data == LoginPassword(user.encode(), password.encode())
    return AuthResult(success=right, handled=False)


def make():
    context = None
    if "cert" in HOW and not HOW.get("smtps"):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(HOW["cert"], HOW["key"])
    auth = "auth" in HOW
    return SMTP(Sink(), hostname="mail.test", tls_context=context, auth_required=auth, auth_require_tls=context is not None,
                authenticator=authenticate if auth else None)


async def main():
    outer = None
    if HOW.get("smtps"):
        outer = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        outer.load_cert_chain(HOW["cert"], HOW["key"])
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", HOW["port"], ssl=outer)
    async with server:
        await server.serve_forever()


asyncio.run(main())
