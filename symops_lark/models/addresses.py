"""Addresses of servers, read so strictly that what is checked here is what an SDK asks.

Readers of addresses differ: on user info, backslashes, fragments, and numbers that are spelled as hosts. What two of
them could understand differently is refused.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from ..core.replies.messages import ModelError

_HOST = r"\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_](?:[A-Za-z0-9._-]*)"
_ADDRESS = re.compile(rf"(?P<scheme>(?i:https?))://(?P<host>{_HOST})(?::(?P<port>[0-9]{{1,5}}))?(?:/[!-~]*)?\Z")
_PLACE = re.compile(rf"(?P<host>{_HOST}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)(?::(?P<port>[0-9]{{1,5}}))?\Z")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")  # as the last part of a host it makes an IPv4 address of it


@dataclass(frozen=True, slots=True)
class Host:
    """A server: its name or number in one spelling, and its port; None stands for any."""

    name: str
    port: int | None = None

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine; other names may lead here too, but nobody can promise that they do."""
        try:
            return ipaddress.ip_address(self.name).is_loopback
        except ValueError:
            return self.name == "localhost"

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port is None else f"{name}:{self.port}"


def read_address(address: str) -> Host:
    """Return the server of an address; raise `ModelError` for what is no address, or not plainly one."""
    shown = f"{address!r} is no address of a server"
    if not address.isprintable() or " " in address:  # some readers leave them out, requests send them
        raise ModelError(f"{shown}: it has a blank or a control character")
    if "@" in address or "?" in address:
        raise ModelError("the base URL holds a name, a key or a query; keys belong in the environment (key_variable)")
    for sign, what in (("#", "a fragment, behind which nothing is sent"), ("\\", "a backslash")):
        if sign in address:
            raise ModelError(f"{shown}: it has {what}: leave out the {sign}")
    if not re.match(r"(?i)https?://[^/]", address):
        raise ModelError(f"{shown}: it begins with http:// or https://, and names a host")
    match = _ADDRESS.match(address)
    if match is None:
        raise ModelError(f"{shown}: a host has letters, digits, points and hyphens (IPv6 in brackets), a port digits")
    default = "443" if match["scheme"].lower() == "https" else "80"
    return _host(match["host"], match["port"] or default, shown)


def read_host(text: str) -> Host:
    """Return a server that is named as HOST or HOST:PORT; raise `ModelError` for anything else."""
    match = _PLACE.match(text)
    shown = f"{text!r} is no host"
    if match is None:
        raise ModelError(f"{shown}: write HOST or HOST:PORT, IPv6 in brackets")
    return _host(match["host"], match["port"], shown)


def _host(text: str, port: str | None, shown: str) -> Host:
    number = None if port is None else int(port)
    if number is not None and not 0 < number < 1 << 16:
        raise ModelError(f"{shown}: a port is a number from 1 to 65535")
    name = text.lower().removesuffix(".")
    if not ("[" in name or ":" in name or _NUMBER.fullmatch(name.rpartition(".")[2])):
        if "" in name.split("."):
            raise ModelError(f"{shown}: two points of its host stand together")
        return Host(name, number)
    try:
        found = ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        raise ModelError(f"{shown}: write IPv4 as four decimal numbers, such as 127.0.0.1, IPv6 as [::1]") from None
    mapped = getattr(found, "ipv4_mapped", None)  # the same server, by the other protocol
    return Host(str(mapped or found), number)
