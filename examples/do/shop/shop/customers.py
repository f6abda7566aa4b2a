"""Customers of the shop."""

from dataclasses import dataclass


@dataclass
class Customer:
    """A customer with an address for mail."""

    name: str
    mail: str
