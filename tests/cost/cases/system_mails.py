"""Mails of the service itself: strangers who ask for recovery, and invitations of one address."""

import json

from cases import Number, case

RECOVERY = "/dashboard/v1/sign-in/recovery"


def ask_for_each(place, addresses):
    """Asks for the recovery of each address over one connection, as a page does. 503: the queue is full."""
    page = place.stranger
    last = None
    for address in addresses:
        last = page.call("POST", RECOVERY, {"email": address})
        if last[0] not in (202, 503):
            raise RuntimeError(f"recovery: {last[0]} {last[1][:200]!r}")
    return last


@case("system_mail", short=True, addresses=Number(1, 5000, 2000))
def recovery_of_many_addresses(place, addresses):
    """Recovery of thousands of addresses, which have no accounts."""
    return ask_for_each(place, (f"nobody-{number}@elsewhere.example" for number in range(addresses)))


@case("system_mail", short=True, requests=Number(1, 5000, 2000))
def recovery_of_one_address(place, requests):
    """Recovery of one account, again and again."""
    return ask_for_each(place, (place.other.email for _ in range(requests)))


@case("system_mail", short=True, invitations=Number(1, 200, 100))
def invitations_of_one_address(place, invitations):
    """Invitations of one stranger, each of which replaces the one before."""
    path = f"/dashboard/v1/organizations/{place.organization}/invitations"
    last = None
    for _ in range(invitations):
        last = place.browser.call("POST", path, {"email": "stranger@elsewhere.example", "role": "org_member"})
        if last[0] != 201:
            raise RuntimeError(f"invitation: {last[0]} {last[1][:200]!r}")
    mails = place.installation.sql("SELECT count(*) FROM system_mail_budgets WHERE kind = 'invitation'"
                                   " AND recipient = sha256('stranger@elsewhere.example')"
                                   " AND full_at > clock_timestamp() + interval '481 minutes'")
    if mails != ["0"]:
        raise RuntimeError("an address has taken more than two invitations")
    return last[0], json.dumps({"invitations": invitations}).encode()
