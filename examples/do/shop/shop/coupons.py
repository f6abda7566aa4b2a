"""Coupons: what a customer may subtract."""

COUPONS = {"SPRING": 10, "FRIEND": 5}  # percent


def discount(total, coupon):
    """Return the discount of a coupon, in yen; 0 without one."""
    return total * COUPONS.get(coupon, 0) // 100
