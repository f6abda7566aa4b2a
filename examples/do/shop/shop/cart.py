"""The cart of a customer."""

from shop.coupons import discount
from shop.prices import price_of


class CartError(Exception):
    """The cart cannot be paid."""


class Cart:
    """Items that a customer wants to buy."""

    def __init__(self):
        self.items = []

    def add(self, name, count=1):
        self.items.append((name, count))

    def checkout(self, coupon=None):
        """Return what there is to pay, in yen."""
        if not self.items:
            raise CartError("the cart is empty")
        total = sum(price_of(name) * count for name, count in self.items)
        return total - discount(total, coupon)
