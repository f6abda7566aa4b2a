"""Orders: a cart that is paid."""

from shop.mail import write_receipt
from shop.tax import total_with_tax


def place_order(customer, cart, stock, coupon=None):
    """Take the items out of the stock, and return the receipt."""
    total = total_with_tax(cart.checkout(coupon))
    for name, count in cart.items:
        stock.take(name, count)
    return write_receipt(customer, total)
