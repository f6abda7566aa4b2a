"""Read addresses of servers so strictly that the server that is checked is the one that is asked.

Parsers of addresses differ: in user info, backslashes, fragments, and numbers that are written as
hosts. An address that two of them could read differently is refused.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from ..core.replies.messages import ModelError

_HOST = r"\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_](?:[A-Za-z0-9._-]*)"
_ADDRESS = re.compile(
    rf"(?P<scheme>(?i:https?))://(?P<host>{_HOST})(?::(?P<port>[0-9]{{1,5}}))?(?:/[!-~]*)?\Z"
)
# With an IPv6 address without brackets, which has two colons.
_PLACE = re.compile(
    rf"(?P<host>{_HOST}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)"
    r"(?::(?P<port>[0-9]{1,5}))?\Z"
)
# If the last part of a host is a number, the host is an IPv4 address.
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
# Signs that parsers treat differently.
_REFUSED = {"#": "a fragment, and nothing after it is sent", "\\": "a backslash"}


@dataclass(frozen=True, slots=True)
class Host:
    """A server.

    Attributes:
        name: Its name or number, in one spelling.
        port: Its port. None: any port.
    """

    name: str
    port: int | None = None

    @property
    def is_loopback(self) -> bool:
        """Whether it is certainly this machine; other names may lead here, too."""
        try:
            return ipaddress.ip_address(self.name).is_loopback
        except ValueError:
            return self.name == "localhost"

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port is None else f"{name}:{self.port}"


def read_address(address: str) -> Host:
    """Return the server of an address.

    Args:
        address: The base URL of a server.

    Raises:
        ModelError: It is not an address, or can be read in two ways.
    """
    problem = f"{address!r} is not an address of a server"
    # Some parsers leave these out, and others send them.
    if not address.isprintable() or " " in address:
        raise ModelError(f"{problem}: it has a blank or a control character")
    # A secret in an address is not shown.
    if "@" in address or "?" in address:
        raise ModelError(
            "the base URL holds a name, a key or a query; "
            "keys belong in the environment (key_variable)"
        )
    for sign, name in _REFUSED.items():
        if sign in address:
            raise ModelError(f"{problem}: it has {name}: leave out the {sign}")
    if not re.match(r"(?i)https?://[^/]", address):
        raise ModelError(f"{problem}: it begins with http:// or https://, and names a host")
    match = _ADDRESS.match(address)
    if match is None:
        raise ModelError(
            f"{problem}: a host has letters, digits, points and hyphens (IPv6 in brackets)"
            ", a port digits"
        )
    default = "443" if match["scheme"].lower() == "https" else "80"
    return _host(match["host"], match["port"] or default, problem)


def read_host(text: str) -> Host:
    """Return a server that is written as HOST or HOST:PORT.

    Args:
        text: The name of the server.

    Raises:
        ModelError: It is something else.
    """
    match = _PLACE.match(text)
    problem = f"{text!r} is not a host"
    if match is None:
        raise ModelError(f"{problem}: write HOST or HOST:PORT, IPv6 in brackets")
    return _host(match["host"], match["port"], problem)


def _host(text: str, port: str | None, problem: str) -> Host:
    number = None if port is None else int(port)
    if number is not None and not 0 < number <= 65_535:
        raise ModelError(f"{problem}: a port is a number from 1 to 65535")
    name = text.lower().removesuffix(".")
    if not ("[" in name or ":" in name or _NUMBER.fullmatch(name.rpartition(".")[2])):
        if "" in name.split("."):
            raise ModelError(f"{problem}: its host has two points in a row")
        return Host(name, number)
    try:
        address = ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        raise ModelError(
            f"{problem}: write IPv4 as four decimal numbers, such as 127.0.0.1, IPv6 as [::1]"
        ) from None
    # An IPv4 address in the form of IPv6 is the same server.
    mapped = getattr(address, "ipv4_mapped", None)
    return Host(str(mapped or address), number)
